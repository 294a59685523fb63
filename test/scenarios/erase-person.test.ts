import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { idsOf } from './cvs.js';
import { openStory, type Story } from './kit.js';

const JANE = { first: 'Jane', last: 'Quimby', email: 'jane.quimby@example.com', phone: '+47 9001 2233' };
/** Texts by which Jane could be identified. */
const TRACES = ['jane.quimby', 'Quimby', '9001 2233'];

interface Erased {
  readonly erased: boolean;
  readonly person: { readonly keys: readonly string[]; readonly emails: readonly string[] };
  readonly audit_entries: { readonly about: number; readonly restated: number };
  readonly rows: Readonly<Record<string, number>>;
  readonly removed: readonly string[];
  readonly left: readonly string[];
  readonly delivered: boolean;
  readonly in_service: string;
  readonly error?: { readonly code: string; readonly message: string; readonly place: string };
}

async function erase(story: Story, who: string, ...flags: readonly string[]): Promise<Erased & { code: number }> {
  const { code, stdout } = await story.type('audit', 'erase', who, '--reason', 'erasure request 7', '--json', ...flags);
  return { ...(JSON.parse(stdout) as Erased), code };
}

/** Files of the state folder whose bytes hold any of the texts. */
function findBytes(story: Story, texts: readonly string[]): readonly string[] {
  const folder = join(story.folder, 'var');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return paths
    .filter((path) => texts.some((text) => readFileSync(path).includes(text)))
    .map((path) => relative(folder, path))
    .sort();
}

/** Jane was created, moved, approved to leave, failed once, and owns a project; she is gone from HR and the service. */
async function openHistory(): Promise<Story> {
  const story = await openStory();
  story.configure({
    ...CRM,
    users: { fields: { telephone: 'record.?phone' } },
    guards: { users: { deactivate: { max: 0 } } },
  });
  const others = [person('E1'), person('E2')];
  story.deliver([...others, person('E7', JANE)]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([
    { id: 'P1', customer: 'C1', name: 'Dam', owners: ['jane.quimby@example.com', 'e1@example.com'] },
  ]);
  expect((await story.sync()).json.done).toBe(5);
  // The record is held, and therefore in the document of a run.
  story.deliver([...others, person('E7', { ...JANE, email: 'no address, Quimby' })]);
  expect((await story.sync()).json.held).toMatchObject([{ key: 'E7' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  story.deliver([...others, person('E7', { ...JANE, title: 'Lead', status: 'left' })]);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: 1 }]);
  await story.approve({ guard: 'users.deactivate', reason: 'Quimby has left' });
  expect((await story.sync()).json.done).toBe(1);
  return story;
}

sweep('first shows the stored data of a person; an erasure leaves no byte of it, and the audit verifies', async () => {
  const story = await openHistory();
  expect(findBytes(story, TRACES)).toContain('state.db');
  const before = await story.verify();
  const told = await erase(story, 'JANE.Quimby@example.com');
  expect(told).toMatchObject({
    code: 0,
    erased: false,
    person: { keys: ['E7'], emails: ['jane.quimby@example.com'] },
    audit_entries: { about: 2, restated: 3 },
    rows: { links: 1, objects: 1 },
    in_service: 'deactivated',
  });
  expect(told.removed.length).toBeGreaterThan(2);
  expect(await story.verify()).toEqual(before);
  const text = (await story.type('audit', 'erase', 'E7', '--reason', 'case 7')).stdout;
  expect(text).toContain('This would be erased:\n  person: Jane Quimby, ');
  expect(text).toContain('Nothing has been erased. To erase it, run the same command with --yes.');

  const done = await erase(story, 'E7', '--yes');
  expect(done).toMatchObject({ code: 0, erased: true, left: [] });
  expect({ ...done, erased: false, erasure: null, head: null }).toEqual({ ...told, erasure: null, head: null });
  expect(findBytes(story, TRACES)).toEqual([]);

  const verified = await story.verify();
  expect(verified.json).toMatchObject({ ok: true, erased: 5 });
  const { stdout } = await story.type('audit', 'list');
  expect(stdout).toMatch(/erased {6}hash [0-9a-f]{64}/);
  expect(stdout).toContain('person erased');
  // The log keeps what happened to others: the project has one owner less, without the name.
  const owners = (await story.type('audit', 'list', '--json')).stdout;
  expect(JSON.parse(owners)).toMatchObject({
    entries: expect.arrayContaining([
      expect.objectContaining({
        kind: 'restated',
        entry: expect.objectContaining({
          entity: 'projects',
          key: 'P1',
          action: 'update',
          before: { owners: ['e1@example.com', '[erased]'] },
          after: { owners: ['e1@example.com'] },
        }),
      }),
    ]),
  });

  // She is gone from HR and the service too: nothing brings her back.
  const id = story.user('E7');
  expect(id.deactivated).toBe(true);
  story.deliver([person('E1'), person('E2')]);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0, held: [], failed: [] } });
  expect(story.takeWrites()).toEqual([]);
  expect((await story.verify()).json.ok).toBe(true);
  expect((await story.status()).json.links).toMatchObject({ users: 2 });
});

