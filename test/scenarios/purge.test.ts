import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Change } from '../../src/model/plan.js';
import { checkPlan } from '../../src/planning/saved/read-plan.js';
import { openStores } from '../../src/store/open-stores.js';
import { oneIn, sweep } from '../depth.js';
import { CRM, HOUR, person, type Row } from './company.js';
import { createStream, forgetMirror, LINK, openCvStory, STAFFING, STREAMS } from './cvs.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const DELETE_USER = 'DELETE /api/v1/users/:user_id';
const GET_USER = 'GET /api/v1/users/:user_id';
const DAY = 24 * HOUR;
const PURGE = { users: { leaver: { purge: { after: '90d' } } } };
const stayers = ['E0', 'E1'].map((id) => person(id));

/** Two people stay. E8 has left by status and E9 is in no row: both were deactivated 91 days ago. */
async function openDeparted(more: readonly Row[] = []): Promise<Story> {
  const story = await openStory();
  story.configure({ ...PURGE, guards: { users: { deactivate: 'off', delete: 'off' } } });
  story.deliver([...stayers, ...more, person('E8'), person('E9')]);
  await story.sync();
  story.deliver([...stayers, ...more, person('E8', { status: 'left' })]);
  await story.sync();
  expect(deactivated(story)).toEqual(['E8', 'E9']);
  story.clock.advance(91 * DAY);
  story.takeWrites();
  return story;
}

const deactivated = (story: Story): readonly (string | null | undefined)[] =>
  story.users().flatMap((user) => (user.deactivated ? [user.external_unique_id] : []));
const everybody = (story: Story): readonly (string | null | undefined)[] =>
  story.users().map((user) => user.external_unique_id);

function readPlanKey({ folder }: Story): string {
  const stores = openStores(join(folder, 'var'));
  try {
    return stores.planKey();
  } finally {
    stores.close();
  }
}

/** A change as saved in a plan. */
async function findPlanned(story: Story, key: string): Promise<Change> {
  const found: Change[] = [];
  await checkPlan((await story.plan()).json.file, readPlanKey(story), {
    take(change) {
      if (change.key === key) found.push(change);
    },
    takeBack: () => undefined,
  });
  const [only] = found;
  if (only === undefined) throw new Error(`nothing is planned for ${key}`);
  return only;
}

test('purges leavers long after their deactivation, each by one call after one look', async () => {
  const story = await openStory();
  story.configure({ ...PURGE, guards: { users: { deactivate: 'off', delete: 'off' } } });
  story.deliver([...stayers, person('E8'), person('E9')]);
  await story.sync();
  story.deliver([...stayers, person('E8', { status: 'left' })]);
  const left = await story.plan();
  expect(left.json.counts).toEqual({ users: { deactivate: 2 } });
  const { json: gone } = await story.sync();
  const [first] = (await story.audit()).filter(({ action }) => action === 'deactivate');
  expect(first?.cause.text).toMatch(/; to be deleted for good after 90d$/);
  expect((await story.explain('user', 'E8')).json.steps.departure).toMatchObject({ run: gone.run, deleted_at: null });

  story.clock.advance(89 * DAY);
  story.takeWrites();
  expect((await story.sync({ full: true })).json.counts).toEqual({});
  expect(story.takeWrites()).toEqual([]);

  story.clock.advance(2 * DAY);
  const planned = await story.plan();
  expect(planned.json.counts).toEqual({ users: { delete: 2 } });
  expect(planned.json.cost).toMatchObject({
    writes: 2,
    reads: 2,
    by_endpoint: { 'DELETE /api/v1/users/{user_id}': 2, 'GET /api/v1/users/{user_id}': 2 },
  });
  expect((await story.type('plan')).stdout).toContain(`deactivated by run ${gone.run} on `);
  story.takeReads();
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { delete: 2 } }, done: 2, failed: [] } });
  expect(story.takeWrites()).toEqual([DELETE_USER, DELETE_USER]);
  expect(story.takeReads().filter((call) => call === GET_USER)).toEqual([GET_USER, GET_USER]);
  expect(everybody(story)).toEqual(['E0', 'E1']);

  const entries = (await story.audit()).filter(({ action }) => action === 'delete');
  expect(entries).toMatchObject([
    { key: 'E8', cause: { kind: 'left' }, result: 'done', for_good: true, before: { email: 'e8@example.com' } },
    { key: 'E9', cause: { kind: 'absent' }, result: 'done', for_good: true },
  ]);
  expect((await story.type('audit', 'list', '--who', 'E9')).stdout).toContain('(cannot be undone)');

  // The row that says E8 has left still exists, and causes nothing more.
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  expect(story.takeWrites()).toEqual([]);
  const explained = await story.explain('user', 'E8');
  expect(explained.json.steps.departure).toMatchObject({ run: ran.json.run, purge_due_at: null });
  expect((await story.type('explain', 'user', 'E8')).stdout.replace(/\s+/g, ' ')).toContain(
    'a row that returns creates a new account',
  );

  // A person who returns is new.
  story.deliver([...stayers, person('E8')]);
  expect((await story.sync()).json.counts).toEqual({ users: { create: 1 } });
  expect(story.user('E8')).toMatchObject({ deactivated: false, email: 'e8@example.com' });
  expect((await story.explain('user', 'E8')).json.steps.departure).toBeNull();
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('purges nobody without users.leaver.purge, and nobody whom others deactivated', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: 'off', delete: 'off' } } });
  story.deliver([...stayers, person('E8'), person('E9')]);
  await story.sync();
  await story.editUser('E9', { deactivated: true });
  story.deliver(stayers);
  expect((await story.sync({ full: true })).json.counts).toEqual({ users: { deactivate: 1 } });
  story.clock.advance(1000 * DAY);
  story.takeWrites();
  expect((await story.sync({ full: true })).json.counts).toEqual({});

  story.configure(PURGE);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([DELETE_USER]);
  expect(everybody(story)).toEqual(['E0', 'E1', 'E9']);
});

