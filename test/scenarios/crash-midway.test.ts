import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openGate } from './gate.js';
import { openStory, type Story } from './kit.js';
import { killAtWrite, startProgram } from './program.js';
import { expectQuiet } from './quiet.js';

/** Office, category, tag, two joiners and a mover, customer, project, its owners. */
const WRITES = 9;

/** An account with one person, and deliveries that need nine writes. It sends one call at a time, for a known order. */
async function openChange(): Promise<Story> {
  const story = await openStory();
  story.configure({
    ...CRM,
    service: { rate_limit: { concurrency: 1 } },
    tags: { create_missing: true },
    users: {
      fields: {
        office: { country: 'record.country', name: 'record.office', create_missing: true },
        tags: { grade: 'record.?rank' },
      },
    },
  });
  story.deliver([person('E0')]);
  story.deliverCompanies([]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([
    person('E0', { title: 'Lead' }),
    person('E1', { office: 'Trondheim', rank: 'g1' }),
    person('E2', { rank: 'g1' }),
  ]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com', 'e2@example.com'] }]);
  story.takeWrites();
  return story;
}

function expectEndState(story: Story): void {
  expect(story.offices()).toEqual(['no/Bergen', 'no/Oslo', 'no/Trondheim', 'se/Stockholm']);
  expect(story.sandbox.state().tag_categories).toMatchObject([
    { external_unique_id: 'unit' },
    { external_unique_id: 'grade', custom_tags: [{ external_unique_id: 'g1' }] },
  ]);
  expect(story.users()).toMatchObject([
    { external_unique_id: 'E0', title: { en: 'Lead' }, office: 'no/Oslo' },
    { external_unique_id: 'E1', office: 'no/Trondheim', tags: ['grade/g1'] },
    { external_unique_id: 'E2', office: 'no/Oslo', tags: ['grade/g1'] },
  ]);
  expect(story.users()).toHaveLength(3);
  expect(story.customers()).toHaveLength(1);
  expect(story.customers()[0]?.projects).toHaveLength(1);
  expect(story.customers()[0]).toMatchObject({
    external_unique_id: 'C1',
    projects: [{ external_unique_id: 'P1', owners: ['e1@example.com', 'e2@example.com'] }],
  });
}

/** Lists the changes that the audit records as done, repeats included. */
async function listDone(story: Story): Promise<readonly string[]> {
  const entries = await story.audit();
  return entries
    .filter(({ result, action, key }) => result === 'done' && !(action === 'create' && key === 'E0'))
    .map(({ entity, label }) => `${entity}: ${label}`)
    .sort();
}

const DONE = [
  'customers: Fjord Power',
  'offices: Trondheim (no)',
  'projects: Dam',
  'tag_categories: grade',
  'tags: grade: g1',
  'users: Person E0 <e0@example.com>',
  'users: Person E1 <e1@example.com>',
  'users: Person E2 <e2@example.com>',
];

async function expectConverged(story: Story): Promise<void> {
  expectEndState(story);
  expect((await story.status()).json.open_intents).toBe(0);
  expect((await story.verify()).json.ok).toBe(true);
  await expectQuiet(story);
}

sweep('makes eight changes with nine writes without a crash', async () => {
  const story = await openChange();
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 8, calls: { writes: WRITES } } });
  expect(story.takeWrites()).toHaveLength(WRITES);
  expect(await listDone(story)).toEqual(DONE);
  await expectConverged(story);
});

const STEPS = Array.from({ length: WRITES }, (_, index) => index + 1);

describe.each(oneIn(1, ['before', 'after'] as const, 1))(
  'kills at a write, %s the service has carried it out',
  (moment) => {
    test.each(oneIn(4, STEPS, moment === 'before' ? 0 : 2))('recovers from a kill at write %i', async (at) => {
      const story = await openChange();
      const gate = await killAtWrite(story, at, moment);
      expect((await story.status()).json.open_intents).toBe(1);

      expect((await story.sync()).code).toBe(0);
      // A look-up finds the change and nothing is sent again; or it is sent again because nothing had happened.
      expect(gate.writes()).toBe(moment === 'after' ? WRITES : WRITES + 1);
      expect(await listDone(story)).toEqual(DONE);
      await expectConverged(story);
    });
  },
);

sweep('finishes the call in flight at a first SIGTERM, and does the rest in the next run', async () => {
  const story = await openChange();
  let child: ChildProcess | undefined;
  const gate = await openGate(story.sandbox.url, 4, async (forward) => {
    child?.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await forward();
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  child = startProgram(story);
  const [code] = await once(child, 'exit');
  expect(code).toBe(3);
  expect(gate.writes()).toBe(4);
  expect((await story.status()).json.open_intents).toBe(0);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 4 } });
  expect(gate.writes()).toBe(WRITES);
  expect(await listDone(story)).toEqual(DONE);
  await expectConverged(story);
});

sweep('spends an approval on a change that a crash cut off, once it finds the change done', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 0 } } } });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.deliver([person('E1', { status: 'left' }), person('E2')]);
  await story.plan();
  await story.approve({ guard: 'users.deactivate', reason: 'ticket 7' });
  await killAtWrite(story, 1, 'after');
  await story.sync();
  expect(story.user('E1').deactivated).toBe(true);
  expect((await story.status()).json.approvals).toBe(0);
  expect((await story.audit()).at(-1)).toMatchObject({ result: 'done', approval: expect.stringContaining('ticket 7') });
});

sweep('sends no call too many after two kills and an outage of the service in between', async () => {
  const story = await openChange();
  for (const at of [4, 2]) {
    await killAtWrite(story, at, 'after');
    story.configure({ service: { base_url: 'http://127.0.0.1:9' } });
    expect(await story.sync()).toMatchObject({ code: 1, error: { code: 'SYNC_SERVICE_DOWN' } });
  }
  story.configure({ service: { base_url: story.sandbox.url } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toHaveLength(WRITES);
  expect(await listDone(story)).toEqual(DONE);
  await expectConverged(story);
});

sweep('finishes a saved plan that a crash cut off when it is applied again', async () => {
  const story = await openChange();
  const { plan } = (await story.plan()).json;
  let child: ChildProcess | undefined;
  const gate = await openGate(story.sandbox.url, 6, async () => {
    child?.kill('SIGKILL');
    return false;
  });
  story.configure({ service: { base_url: gate.url } });
  child = startProgram(story, ['apply', plan]);
  await once(child, 'exit');
  expect((await story.apply(plan)).code).toBe(0);
  expect(await listDone(story)).toEqual(DONE);
  await expectConverged(story);
});
