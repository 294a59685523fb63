import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const PEOPLE = ['E1', 'E2', 'E3'];

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver(PEOPLE.map((id) => person(id)));
  await story.sync();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3'), person('E4')]);
  story.takeWrites();
  return story;
}

const stateOf = ({ folder }: Story): string => join(folder, 'var');

/** Removes everything from the state folder except the named files. */
function keepOnly(story: Story, kept: readonly string[]): void {
  for (const name of readdirSync(stateOf(story)))
    if (!kept.includes(name)) rmSync(join(stateOf(story), name), { recursive: true });
}

const TRACES: readonly (readonly [string, readonly string[]])[] = [
  ['all but state.db', ['mirror.db', 'plans', 'run.lock', 'run.lock.holder', 'backups', 'reports']],
  ['mirror.db', ['mirror.db']],
  ['saved plans', ['plans']],
  ['the lock', ['run.lock', 'run.lock.holder']],
  ['run.lock', ['run.lock']],
];

test.each(oneIn(2, TRACES))(
  'only plans until an approval when state.db is gone and these files show it: %s',
  async (_, kept) => {
    const story = await openCompany();
    keepOnly(story, kept);
    expect(existsSync(join(stateOf(story), 'state.db'))).toBe(false);

    const plan = await story.plan();
    expect(plan).toMatchObject({ code: 3, json: { guards: [{ guard: 'state.lost', cause: 'state lost' }] } });
    expect(plan.json.guards[0]?.detail).toContain('state restore');
    for (let run = 0; run < 2; run++) {
      const ran = await story.sync();
      expect(ran).toMatchObject({ code: 3, json: { done: 0, guards: [{ guard: 'state.lost' }] } });
    }
    expect((await story.apply()).code).toBe(3);
    expect(story.takeWrites()).toEqual([]);
    expect((await story.status()).json.links.users).toBe(0);
    expect((await story.type('plan')).stdout).toContain('talent-sync approve --guard state.lost');

    const approved = await story.approve({ guard: 'state.lost', reason: 'ticket 1' });
    expect(approved).toMatchObject({ code: 0, json: { approved: 1, guards: ['state.lost'] } });
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 0, json: { done: 2, guards: [] } });
    expect(story.user('E1').title).toEqual({ en: 'Lead' });
    expect((await story.status()).json).toMatchObject({ approvals: 0, links: { users: 4 } });
    // From now on the state is an ordinary one.
    story.takeWrites();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0, guards: [] } });
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('does not hide the loss by a first command that only looks', async () => {
  const story = await openCompany();
  rmSync(join(stateOf(story), 'state.db'));
  await story.status();
  await story.runs();
  await story.type('audit', 'verify');
  expect(await story.sync()).toMatchObject({ code: 3, json: { guards: [{ guard: 'state.lost' }] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('does not take logs of a missing state.db for a state', async () => {
  const story = await openCompany();
  rmSync(join(stateOf(story), 'state.db'));
  writeFileSync(join(stateOf(story), 'state.db-wal'), 'left over');
  writeFileSync(join(stateOf(story), 'state.db-shm'), 'left over');
  expect(await story.sync()).toMatchObject({ code: 3, json: { guards: [{ guard: 'state.lost' }] } });
});

sweep('lists the loss as pending until it is approved, even if nothing else differs', async () => {
  const story = await openCompany();
  await story.sync();
  for (const differs of [false, true]) {
    if (differs) story.deliver(PEOPLE.map((id) => person(id, { title: 'Chief' })));
    rmSync(join(stateOf(story), 'state.db'));
    expect((await story.sync()).code).toBe(3);
    const waiting = async () => (await story.status()).json.waiting.map(({ kind, of }) => [kind, of]);
    expect(await waiting()).toEqual([['guard', 'state.lost']]);
    await story.approve({ guard: 'state.lost' });
    expect(await waiting()).toEqual([['approved', 'state.lost']]);
    expect((await story.sync()).code).toBe(0);
    expect(await waiting()).toEqual([]);
  }
});

sweep('counts a restored backup as a state, not as a loss', async () => {
  const story = await openCompany();
  const backup = (await story.backup()).json.file;
  rmSync(join(stateOf(story), 'state.db'));
  expect((await story.sync()).code).toBe(3);
  expect((await story.restore(backup)).code).toBe(0);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, guards: [] } });
});

sweep('releases nothing by an approval that is revoked or expires', async () => {
  const story = await openCompany();
  rmSync(join(stateOf(story), 'state.db'));
  await story.sync();
  const { approval } = (await story.approve({ guard: 'state.lost' })).json;
  expect((await story.approve({ revoke: approval })).code).toBe(0);
  expect((await story.sync()).code).toBe(3);
  await story.approve({ guard: 'state.lost', expires: 3_600_000 });
  story.clock.advance(2 * 3_600_000);
  expect((await story.sync()).code).toBe(3);
  expect(story.takeWrites()).toEqual([]);
});

sweep('rejects an approval before a plan has shown the loss', async () => {
  const story = await openCompany();
  expect((await story.approve({ guard: 'state.lost' })).error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
});

const NEW: readonly (readonly [string, (folder: string) => void])[] = [
  ['no folder', () => undefined],
  ['an empty folder', (folder) => void mkdirSync(folder)],
  [
    'a new volume',
    (folder) => {
      mkdirSync(join(folder, 'lost+found'), { recursive: true });
      writeFileSync(join(folder, '.gitkeep'), '');
    },
  ],
  ['a lock that was taken and released', (folder) => void mkdirSync(join(folder, 'plans'), { recursive: true })],
];

test.each(oneIn(1, NEW))('does not disturb a really new state: %s', async (_, make) => {
  const story = await openStory();
  make(stateOf(story));
  story.deliver(PEOPLE.map((id) => person(id)));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3, guards: [] } });
});

sweep('leaves no trace of a state after a first command that only looks, or is rejected', async () => {
  const story = await openStory();
  story.env.TALENT_API_KEY = 'wrong';
  story.deliver(PEOPLE.map((id) => person(id)));
  await story.status();
  expect((await story.sync()).code).toBe(1);
  story.env.TALENT_API_KEY = 'admin-key';
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3 } });
});

sweep('records the approval in the audit', async () => {
  const story = await openCompany();
  rmSync(join(stateOf(story), 'state.db'));
  await story.sync();
  await story.approve({ guard: 'state.lost', reason: 'disk replaced' });
  await story.sync();
  const listed = await story.type('audit', 'list', '--json');
  expect(listed.stdout).toContain('"state.lost"');
  expect(listed.stdout).toContain('disk replaced');
  expect((await story.verify()).json.ok).toBe(true);
  expect(readFileSync(join(stateOf(story), 'run.lock')).length).toBeGreaterThan(0);
});
