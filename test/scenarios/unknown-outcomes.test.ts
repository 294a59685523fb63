import { describe, expect, test } from 'vitest';
import type { FaultRuleInput } from '../../src/sandbox/server/faults.js';
import { oneIn, sweep } from '../depth.js';
import { ACCOUNT, CRM, person, type Row, type Yaml } from './company.js';
import { GET_CV, openCvStory, READINGS, sectionsOf } from './cvs.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';
import { killAtWrite } from './program.js';
import { expectProven } from './proof.js';
import { expectQuiet } from './quiet.js';
import { openWhole } from './whole-company.js';

const SCOPED = {
  roles: 'has(record.scope) ? ["consultant", "departmentmanager"] : ["consultant"]',
  role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
  tags: { unit: 'record.?unit' },
};
const ALWAYS = 20;

/** Ways in which no answer ever comes. Each lasts for all tries of the program. */
const FAULTS: readonly (readonly [name: string, fault: Pick<FaultRuleInput, 'kind' | 'status'>])[] = [
  ['reset after the work', { kind: 'reset_after' }],
  ['reset before the work', { kind: 'reset_before' }],
  ['500', { kind: 'status', status: 500 }],
];

/** E1 has the tag "north". The account has been asked before the story whether tags are visible. */
async function openTagged(tagsOnCvs: boolean, afterId: 'exclude' | 'keyset' = 'exclude'): Promise<Story> {
  const story = await openCvStory({ tagsOnCvs, afterId });
  story.configure({ service: { timeout: '500ms', rate_limit: { concurrency: 1 } }, users: { fields: SCOPED } });
  story.deliver([person('E0', { unit: 'north' }), person('E1', { unit: 'north', scope: 'Oslo' })]);
  await story.sync();
  await story.sync({ full: true });
  story.takeWrites();
  story.takeReads();
  return story;
}

function give(story: Story, row: Row): void {
  story.deliver([person('E0', { unit: 'north' }), person('E1', { unit: 'north', scope: 'Oslo', ...row })]);
}

const CASES: readonly (readonly [name: string, row: Row, wanted: object])[] = [
  ['a tag', { unit: 'south' }, { tags: ['unit/south'] }],
  ['a scope', { scope: 'Bergen' }, { role_allowed_offices: ['no/Bergen'] }],
];

describe.each(oneIn(1, READINGS))('tags of people shown on CVs: %s', (tagsOnCvs) => {
  describe.each(oneIn(1, FAULTS))('%s on every try', (_name, fault) => {
    test.each(oneIn(1, CASES))(
      '%s: reports the outcome correctly, and gets it right in the next run',
      async (_case, row, wanted) => {
        const story = await openTagged(tagsOnCvs);
        give(story, row);
        story.sandbox.faults.add({ ...fault, method: 'PUT', path: '/api/v1/users', times: ALWAYS });
        const ran = await story.sync();
        const isDone = fault.kind === 'reset_after';
        const isSeen = row.scope !== undefined || tagsOnCvs;
        const [last] = (await story.audit()).slice(-1);
        if (isDone && isSeen) {
          expect(ran).toMatchObject({ code: 0, json: { done: 1, failed: [] } });
          const proof = row.scope === undefined ? GET_CV : 'GET /api/v1/users/:user_id';
          expect(last?.calls[0]?.proved_by?.replaceAll(/\{(\w+)\}/g, ':$1')).toBe(proof);
        } else {
          expect(ran).toMatchObject({
            code: 4,
            json: { done: 0, failed: [{ key: 'E1', code: 'SYNC_SERVICE_DOWN' }] },
          });
          expect(last).toMatchObject({ key: 'E1', result: 'lost' });
        }
        story.sandbox.faults.clear();
        story.takeWrites();
        expect((await story.sync()).code).toBe(0);
        expect(story.takeWrites()).toEqual(isDone && isSeen ? [] : [UPDATE_USER]);
        expect(story.user('E1')).toMatchObject(wanted);
        expectProven(await story.audit());
        await expectQuiet(story);
      },
    );
  });

  sweep.each(oneIn(1, CASES, 1))(
    '%s: killed while the call hangs; the next run sends it',
    async (_case, row, wanted) => {
      const story = await openTagged(tagsOnCvs, 'keyset');
      give(story, row);
      await killAtWrite(story, 1, 'before');
      story.takeWrites();
      expect((await story.sync()).code).toBe(0);
      expect(story.takeWrites()).toEqual([UPDATE_USER]);
      expect(story.user('E1')).toMatchObject(wanted);
      const entries = (await story.audit()).filter(({ key, action }) => key === 'E1' && action === 'update');
      expect(entries.map(({ result }) => result)).toEqual(['lost', 'done']);
      expectProven(entries);
      await expectQuiet(story);
    },
  );
});