sweep('reactivates a person who returns before the purge, and counts from the next leaving', async () => {
  const story = await openDeparted();
  story.clock.advance(-2 * DAY);
  // The order differs: the same file again would be held as older content.
  story.deliver([person('E9'), person('E8'), ...stayers]);
  expect((await story.sync()).json.counts).toEqual({ users: { reactivate: 2 } });
  story.clock.advance(2 * DAY);
  story.deliver(stayers);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 2 } });
  story.clock.advance(89 * DAY);
  expect((await story.sync()).json.counts).toEqual({});
  story.clock.advance(2 * DAY);
  expect((await story.sync()).json.counts).toEqual({ users: { delete: 2 } });
});

sweep(
  'holds deletions under the strictest guard until an approval, and says in an undo that it is impossible',
  async () => {
    const story = await openDeparted();
    story.configure({ guards: { users: {} } });
    // The patch resets the guards of the account to the built-in ones.
    story.configure({ guards: { users: { delete: { max: 5, percent: 1, min: 1 } } } });
    const tripped = await story.sync();
    expect(tripped).toMatchObject({
      code: 3,
      json: { guards: [{ guard: 'users.delete', limit: 1, found: 2, held: 2, cause: 'real events' }] },
    });
    expect(story.takeWrites()).toEqual([]);
    await story.approve({ guard: 'users.delete', reason: 'retention, case 12' });
    const ran = await story.sync();
    expect(ran.code).toBe(0);
    expect(story.takeWrites()).toEqual([DELETE_USER, DELETE_USER]);

    const undone = await story.undo(ran.json.run);
    expect(summarise(undone.json.held)).toEqual(['E8 SYNC_UNDO_IMPOSSIBLE', 'E9 SYNC_UNDO_IMPOSSIBLE']);
    expect(undone.json.held[0]?.reason).toContain('deleted for good');
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('keeps an account that is active again, was active in the meantime, or is protected', async () => {
  const story = await openDeparted([person('E7')]);
  story.deliver([...stayers, person('E8', { status: 'left' }), person('E7', { status: 'left' })]);
  await story.sync({ only: 'user:E7' });
  story.clock.advance(91 * DAY);
  // The feed continues after their edits, so it reports neither.
  await story.editUser('E0', { telephone: '1' });
  await story.refresh({ full: true });
  await story.editUser('E8', { deactivated: false });
  await story.editUser('E9', { deactivated: false });
  await story.editUser('E9', { deactivated: true });
  story.configure({ users: { protect: ['user.email == "e7@example.com"'] } });
  story.takeWrites();
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.failed).toMatchObject([
    { key: 'E8', code: 'SYNC_PURGE_DOUBTFUL' },
    { key: 'E9', code: 'SYNC_PURGE_DOUBTFUL' },
  ]);
  expect(summarise(ran.json.held)).toEqual(['E7 SYNC_ACCOUNT_PROTECTED']);
  expect(story.takeWrites()).toEqual([]);

  // E8 has left and is active, so it is deactivated again. Others deactivated E9, so the account is theirs from now on.
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(everybody(story)).toEqual(['E0', 'E1', 'E7', 'E8', 'E9']);
});

test('purges nobody without proof: an incomplete source, an unreadable row, a narrowed scope', async () => {
  const story = await openDeparted();
  story.deliverText('id;first;last\n');
  expect((await story.sync()).json.counts).toEqual({});
  story.deliverText(
    `${['id;first;last;email;country;office;title;title_no;phone;unit;role;scope;status;rank', 'E0;Person;E0;e0@example.com;no;Oslo;;;;;;;;', 'E1;Person;E1;e1@example.com;no;Oslo;;;;;;;;', 'E9b;Person;E9;;no;Oslo;;;;;;;;'].join('\n')}\n`,
  );
  const doubtful = await story.sync();
  // The unreadable row names E9, who therefore does not even count as absent.
  expect(summarise(doubtful.json.held).filter((held) => held.endsWith('DOUBTFUL'))).toEqual(['E8 SYNC_PURGE_DOUBTFUL']);
  expect(everybody(story)).toEqual(['E0', 'E1', 'E8', 'E9']);
  story.configure({ users: { scope: 'record.id != "E8"', out_of_scope: 'deactivate', leaver: { when: 'false' } } });
  story.deliver([...stayers, person('E8')]);
  const narrowed = await story.sync();
  expect(narrowed.json.guards).toMatchObject([{ guard: 'users.out_of_scope', held: 1 }]);
  expect(everybody(story)).toContain('E8');
});

sweep(
  'purges a person who had left by status even if the row disappears later and absence proves nothing',
  async () => {
    const story = await openStory();
    story.configure({ ...PURGE, guards: { users: { deactivate: 'off', delete: 'off' } } });
    story.configure({ users: { leaver: { after_missing_reads: 0, purge: { after: '90d' } } } });
    story.deliver([...stayers, person('E8')]);
    await story.sync();
    story.deliver([...stayers, person('E8', { status: 'left' })]);
    for (const full of [false, false, true]) await story.sync({ full });
    expect(deactivated(story)).toEqual(['E8']);
    story.deliver([...stayers.toReversed()]);
    for (const full of [false, true]) await story.sync({ full });
    story.clock.advance(91 * DAY);
    story.takeWrites();
    await story.sync();
    expect(story.takeWrites()).toEqual([DELETE_USER]);
  },
);

sweep('holds both a person who is due for a purge and a joiner who resembles them', async () => {
  const story = await openDeparted();
  story.deliver([...stayers, person('E8', { status: 'left' }), person('N9', { last: 'E9', email: 'n9@example.com' })]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E9 SYNC_PROBABLE_SAME_PERSON', 'N9 SYNC_PROBABLE_SAME_PERSON']);
  expect(story.takeWrites()).toEqual([DELETE_USER]);
  expect(everybody(story)).toEqual(['E0', 'E1', 'E9']);
});

sweep('does not purge a person whom a project still names', async () => {
  const story = await openDeparted();
  story.configure(CRM);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e9@example.com'] }]);
  const ran = await story.sync();
  expect(ran.json.held).toMatchObject([
    { key: 'E9', code: 'SYNC_CHANGE_BLOCKED', reason: expect.stringContaining('projects:P1 names the person') },
  ]);
  expect(everybody(story)).toEqual(['E0', 'E1', 'E9']);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  expect((await story.sync()).json.counts).toMatchObject({ users: { delete: 1 } });
  expect(everybody(story)).toEqual(['E0', 'E1']);
});

sweep('undoes no removal of an owner who is purged by now: it says so, and sends nothing', async () => {
  const story = await openStory();
  story.configure({ ...CRM, guards: { users: { deactivate: 'off', delete: 'off' } } });
  story.configure(PURGE);
  const deal = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e0@example.com'] };
  story.deliver([...stayers, person('E9')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ ...deal, owners: ['e0@example.com', 'e9@example.com'] }]);
  await story.sync();
  story.deliverDeals([deal]);
  const { run } = (await story.sync()).json;
  story.deliver(stayers);
  await story.sync();
  story.clock.advance(91 * DAY);
  expect((await story.sync({ full: true })).json.counts).toEqual({ users: { delete: 1 } });
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 0, counts: {}, failed: [] } });
  expect(summarise(undone.json.held)).toEqual(['P1 SYNC_UNDO_IMPOSSIBLE']);
  expect(story.takeWrites()).toEqual([]);
});

