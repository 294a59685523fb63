import { appendFile, mkdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { createLocalStore } from '../../src/connectors/drop/local-store.js';
import { type Drop, type DropFile, openNewestFiles } from '../../src/connectors/drop-folder.js';
import { compareNames, matchesPattern } from '../../src/connectors/file-names.js';
import { buildContext, catchSyncError, FILE_TIME, makeFolder, NO_RULES, NOW, writeFileIn } from './fixtures.js';

const drop = (folder: string, pattern = 'hr-*.csv') => ({
  store: createLocalStore(folder),
  pattern,
  settleMs: 60_000,
  rules: NO_RULES,
});

describe('file names', () => {
  it.each([
    ['hr-1.csv', 'hr-*.csv', true],
    ['hr-.csv', 'hr-*.csv', true],
    ['hr-1.csv.tmp', 'hr-*.csv', false],
    ['hr-1xcsv', 'hr-?.csv', false],
    ['HR-1.csv', 'hr-*.csv', false],
    ['abcabd', '*ab?', true],
    ['[x].csv', '[x].csv', true],
  ])('%s against %s: %s', (name, pattern, expected) => {
    expect(matchesPattern(name, pattern)).toBe(expected);
  });

  it('does not take seconds over a hostile pattern', () => {
    expect(matchesPattern('a'.repeat(20_000), `${'*a'.repeat(50)}b`)).toBe(false);
  });

  it('orders numbers as numbers', () => {
    const names = ['p-10.csv', 'p-9.csv', 'p-2024-12-15.csv', 'p-2025-02-01.csv', 'p-09.csv'];
    expect(names.sort(compareNames)).toEqual([
      'p-09.csv',
      'p-9.csv',
      'p-10.csv',
      'p-2024-12-15.csv',
      'p-2025-02-01.csv',
    ]);
  });
});

/** The one file of a delivery that has no parts. */
async function openNewestFile(of: Drop, clock: Clock): Promise<DropFile> {
  const [file, ...others] = await openNewestFiles(of, clock);
  if (file === undefined || others.length > 0) throw new Error(`expected one file, found ${others.length + 1}`);
  return file;
}

describe('openNewestFiles', () => {
  it('takes the last in natural order, whatever the times, and overlooks what is no delivery', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-9.csv', 'new', FILE_TIME + 1_000);
    const path = await writeFileIn(folder, 'hr-10.csv', 'newest', FILE_TIME);
    await writeFileIn(folder, 'hr-99.csv.done', '');
    await writeFileIn(folder, '.hr-99.csv', 'hidden');
    await mkdir(join(folder, 'hr-99.csv'));
    const file = await openNewestFile(drop(folder, '*'), buildContext().clock);
    expect(file.at).toBe(path);
    expect(file.delivery).toBe(`hr-10.csv|6|${FILE_TIME}`);
    await file.assertUnchanged();
    await file.close();
  });

  it('looks twice at a young file, once at one with .done or an old one', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x', NOW - 1_000);
    const young = buildContext();
    await (await openNewestFile(drop(folder), young.clock)).close();
    expect(young.slept).toEqual([250]);
    await writeFileIn(folder, 'hr-1.csv.done', '');
    const done = buildContext();
    await (await openNewestFile(drop(folder), done.clock)).close();
    expect(done.slept).toEqual([]);
  });

  it('refuses a growing file rather than taking the older one', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x');
    const path = await writeFileIn(folder, 'hr-2.csv', 'x', NOW);
    const context = buildContext(() => appendFile(path, 'y'));
    const error = await catchSyncError(openNewestFile(drop(folder), context.clock));
    expect([error.code, error.kind, error.place]).toEqual(['SYNC_SOURCE_UNSETTLED', 'transient', path]);
  });

  it.each([
    ['grew', (path: string) => appendFile(path, 'y')],
    [
      'was replaced by its like',
      async (path: string) => {
        await unlink(path);
        await writeFileIn(join(path, '..'), 'other', '');
        await writeFileIn(join(path, '..'), 'hr-1.csv', 'x');
      },
    ],
    ['is gone', (path: string) => unlink(path)],
  ])('notices that the file %s while it was read', async (_, change) => {
    const folder = await makeFolder();
    const path = await writeFileIn(folder, 'hr-1.csv', 'x');
    const file = await openNewestFile(drop(folder), buildContext().clock);
    await change(path);
    const error = await catchSyncError(file.assertUnchanged());
    await file.close();
    expect(error.code).toBe('SYNC_SOURCE_UNSETTLED');
  });

  it('says what is there when nothing matches', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.cvs', 'x');
    const error = await catchSyncError(openNewestFile(drop(folder, 'hr-?.csv'), buildContext().clock));
    expect(error.code).toBe('SYNC_SOURCE_MISSING');
    expect(error.place).toBe(folder);
    expect(error.message).toContain('hr-?.csv');
    expect(error.message).toContain('Nearest: hr-1.cvs');
  });

  it('tells a missing folder from one that cannot be read', async () => {
    const folder = await makeFolder();
    const path = await writeFileIn(folder, 'file', 'x');
    const clock = buildContext().clock;
    expect((await catchSyncError(openNewestFile(drop(join(folder, 'no')), clock))).code).toBe('SYNC_SOURCE_MISSING');
    expect((await catchSyncError(openNewestFile(drop(path), clock))).code).toBe('SYNC_SOURCE_UNREADABLE');
    await symlink(folder, join(folder, 'hr-1.csv'));
    expect((await catchSyncError(openNewestFile(drop(folder), clock))).code).toBe('SYNC_SOURCE_UNREADABLE');
  });
});