sweep('warns of a person who is still delivered and active; the next run begins again with them', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E7', JANE)]);
  await story.sync();
  const done = await erase(story, 'user:jane.quimby@example.com', '--yes');
  expect(done).toMatchObject({ code: 0, delivered: true, in_service: 'active' });
  expect(findBytes(story, TRACES)).toEqual([]);
  story.takeWrites();
  // The run reads the person again, finds and adopts them by number, creates nobody twice and writes nothing.
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0, held: [] } });
  expect(story.takeWrites()).toEqual([]);
  expect(findBytes(story, TRACES)).toContain('state.db');
});

test('names backups, which it cannot edit, and repeats erasures after a restore', async () => {
  const story = await openHistory();
  const { file } = (await story.backup()).json;
  const done = await erase(story, 'E7', '--yes');
  const [left = '', ...more] = done.left;
  expect(more).toEqual([]);
  expect(file.endsWith(left)).toBe(true);
  expect(findBytes(story, TRACES)).toEqual([left]);
  // Twice: a repeated erasure is also on the list of the restored state.
  for (let time = 1; time <= 2; time++) {
    const { head } = (await story.verify()).json;
    const restored = await story.type('state', 'restore', file);
    expect(restored.stderr).toBe('');
    expect(restored.stdout).toContain('1 erasure made since the backup was repeated.');
    expect(restored.stdout).toContain(`! ${file} still contains those people`);
    expect(findBytes(story, TRACES)).toEqual([left]);
    const log = JSON.parse((await story.type('audit', 'list', '--json')).stdout) as {
      readonly entries: readonly { readonly kind: string }[];
    };
    expect(log.entries.filter(({ kind }) => kind === 'person erased' || kind === 'state restored')).toMatchObject([
      { kind: 'state restored', erasures_undone: 1 },
      { kind: 'person erased', reason: 'erasure request 7', restated: 3 },
    ]);
    const verified = await story.type('audit', 'verify', '--head', head);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain('belongs to the log that a restored backup replaced');
  }
  expect((await story.verify()).json).toMatchObject({ ok: true, erased: 5 });
  rmSync(file);
  // Only the kept copies of restored states are left, and she is in none of them.
  expect(findBytes(story, TRACES)).toEqual([]);
  story.deliver([person('E1'), person('E2')]);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0, failed: [] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('does not erase a successor with the same address', async () => {
  const story = await openHistory();
  const { file } = (await story.backup()).json;
  await erase(story, 'E7', '--yes');
  // A successor gets the address, and exists when the backup is restored.
  story.deliver([person('E1'), person('E2'), person('E8', { email: JANE.email })]);
  await story.others('PUT', `/api/v1/users/${(await idsOf(story, 'E7')).id}`, { user: { email: 'gone@example.com' } });
  expect((await story.sync({ full: true })).json).toMatchObject({ done: 1, failed: [] });
  expect((await story.restore(file)).json).toMatchObject({ erasures: { made: 1, due: 0 } });
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { done: 0, failed: [], held: [] } });
  expect((await story.status()).json.links.users).toBe(3);
  expect((await story.verify()).json.ok).toBe(true);
  expect(story.user('E8').email).toBe(JANE.email);
});

