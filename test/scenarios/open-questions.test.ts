import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { oneIn, sweep } from '../depth.js';
import { CRM, person, type Row } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const OPEN = 'SYNC_QUESTION_OPEN';

/** Three people from a first run; a colleague has deactivated E3 since. */
async function openKnown(): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.sync();
  await story.editUser('E3', { deactivated: true });
  story.takeWrites();
  return story;
}

type Mapped = 'users' | 'customers';

function dropField(story: Story, entity: Mapped, field: string): void {
  const config = parse(readFileSync(story.configFile, 'utf8')) as Record<Mapped, { fields: Record<string, unknown> }>;
  delete config[entity].fields[field];
  writeFileSync(story.configFile, stringify(config));
}

const NEXT: readonly Row[] = [person('E1', { title: 'Lead' }), person('E2'), person('E3'), person('N1'), person('N2')];

test.each(oneIn(1, ['leaver', 'joiner']))(
  'creates and reactivates nobody while users.%s is unknown, and updates the others',
  async (rule) => {
    const story = await openKnown();
    story.configure({ users: { [rule]: 'unknown' } });
    story.deliver(NEXT);
    const planned = await story.plan();
    expect([planned.code, planned.json.counts]).toEqual([3, { users: { update: 1 } }]);
    expect(summarise(planned.json.held)).toEqual([`E3 ${OPEN}`, `N1 ${OPEN}`, `N2 ${OPEN}`]);
    expect(planned.json.guards).toEqual([]);
    await story.sync();
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E3').deactivated).toBe(true);
    story.configure({ users: { [rule]: 'none' } });
    expect((await story.sync()).json).toMatchObject({ held: [], counts: { users: { create: 2, reactivate: 1 } } });
    expect(story.user('E3').deactivated).toBe(false);
  },
);

test('creates and reactivates nobody for whom users.doubtful is true, and updates the others', async () => {
  const story = await openKnown();
  story.configure({ users: { doubtful: 'record.?title.orValue("") != "Lead"' } });
  story.deliver([...NEXT, person('N3', { title: 'Lead' })]);
  const planned = await story.plan();
  expect([planned.code, planned.json.counts]).toEqual([3, { users: { create: 1, update: 1 } }]);
  expect(summarise(planned.json.held)).toEqual([`E3 ${OPEN}`, `N1 ${OPEN}`, `N2 ${OPEN}`]);
  expect(new Set(planned.json.held.map(({ reason }) => reason)).size).toBe(1);
  expect((await story.type('check')).stdout).toContain('  4 in doubt');
  expect((await story.type('explain', 'user', 'N1')).stdout).toContain('doubtful');
  await story.sync();
  story.deliver([...NEXT.map((row) => ({ ...row, title: 'Lead' })), person('N3', { title: 'Other' })]);
  expect((await story.sync()).json).toMatchObject({ held: [], counts: { users: { create: 2, reactivate: 1 } } });
});

sweep('asks one question in plan, status, inbox and check, with the edit that answers it', async () => {
  const story = await openKnown();
  story.configure({ users: { leaver: 'unknown', joiner: 'unknown' } });
  story.deliver(NEXT);
  const { stdout } = await story.type('plan');
  expect(stdout.match(/It is not configured yet which rows are people who have left/g)).toHaveLength(1);
  expect(stdout.match(/3 users {2}SYNC_QUESTION_OPEN/g)).toHaveLength(1);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('`leaver: none` if the source does not show it');
  const { waiting } = (await story.status()).json;
  expect(waiting).toEqual([expect.objectContaining({ kind: 'record', of: 'users', count: 3, code: OPEN })]);
  const check = await story.type('check');
  expect(check.code).toBe(0);
  expect(check.stdout.match(/^To answer: /gm)).toHaveLength(2);
  expect((await story.check()).json).toMatchObject({
    ok: true,
    open: [{ setting: 'users.leaver' }, { setting: 'users.joiner' }],
  });
});

