import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openIdp } from './idp.js';
import { openStory, type Story } from './kit.js';
import { onProject, openStaffing } from './staffing.js';

const ONE = person('E1', { title: 'Consultant' });
const TWO = person('E2');
const LEFT = { ...ONE, status: 'left' };

async function openAfter(...deliveries: readonly (readonly Row[])[]): Promise<Story> {
  const story = await openStory();
  for (const rows of deliveries.slice(0, -1)) {
    story.deliver(rows);
    expect((await story.sync()).code).toBe(0);
  }
  story.deliver(deliveries.at(-1) ?? []);
  await story.plan();
  return story;
}

function decline(story: Story, ...words: readonly string[]) {
  return story.type('decline', ...words, '--reason', 'ticket 4711', '--json');
}

async function listDeclined(story: Story) {
  return JSON.parse((await story.type('decline', '--list', '--json')).stdout).declines as readonly { id: string }[];
}

sweep("keeps a declined leaver up to date from other sources, and writes nothing from the leaver's row", async () => {
  const idp = await openIdp([{ id: 'a1', externalId: 'E1', phone: '1' }]);
  const story = await openStory();
  story.configure({
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { telephone: 'idp.?phone' } },
  });
  story.deliver([ONE, TWO]);
  await story.sync();
  story.deliver([{ ...LEFT, title: 'Retired' }, TWO]);
  await story.plan();
  expect((await decline(story, '--who', 'user:E1')).code).toBe(0);
  idp.accounts = [{ id: 'a1', externalId: 'E1', phone: '5' }];
  const run = await story.sync();
  expect([run.code, run.json.counts]).toEqual([0, { users: { update: 1 } }]);
  expect(story.user('E1')).toMatchObject({ deactivated: false, telephone: '5', title: { en: 'Consultant' } });
  const again = await story.sync();
  expect([again.code, again.json.counts, again.json.declined?.length]).toEqual([0, {}, 1]);
  story.deliver([{ ...ONE, title: 'Lead' }, TWO]);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1')).toMatchObject({ deactivated: false, title: { en: 'Lead' } });
  expect(await listDeclined(story)).toEqual([]);
});

