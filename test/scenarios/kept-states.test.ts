import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { type MigrationJournal, openOlder } from '../older-state.js';
import { person } from './company.js';
import { openStory } from './kit.js';

/** The states that `test/store/upgrade.test.ts` opens sync here, next to a mirror of their time. */
const KEPT = join(ROOT, 'test', 'store', 'kept-states');

function listTags(kind: 'state' | 'mirror'): readonly string[] {
  const file = join(ROOT, 'migrations', kind, 'meta', '_journal.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as MigrationJournal).entries.map(({ tag }) => tag);
}

const MIRRORS = listTags('mirror');
const PAIRS = listTags('state').map((state, at) => [state, MIRRORS[Math.min(at, MIRRORS.length - 1)] ?? ''] as const);

test('covers each version of either file', () => {
  expect([...new Set(PAIRS.map(([, mirror]) => mirror))]).toEqual(MIRRORS);
});

describe.each(oneIn(8, PAIRS))('a folder with a state of %s and a mirror of %s', (state, mirror) => {
  test('syncs without creating linked people again, creates a joiner, and has nothing to do in the next run', async () => {
    const story = await openStory();
    const folder = join(story.folder, 'var');
    mkdirSync(folder);
    const older = openOlder('state', folder, state);
    older.exec(readFileSync(join(KEPT, `${state}.sql`), 'utf8'));
    older.exec("UPDATE facts SET value = '127.0.0.1' WHERE name = 'account'");
    older.close();
    openOlder('mirror', folder, mirror).close();
    story.deliver([person('E2')]);
    const { code, json } = await story.sync();
    expect({ code, counts: json.counts, failed: json.failed }).toMatchObject({
      counts: { users: { create: 1 } },
      failed: [],
    });
    expect(story.user('E2').deactivated).toBe(false);
    expect((await story.verify()).json.ok).toBe(true);
    expect((await story.sync()).json.counts).toEqual({});
  });
});

test('rejects a state of a newer version in every command, and says how to go back', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  const file = join(story.folder, 'var', 'state.db');
  const newer = new Database(file);
  newer.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of the next version', 9999999999999)");
  newer.close();
  const before = readFileSync(file);
  for (const words of [['plan'], ['sync'], ['apply'], ['status'], ['runs'], ['audit', 'verify']]) {
    const { code, stdout, stderr } = await story.type(...words);
    expect([words, code]).toEqual([words, 1]);
    expect(`${stdout}${stderr}`, words.join(' ')).toContain('SYNC_STATE_NEWER');
    expect(`${stdout}${stderr}`, words.join(' ')).toContain('state restore');
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(join(story.folder, 'var'))).not.toContain('backups');
});