sweep('proves the call for a tag by a visible field next to it', async () => {
  const story = await openTagged(false);
  give(story, { unit: 'south', title: 'Lead' });
  story.sandbox.faults.add({ kind: 'reset_after', method: 'PUT', path: '/api/v1/users', times: ALWAYS });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect((await story.audit()).at(-1)?.calls).toMatchObject([{ proved_by: 'GET /api/v1/users/{user_id}' }]);
  story.sandbox.faults.clear();
  await expectQuiet(story);
});

sweep('does not create a customer without an external id twice after a lost answer', async () => {
  const story = await openStory();
  const fields = { customer_name: { en: 'record.name' } };
  const { sources } = CRM as { readonly sources: Yaml };
  story.configure({ sources, customers: { from: ['crm.companies'], match: ['customer_name'], fields } });
  story.deliver([person('E0')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.sandbox.faults.add({ kind: 'reset_after', method: 'POST', path: '^/api/v2/company/cv/customers(\\?|$)' });
  const ran = await story.sync();
  expect(ran.json.failed).toEqual([]);
  expect(ran.json.held).toEqual([]);
  expect(ran.code).toBe(0);
  expect(story.customers()).toHaveLength(1);
  expectProven(await story.audit());
  await expectQuiet(story);
});

sweep.each(['reset_after', 'reset_before'] as const)(
  'reports a lost answer to a call that links several people, on every try (%s), and links each once',
  async (kind) => {
    const story = await openWhole({ tagsOnCvs: false });
    story.have({
      people: [person('E1'), person('E2')],
      companies: [{ id: 'C1', name: 'Fjord Power' }],
      deals: [{ id: 'P1', customer: 'C1', name: 'Dam' }],
      certificates: [{ id: 'K1', person: 'E1', name: 'Cloud' }],
      bids: [{ id: 'B1', name: 'Dam' }],
    });
    await story.sync();
    story.have({ staffing: ['E1', 'E2'].map((id) => ({ id: `s${id}`, project: 'P1', person: id })) });
    story.sandbox.faults.add({ kind, method: 'POST', path: '^/api/v2/.*/consultants', times: ALWAYS });
    const ran = await story.sync();
    const isDone = kind === 'reset_after';
    expect(ran).toMatchObject({ code: isDone ? 0 : 4, json: { done: isDone ? 2 : 0 } });
    const entries = (await story.audit()).filter(({ entity }) => entity === 'staffing');
    expect(entries.map(({ result }) => result)).toEqual(isDone ? ['done', 'done'] : ['lost', 'lost']);
    story.sandbox.faults.clear();
    expect((await story.sync()).code).toBe(0);
    for (const id of ['E1', 'E2']) expect(sectionsOf(story, id, 'project_experiences')).toHaveLength(1);
    expectProven(await story.audit());
    await expectQuiet(story);
  },
);

sweep.each(['reset_before', 'reset_after'] as const)(
  'imports everyone with their tags despite a lost answer (%s), and proves what is done',
  async (kind) => {
    const imports = { hr: { delay_ms: 0, tag_columns: { Unit: 'unit' } } };
    const story = await openStory({ account: { ...ACCOUNT.account, imports } });
    story.configure({
      users: {
        fields: { tags: { unit: 'record.?unit' } },
        bulk_load: { from: 2, setting: 'hr', missing: 'keep', tag_columns: { unit: 'Unit' }, confirm_within: '1d' },
      },
    });
    story.deliver(['E1', 'E2', 'E3'].map((id) => person(id, { unit: 'north' })));
    story.sandbox.faults.add({ kind, method: 'POST', path: '/api/v1/users/import/csv/hr', skip: 1, times: ALWAYS });
    const ran = await story.sync();
    story.sandbox.faults.clear();
    expect(ran.code).toBe(kind === 'reset_after' ? 0 : 4);
    expect((await story.sync()).code).toBe(0);
    expect(story.users().map(({ tags }) => tags)).toEqual([['unit/north'], ['unit/north'], ['unit/north']]);
    expectProven(await story.audit());
    await expectQuiet(story);
  },
);