sweep('looks for a lost call of the backup first; the next run erases', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E7', JANE)]);
  await story.sync();
  // The process dies with the call in flight, and the backup is made at that moment.
  const state = new Database(join(story.folder, 'var', 'state.db'));
  state.prepare("UPDATE journal SET status = 'intent', outcome_at = NULL WHERE entity = 'users' AND key = 'E7'").run();
  state.close();
  const { file } = (await story.backup()).json;
  story.deliver([person('E1')]);
  await story.sync();
  await erase(story, 'E7', '--yes');
  const restored = await story.restore(file);
  expect(restored.json).toMatchObject({ open_intents: 1, erasures: { made: 0, due: 1 } });
  rmSync(file);
  expect(findBytes(story, TRACES)).toContain('state.db');
  expect(await story.sync()).toMatchObject({ json: { failed: [] } });
  expect((await story.verify()).json.ok).toBe(true);
  const kept = (await story.audit()).filter(({ key }) => key === 'E7' || key === 'e7');
  expect(kept).toEqual([]);
});

sweep('says that later erasures are unknown if no state shows them', async () => {
  const story = await openHistory();
  const { file } = (await story.backup()).json;
  for (const ending of ['', '-wal', '-shm']) rmSync(join(story.folder, 'var', `state.db${ending}`), { force: true });
  const restored = await story.type('state', 'restore', file);
  expect(restored.stdout).toContain('No previous state shows who was erased since the backup');
});

sweep('rejects an unknown name, a reason that names the person, and an address of two people', async () => {
  const story = await openHistory();
  expect(await erase(story, 'nobody@example.com')).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND' } });
  for (const reason of ['Jane Quimby asked', 'as Quimby asked', 'jane.quimby@example.com asked', ' ']) {
    const refused = await story.type('audit', 'erase', 'E7', '--reason', reason, '--yes');
    expect([reason, refused.code]).toEqual([reason, 1]);
    expect(refused.stderr).toContain('erasure request 4711');
  }
  // A successor gets the address, so it now belongs to two people.
  story.configure({ guards: { users: { deactivate: 'off' } } });
  story.deliver([person('E1'), person('E2', { email: 'e2.new@example.com' })]);
  await story.sync();
  story.deliver([
    person('E1'),
    person('E2', { email: 'e2.new@example.com' }),
    person('E9', { email: 'e2@example.com' }),
  ]);
  expect((await story.sync()).json.failed).toEqual([]);
  const refused = await erase(story, 'e2@example.com');
  expect(refused).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND', place: 'audit erase' } });
  expect(refused.error?.message).toContain('2 people are known by "e2@example.com"');
  const one = await erase(story, 'E2', '--yes');
  expect(one.person.emails).toEqual(['e2.new@example.com', 'e2@example.com']);
  // The successor's entries and link stay untouched.
  expect((await story.audit()).filter(({ key }) => key === 'E9')).toHaveLength(1);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
});

sweep('does not erase during a run', async () => {
  const story = await openHistory();
  const { acquireRunLock } = await import('../../src/store/run-lock.js');
  const lock = acquireRunLock(join(story.folder, 'var'), 'daemon, process 4711 on worker-1');
  expect(await erase(story, 'E7', '--yes')).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_LOCKED' } });
  lock.close();
  expect(findBytes(story, TRACES)).toContain('state.db');
});