sweep('leaves all held people out of an import file, although a plan lists only the first thousand', async () => {
  const story = await openStory();
  story.configure({ users: { leaver: 'unknown' } });
  story.deliver(Array.from({ length: 1_100 }, (_, index) => person(`N${index}`)));
  const { json } = await story.exportImport({ out: join(story.folder, 'people.csv') });
  expect(json).toMatchObject({ rows: 0 });
});

sweep('approves nothing that needs an answer', async () => {
  const story = await openKnown();
  story.configure({ users: { leaver: 'unknown' } });
  story.deliver(NEXT);
  await story.plan();
  for (const flags of [{ who: 'N1' }, { action: 'create' }, { guard: 'users.create' }])
    expect((await story.approve(flags)).error?.code).toBe('SYNC_APPROVAL_NOTHING');
  await story.sync();
  expect(story.takeWrites()).not.toContain(CREATE_USER);
});

sweep('turns missing people into leavers as usual, but asks first about one who resembles a joiner', async () => {
  const story = await openKnown();
  story.configure({ users: { leaver: 'unknown', fields: { born_year: '1980' } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.sync();
  for (const title of ['One', 'Two', 'Three']) {
    story.clock.advance(13 * 3_600_000);
    story.deliver([person('E1', { title }), person('N2', { last: 'E2', email: 'new@example.com' })]);
    await story.sync();
  }
  const { json } = await story.plan();
  expect(json.guards).toEqual([expect.objectContaining({ guard: 'users.same_person' })]);
  expect(story.user('E2').deactivated).toBe(false);
  // The usual answer gives the account to the new row.
  const answer = await story.type('holds', 'resolve', 'user:N2', '--same', '--reason', 'asked HR');
  expect([answer.code, answer.stderr]).toEqual([0, '']);
  await story.sync();
  expect(story.user('N2')).toMatchObject({ name: 'Person E2', deactivated: false });
  expect(story.users()).toHaveLength(3);
});

sweep('keeps the unmapped office of existing people, and holds new people under one question', async () => {
  const story = await openKnown();
  dropField(story, 'users', 'office');
  story.deliver(NEXT.map((row) => ({ ...row, office: '' })));
  const planned = await story.plan();
  expect([planned.code, planned.json.counts]).toEqual([3, { users: { update: 1, reactivate: 1 } }]);
  expect(summarise(planned.json.held)).toEqual([`N1 ${OPEN}`, `N2 ${OPEN}`]);
  expect(new Set(planned.json.held.map(({ reason }) => reason))).toEqual(
    new Set(['`users.fields.office` is not mapped, and the service creates no user without it.']),
  );
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.users().map(({ office }) => office)).toEqual(['no/Oslo', 'no/Oslo', 'no/Oslo']);
});

sweep('asks the same about other objects: holds customers without a name under one question', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.configure({ customers: { match: ['external_unique_id'] } });
  story.deliver([person('E1')]);
  story.deliverCompanies([{ id: 'C1', name: 'Acme' }]);
  story.deliverDeals([]);
  await story.sync();
  story.deliverCompanies([
    { id: 'C1', name: 'Other', url: 'https://acme.example.com' },
    { id: 'C2', name: 'Beta' },
    { id: 'C3', name: 'Gamma' },
  ]);
  dropField(story, 'customers', 'customer_name');
  const { json } = await story.sync();
  expect(json.counts).toEqual({ customers: { update: 1 } });
  expect(summarise(json.held)).toEqual([`C2 ${OPEN}`, `C3 ${OPEN}`]);
  expect(story.customers()).toMatchObject([{ external_unique_id: 'C1', customer_name: { en: 'Acme' } }]);
});

sweep('counts the first load as open while new people are held', async () => {
  const story = await openStory({
    users: [{ country: 'no', office: 'Oslo', email: 'e1@example.com', name: 'Person E1', external_unique_id: 'E1' }],
  });
  story.configure({ users: { leaver: 'unknown' } });
  story.deliver([person('E1'), ...Array.from({ length: 30 }, (_, index) => person(`N${index}`))]);
  expect((await story.sync()).json.held).toHaveLength(30);
  story.configure({ users: { leaver: 'none' } });
  expect((await story.sync()).json).toMatchObject({ guards: [], counts: { users: { create: 30 } } });
});