/** E9 was linked to a project and has left; the stream of staffing still lists the link. */
async function openStaffed(row: readonly Row[] = []): Promise<Story> {
  const story = await openCvStory();
  story.configure({ ...STREAMS, ...CRM, ...STAFFING, ...PURGE });
  story.configure({ sources: { ...(CRM.sources as object), ...(STREAMS.sources as object) } });
  story.configure({ guards: { users: { deactivate: 'off', delete: 'off' } } });
  story.deliver([...stayers, person('E9')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  const staffing = createStream(story, 'staffing');
  staffing([{ id: 'S1', project: 'P1', person: 'E9' }]);
  await story.sync();
  await story.sync();
  story.deliver([...stayers, ...row]);
  await story.sync();
  story.takeWrites();
  return story;
}

/**
 * Expects that no kind of run holds a row. A person who returns is a new account, and linked in the run that creates
 * it.
 */
async function expectLeftAlone(story: Story): Promise<void> {
  for (const before of [() => undefined, forgetMirror]) {
    before(story);
    for (const full of [false, true])
      expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  }
  expect((await story.explain('project_link', 'P1/E9')).json.steps.left_alone).toContain('deleted for good');
  story.takeWrites();
  story.deliver([...stayers, person('E9')]);
  await story.sync();
  expect(story.takeWrites()).toEqual(['POST /api/v1/users', LINK]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
}

sweep('holds no staffing row that still names a purged person, and links a returning person again', async () => {
  const story = await openStaffed();
  story.clock.advance(91 * DAY);
  expect((await story.sync()).json.counts).toEqual({ users: { delete: 1 } });
  expect(story.takeWrites()).toEqual([DELETE_USER]);
  await expectLeftAlone(story);
});

sweep('links nobody whose purge a guard holds', async () => {
  const story = await openStaffed();
  createStream(story, 'staffing')([{ id: 'S2', project: 'P1', person: 'E9', role: 'Lead' }]);
  await story.sync();
  story.configure({ guards: { users: { delete: { max: 0 } } } });
  story.clock.advance(91 * DAY);
  expect(await story.sync()).toMatchObject({ code: 3, json: { counts: { users: { delete: 1 } }, held: [] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep.each([
  ['is in no row', []],
  ['is said to have left', [person('E9', { status: 'left' })]],
] as const)('holds no staffing row when others deleted the leaver, who %s', async (_, row) => {
  const story = await openStaffed(row);
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E9')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${id}`);
  await expectLeftAlone(story);
});

sweep('holds no staffing row after a restore of the state before the purge', async () => {
  const story = await openStaffed();
  const { file } = (await story.backup()).json;
  story.clock.advance(91 * DAY);
  await story.sync();
  expect(story.takeWrites()).toEqual([DELETE_USER]);
  await story.restore(file);
  await expectLeftAlone(story);
});

sweep.each(['reset_before', 'reset_after', 'hang'] as const)(
  'purges each person once when the answer to a delete is lost: %s',
  async (kind) => {
    const story = await openDeparted();
    story.configure({ service: { timeout: '250ms', rate_limit: { concurrency: 1 } } });
    story.sandbox.faults.add({ kind, method: 'DELETE', path: '/api/v1/users' });
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 0, json: { done: 2, failed: [] } });
    expect(everybody(story)).toEqual(['E0', 'E1']);
    expect((await story.audit()).filter(({ action }) => action === 'delete')).toMatchObject([
      { key: 'E8', result: 'done', for_good: true },
      { key: 'E9', result: 'done', for_good: true },
    ]);
    story.takeWrites();
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(story.takeWrites()).toEqual([]);
  },
);

test.each(
  oneIn(1, [
    ['the call had reached the service', true, []],
    ['the call had never left', false, [DELETE_USER]],
  ] as const),
)('finishes a delete during which the process died, and %s', async (_, reached, writes) => {
  const story = await openDeparted();
  const doomed = await findPlanned(story, 'E9');
  const stores = openStores(join(story.folder, 'var'));
  stores.journal.intend([{ run: 'r-died', change: doomed, step: 'delete', at: '2026-01-01T00:00:00.000Z' }]);
  stores.close();
  if (reached) await story.others('DELETE', `/api/v1/users/${doomed.target}`);
  // The copy of the service may be lost too: the id is enough for a look.
  rmSync(join(story.folder, 'var', 'mirror.db'));

  const ran = await story.sync();
  expect(ran.code).toBe(0);
  expect(story.takeWrites()).toEqual([DELETE_USER, ...writes]);
  expect(everybody(story)).toEqual(['E0', 'E1']);
  const deletions = (await story.audit()).filter(({ action }) => action === 'delete');
  expect(deletions.filter(({ key }) => key === 'E9').map(({ run, result }) => [run, result])).toEqual(
    reached
      ? [['r-died', 'done']]
      : [
          ['r-died', 'lost'],
          [ran.json.run, 'done'],
        ],
  );
  // The account that the dead process deleted is unowned, as if the process had lived.
  story.deliver([...stayers, person('E9')]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { create: 1 } }, held: [] });
});
