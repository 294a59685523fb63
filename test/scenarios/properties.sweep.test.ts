import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlannedChange } from '../../src/model/plan.js';
import { tries } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'] as const;

/** Possible rows of HR: colliding addresses, an office that does not exist, a person who has left. */
const row = fc.record({
  id: fc.constantFrom(...IDS),
  email: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'board').map((name) => `${name}@example.com`),
  title: fc.constantFrom('', 'Lead', 'Advisor'),
  phone: fc.constantFrom('', '1', '2'),
  unit: fc.constantFrom('', 'north', 'south'),
  office: fc.constantFrom('Oslo', 'Bergen', 'Nowhere'),
  status: fc.constantFrom('', '', '', 'left'),
});
const delivery = fc
  .uniqueArray(row, { selector: ({ id }) => id, minLength: 1, maxLength: IDS.length })
  .map((rows): readonly Row[] => rows.map(({ id, ...more }) => person(id, more)));

/** Edits by others between two runs. */
const edit = fc.record({
  who: fc.constantFrom(...IDS),
  fields: fc.constantFrom<object>(
    { title: { en: 'By hand' } },
    { telephone: '9' },
    { deactivated: true },
    { deactivated: false },
    { name: 'Renamed by hand' },
    { role: 'internationalmanager' },
  ),
});
const rules = fc.record({
  most: fc.constantFrom(0, 1, 2, 10),
  policy: fc.constantFrom('sync', 'upsert-only', 'create-only'),
  drift: fc.constantFrom('correct', 'report'),
});

const MANAGED = ['external_unique_id', 'email', 'name', 'office', 'title', 'deactivated'];

function readChanges(file: string): readonly PlannedChange[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly toService: readonly PlannedChange[] }).toService;
}

async function editSomebody(story: Story, { who, fields }: { readonly who: string; readonly fields: object }) {
  if (story.users().some((user) => user.external_unique_id === who)) await story.editUser(who, fields);
}

/** Expects of a plan that it keeps its promises and sends nothing. */
async function expectGoodPlan(story: Story, most: number): Promise<void> {
  story.takeWrites();
  const { json } = await story.plan();
  expect(story.takeWrites()).toEqual([]);
  const changes = readChanges(json.file);
  expect(
    changes.flatMap(({ entity, fields }) => (entity === 'users' ? fields : [])).filter((f) => !MANAGED.includes(f)),
  ).toEqual([]);
  const free = changes.filter(({ withheld }) => withheld === null);
  expect(free.filter(({ action }) => action === 'deactivate').length).toBeLessThanOrEqual(most);
  for (const { key, target, action, before } of free) {
    const user = target === null ? undefined : story.users().find((one) => one.external_unique_id === key);
    if (user === undefined) continue;
    expect(user.email).not.toBe('board@example.com');
    if (user.roles.includes('internationalmanager')) expect([action, 'email' in before]).toEqual(['update', false]);
  }
}

test('keeps the limits of a plan for any delivery, edit and configuration, and has nothing to do after a run', async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.array(fc.tuple(delivery, fc.array(edit, { maxLength: 3 })), { minLength: 2, maxLength: 3 }),
      async ({ most, policy, drift }, rounds) => {
        const story = await openStory();
        story.configure({
          policy,
          drift,
          users: { match: ['external_unique_id'], protect: ['user.email == "board@example.com"'] },
          guards: { users: { deactivate: { max: most }, update: 'off', reactivate: 'off' } },
        });
        for (const [rows, edits] of rounds) {
          story.deliver(rows);
          await expectGoodPlan(story, most);
          await story.sync({ full: true });
          story.takeWrites();
          const again = await story.plan();
          expect(readChanges(again.json.file).filter(({ withheld }) => withheld === null)).toEqual([]);
          await story.sync({ full: true });
          expect(story.takeWrites()).toEqual([]);
          for (const one of edits) await editSomebody(story, one);
        }
      },
    ),
    { numRuns: tries(10), endOnFailure: true },
  );
}, 300_000);
