import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story } from './kit.js';
import { startProgram } from './program.js';

const KILLER = new URL('./kill-at-step.mjs', import.meta.url).href;

/**
 * An office, a joiner, a leaver, a customer, a project and its owner: six writes with an intent and an outcome each.
 */
async function openChange(): Promise<Story> {
  const story = await openStory();
  story.configure({
    ...CRM,
    service: { rate_limit: { concurrency: 1 }, timeout: '500ms' },
    users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } },
  });
  story.deliver([person('E0'), person('E1')]);
  story.deliverCompanies([]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([person('E0'), person('E1', { status: 'left' }), person('E2', { office: 'Trondheim' })]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e2@example.com'] }]);
  story.takeWrites();
  return story;
}

/** Runs the program until the step. @returns whether it reached that step */
async function isKilledAt(story: Story, step: number, moment: string): Promise<boolean> {
  const child = startProgram(story, ['sync'], {
    args: ['--import', KILLER],
    env: { KILL_AT_STEP: String(step), KILL_WHEN: moment },
  });
  const [code, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal === 'SIGKILL';
}

async function expectEnd(story: Story, step: string): Promise<void> {
  expect((await story.sync()).code, step).toBe(0);
  expect(story.offices(), step).toEqual(['no/Bergen', 'no/Oslo', 'no/Trondheim', 'se/Stockholm']);
  expect(
    story.users().map((user) => `${user.external_unique_id} ${user.office} ${user.deactivated}`),
    step,
  ).toEqual(['E0 no/Oslo false', 'E1 no/Oslo true', 'E2 no/Trondheim false']);
  expect(story.customers(), step).toMatchObject([
    { external_unique_id: 'C1', projects: [{ external_unique_id: 'P1', owners: ['e2@example.com'] }] },
  ]);
  const done = (await story.audit())
    .filter(({ result }) => result === 'done')
    .map(({ entity, key }) => `${entity}:${key}`);
  // Each change once, none missing: an outcome and its audit entry reach the disk together.
  expect(done.toSorted(), step).toEqual([
    'customers:C1',
    'offices:no/trondheim',
    'projects:P1',
    'users:E0',
    'users:E1',
    'users:E1',
    'users:E2',
  ]);
  expect((await story.verify()).json.ok, step).toBe(true);
  expect((await story.status()).json.open_intents, step).toBe(0);
  story.takeWrites();
  expect((await story.sync({ full: true })).json.counts, step).toEqual({});
  expect(story.takeWrites(), step).toEqual([]);
}

/** The program writes the journal at least this often: an intent and an outcome per call. */
const MOST_SURE = 12;

// A kill with an outcome on disk equals one before the next intent. After an intent, on odd steps, the call is not sent
// yet.
describe.each(
  oneIn(1, [
    ['before', 1],
    ['on disk', 2],
  ] as const),
)('kills at each write to the journal, %s', (moment, apart) => {
  test('reaches the same end each time', async () => {
    // A quick run kills once.
    let step = IS_THOROUGH ? 1 : 6;
    for (; IS_THOROUGH || step < MOST_SURE; step += IS_THOROUGH ? apart : 9) {
      const story = await openChange();
      const isKilled = await isKilledAt(story, step, moment);
      if (step < MOST_SURE) expect(isKilled, `step ${step}`).toBe(true);
      if (!isKilled) break;
      await expectEnd(story, `step ${step}`);
    }
  }, 600_000);
});