sweep('revokes a decline, and names everyone in lists and in the audit', async () => {
  const story = await openAfter([ONE, TWO], [LEFT, TWO]);
  const given = JSON.parse((await decline(story, '--who', 'user:E1', '--until', '2099-01-01')).stdout);
  expect(given).toMatchObject({ declined: 1, day: '2099-01-01', ends: [] });
  const list = (await story.type('decline', '--list')).stdout;
  expect(list).toContain(`${given.decline}  1 change, until 2099-01-01`);
  for (const command of ['status', 'holds list', 'explain user E1', 'plan'])
    expect([command, (await story.type(...command.split(' '))).stdout]).toEqual([
      command,
      expect.stringMatching(/eclined by \S+[\s\S]*until 2099[\s\S]*ticket 4711/),
    ]);
  const revoked = await story.type('decline', '--revoke', given.decline, '--reason', 'leaves after all');
  expect(revoked.stdout).toMatch(/^Revoked d\S+: 1 change is proposed again from the next run on/);
  expect((await story.type('decline', '--revoke', given.decline, '--reason', 'x')).code).toBe(1);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').deactivated).toBe(true);
  const audit = (await story.type('audit', 'list')).stdout;
  expect(audit).toMatch(
    /change declined {2}\S+ declined the deactivation of Person E1 until 2099-01-01 00:00 UTC: ticket 4711 {2}\[d/,
  );
  expect(audit).toMatch(
    /decline revoked {2}\S+ revoked the decline of the deactivation of Person E1: leaves after all/,
  );
});

sweep('ends an approval by a decline of the same change, and a decline by an approval', async () => {
  const story = await openAfter([ONE, TWO], [LEFT, TWO]);
  story.configure({ guards: { users: { deactivate: { max: 0 } } } });
  await story.plan();
  const approval = (await story.approve({ who: 'user:E1' })).json.approval;
  const given = JSON.parse((await decline(story, '--who', 'user:E1')).stdout);
  expect(given.ends).toEqual([approval]);
  expect((await story.approve({ list: true })).json.approvals).toEqual([]);
  await story.sync();
  // Approving a complete guard or action revokes nobody's decline.
  expect((await story.approve({ action: 'users.deactivate' })).error?.code).toBe('SYNC_APPROVAL_NOTHING');
  expect((await story.approve({ who: 'user:E1' })).json.approved).toBe(1);
  expect(await listDeclined(story)).toEqual([]);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').deactivated).toBe(true);
});

sweep('leaves out what needs a declined change, and does not count it for the exit code', async () => {
  const { story, staffing } = await openStaffing({ tagsOnCvs: true, afterId: 'exclude' });
  story.deliver([...['E1', 'E2', 'E3'].map((id) => person(id)), person('E9')]);
  staffing([onProject('s1', 'E1'), onProject('s9', 'E9')]);
  await story.plan();
  expect((await decline(story, '--who', 'user:E9')).code).toBe(0);
  const run = await story.sync();
  expect([run.code, run.json.held]).toEqual([0, []]);
  expect(run.json.counts.staffing).toEqual({ create: 1 });
});

sweep('declines staffing and proposes it again once the decline is revoked', async () => {
  const { story, staffing } = await openStaffing({ tagsOnCvs: true, afterId: 'exclude' });
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  await story.plan();
  const words = ['--action', 'staffing.create'];
  const given = JSON.parse((await decline(story, ...words)).stdout);
  expect(given.declined).toBe(2);
  const run = await story.sync();
  expect([run.code, run.json.counts]).toEqual([0, {}]);
  await story.type('decline', '--revoke', given.decline, '--reason', 'on it after all');
  expect((await story.sync()).json.counts).toEqual({ staffing: { create: 2 } });
});

sweep('declines one written-back value until the service holds another', async () => {
  const story = await openStory();
  mkdirSync(join(story.folder, 'drop', 'to-hr'), { recursive: true });
  story.configure({
    sources: { hr: { write_back: { drop: './drop/to-hr' } } },
    users: { fields: { telephone: { value: 'record.?phone', authority: 'service', write_back: true } } },
  });
  story.deliver([person('E1', { phone: '1' }), person('E2', { phone: '2' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '5' });
  expect((await story.plan()).json.to_sources).toEqual({ hr: { records: 1, cells: 1 } });
  expect((await decline(story, '--action', 'overwrite', '--field', 'phone')).code).toBe(0);
  const run = await story.sync();
  expect([run.code, run.json]).toMatchObject([0, { declined: [{ of: 'hr', key: 'E1', fields: ['phone'] }] }]);
  expect(readdirSync(join(story.folder, 'drop', 'to-hr'))).toEqual([]);
  expect((await story.plan()).json).not.toHaveProperty('to_sources');
  await story.editUser('E1', { telephone: '6' });
  expect((await story.sync()).json).toMatchObject({ to_sources: { hr: 1 } });
  expect(await listDeclined(story)).toEqual([]);
});

sweep(
  'keeps a declined delivery held, needs nobody any more, and ends the decline with the next delivery',
  async () => {
    const story = await openStory();
    story.configure({ sources: { hr: { shrink: { percent: 20 } } } });
    const rows = ['E1', 'E2', 'E3', 'E4', 'E5'].map((id) => person(id));
    story.deliver(rows);
    await story.sync();
    story.deliver(rows.slice(0, 2));
    const held = await story.plan();
    const [trip] = held.json.guards;
    expect([held.code, trip?.guard]).toEqual([3, expect.stringContaining('sources.hr.shrink:')]);
    expect((await decline(story, '--guard', trip?.guard ?? '')).code).toBe(0);
    const run = await story.sync();
    expect([run.code, run.json.guards]).toMatchObject([0, [{ declined: { reason: 'ticket 4711', until: null } }]]);
    expect((await story.status()).json.waiting.map(({ kind }) => kind)).toEqual(['declined']);
    story.deliver([...rows, person('E6')]);
    expect((await story.sync()).code).toBe(0);
    expect(await listDeclined(story)).toEqual([]);
  },
);

test('rejects a decline of a relink', async () => {
  const story = await openAfter(
    [person('E1', { title: 'A' }), TWO],
    [
      { ...person('E1', { title: 'A' }), status: 'left' },
      TWO,
      { ...person('N1'), last: 'E1', email: 'e1@example.com' },
    ],
  );
  const refused = await decline(story, '--action', 'relink');
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: 'SYNC_DECLINE_IDENTITY',
    remedy: expect.stringContaining('holds ack'),
  });
});

sweep.each([
  [['--who', 'user:E9'], 'SYNC_DECLINE_NOTHING'],
  [['--who', 'user:E1', '--field', 'title'], 'SYNC_DECLINE_NOTHING'],
  [['--who', 'user:E1', '--until', '2020-01-01'], 'SYNC_CLI_USAGE'],
  [['--who', 'user:E1', '--until', '2099-02-30'], 'SYNC_CLI_USAGE'],
  [[], 'SYNC_CLI_USAGE'],
] as const)('rejects %j', async (words, code) => {
  const story = await openAfter([ONE, TWO], [LEFT, TWO]);
  expect(JSON.parse((await decline(story, ...words)).stdout).error.code).toBe(code);
  expect(await listDeclined(story)).toEqual([]);
});

sweep('needs only one person to decline under four_eyes, and ends no decline by half an approval', async () => {
  const story = await openAfter([ONE, TWO], [LEFT, TWO]);
  story.configure({ approvals: { four_eyes: true } });
  await story.plan();
  expect((await decline(story, '--who', 'user:E1')).code).toBe(0);
  await story.plan();
  expect((await story.approve({ who: 'user:E1' })).json.approved).toBe(0);
  expect(await listDeclined(story)).toHaveLength(1);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').deactivated).toBe(false);
});

sweep('declines from an older plan only what the newest one still proposes', async () => {
  const story = await openAfter([ONE, TWO], [LEFT, { ...TWO, status: 'left' }]);
  const older = (await story.plan()).json.plan;
  story.deliver([ONE, { ...TWO, status: 'left' }]);
  await story.plan();
  const given = JSON.parse((await decline(story, older, '--action', 'deactivate')).stdout);
  expect(given.changes).toMatchObject([{ key: 'E2' }]);
  story.deliver([ONE, TWO]);
  await story.plan();
  const over = JSON.parse((await decline(story, older, '--who', 'user:E1')).stdout);
  expect(over.error).toMatchObject({
    code: 'SYNC_DECLINE_NOTHING',
    message: 'The newest plan proposes none of these changes.',
  });
});

sweep('keeps the value of a deactivated account if freeing it is declined', async () => {
  const story = await openAfter([ONE, TWO], [LEFT, TWO]);
  story.configure({ users: { parking_email: 'parked-{id}@example.com' } });
  await story.sync();
  story.deliver([LEFT, TWO, person('E9', { first: 'Zoe', last: 'Quist', email: 'e1@example.com' })]);
  expect((await story.plan()).json.guards).toMatchObject([{ guard: 'users.free_value', held: 1 }]);
  expect((await decline(story, '--guard', 'users.free_value')).code).toBe(0);
  const { json } = await story.sync();
  expect([json.guards, json.declined?.length]).toEqual([[], 1]);
  expect(story.users().map(({ email }) => email)).toContain('e1@example.com');
});
