import { appendFile, mkdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Drop, type DropFile, openNewestFiles } from '../../../src/connectors/drop/drop-folder.js';
import { compareNames, matchesPattern } from '../../../src/connectors/drop/file-names.js';
import { createLocalStore } from '../../../src/connectors/drop/local-store.js';
import {
  buildContext,
  catchSyncError,
  FILE_TIME,
  makeFolder,
  NO_RULES,
  NOW,
  type TestContext,
  writeFileIn,
} from '../fixtures.js';
import { changeStore } from './writing.js';

const drop = (folder: string, context: TestContext = buildContext(), pattern = 'hr-*.csv'): Drop => ({
  source: 'hr',
  context,
  store: createLocalStore(folder),
  pattern,
  settleMs: 60_000,
  others: [],
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
  ])('match %s against %s: %s', (name, pattern, expected) => {
    expect(matchesPattern(name, pattern)).toBe(expected);
  });

  it('match a hostile pattern without taking seconds', () => {
    expect(matchesPattern('a'.repeat(20_000), `${'*a'.repeat(50)}b`)).toBe(false);
  });

  it('sort by the numbers in them', () => {
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

/** Opens the only file of a delivery without parts. */
async function openNewestFile(of: Drop): Promise<DropFile> {
  const { files } = await openNewestFiles(of);
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new Error(`expected one file, found ${others.length + 1}`);
  return file;
}

describe('openNewestFiles', () => {
  it('reports a newer file that nearly matches the pattern as overlooked, unless another pattern covers it', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'users_11_17_2026 9_00_00 AM.csv', 'taken', FILE_TIME);
    const newer = await writeFileIn(folder, 'users_11_18_2026 3_42_11 PM.csv', 'missed', FILE_TIME + 2_000);
    await writeFileIn(folder, 'users_11_16_2026 3_42_11 PM.csv', 'older', FILE_TIME - 1_000);
    await writeFileIn(folder, 'guests_11_18_2026 3_42_11 PM.csv', 'other', FILE_TIME + 2_000);
    await writeFileIn(folder, 'users_11_18_2026 3_42_11 PM.txt', 'other', FILE_TIME + 2_000);
    const of = drop(folder, buildContext(), 'users_* AM.csv');
    const look = async (one: Drop) => {
      const { files, overlooked } = await openNewestFiles(one);
      for (const file of files) await file.close();
      return overlooked;
    };
    const arrivedAt = new Date(FILE_TIME + 2_000).toISOString();
    expect(await look(of)).toEqual({ at: newer, arrivedAt, files: 1, pattern: 'users_* AM.csv' });
    expect(await look({ ...of, others: ['users_* PM.csv'] })).toBeNull();
  });

  it('takes the last file in natural order, whatever the times, and ignores other entries', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-9.csv', 'new', FILE_TIME + 1_000);
    const path = await writeFileIn(folder, 'hr-10.csv', 'newest', FILE_TIME);
    await writeFileIn(folder, 'hr-99.csv.done', '');
    await writeFileIn(folder, '.hr-99.csv', 'hidden');
    await mkdir(join(folder, 'hr-99.csv'));
    const file = await openNewestFile(drop(folder, buildContext(), '*'));
    expect(file.at).toBe(path);
    expect(file.delivery).toBe(`hr-10.csv|6|${FILE_TIME}`);
    await file.assertUnchanged();
    await file.close();
  });

  it.each([
    ['written a second ago', NOW - 1_000, 59_000],
    ['with a time in the future', NOW + 3_600_000, 60_000],
    ['written a minute ago', NOW - 60_000, null],
  ])('waits for a file %s until it is unchanged for `settle`', async (_, timeMs, waits) => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x', timeMs);
    const context = buildContext();
    await (await openNewestFile(drop(folder, context))).close();
    expect(context.slept).toEqual(waits === null ? [] : [waits]);
  });

  it('does not wait for a file with .done or a trailer, or one seen unchanged by an earlier run', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x', NOW + 3_600_000);
    const context = buildContext();
    const trailer = { firstCell: 'TRAILER', countIndex: 1 };
    const own = await openNewestFile({ ...drop(folder, context), rules: { ...NO_RULES, trailer } });
    expect(own.isYoung).toBe(true);
    await own.close();
    const later = { ...context, clock: { ...context.clock, now: () => NOW + 60_000 } };
    await (await openNewestFile(drop(folder, later))).close();
    await writeFileIn(folder, 'hr-2.csv', 'x', NOW);
    await writeFileIn(folder, 'hr-2.csv.done', '');
    await (await openNewestFile(drop(folder, context))).close();
    expect(context.slept).toEqual([]);
  });

  it('says how long to leave the file alone if it may not wait, or if waiting would take minutes', async () => {
    const folder = await makeFolder();
    const path = await writeFileIn(folder, 'hr-1.csv', 'x', NOW - 12_000);
    const silent = { ...buildContext(), onUnsettled: null };
    const error = await catchSyncError(openNewestFile(drop(folder, silent)));
    expect([error.code, error.place]).toEqual(['SYNC_SOURCE_UNSETTLED', path]);
    expect(error.message).toContain('not changed for 60 s (`settle`), in 48 s');
    const slow = { ...drop(folder), settleMs: 900_000 };
    expect((await catchSyncError(openNewestFile(slow))).message).toContain('15 min');
  });

  it('checks a seemingly old file again if the clock of the server may differ', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x', NOW - 300_000);
    const context = buildContext();
    const far = { ...drop(folder, context), store: changeStore(createLocalStore(folder), { clockErrorMs: 900_000 }) };
    await (await openNewestFile(far)).close();
    expect(context.slept).toEqual([60_000]);
  });

  it('rejects a growing file instead of taking the older one', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.csv', 'x');
    const path = await writeFileIn(folder, 'hr-2.csv', 'x', NOW);
    const context = buildContext(() => appendFile(path, 'y'));
    const error = await catchSyncError(openNewestFile(drop(folder, context)));
    expect([error.code, error.kind, error.place]).toEqual(['SYNC_SOURCE_UNSETTLED', 'transient', path]);
  });

  it.each([
    ['grew', (path: string) => appendFile(path, 'y')],
    [
      'was replaced by an equal one',
      async (path: string) => {
        await unlink(path);
        await writeFileIn(join(path, '..'), 'other', '');
        await writeFileIn(join(path, '..'), 'hr-1.csv', 'x');
      },
    ],
    ['was deleted', (path: string) => unlink(path)],
  ])('notices that a file %s while it was read', async (_, change) => {
    const folder = await makeFolder();
    const path = await writeFileIn(folder, 'hr-1.csv', 'x');
    const file = await openNewestFile(drop(folder));
    await change(path);
    const error = await catchSyncError(file.assertUnchanged());
    await file.close();
    expect(error.code).toBe('SYNC_SOURCE_UNSETTLED');
  });

  it('names the nearest file if nothing matches', async () => {
    const folder = await makeFolder();
    await writeFileIn(folder, 'hr-1.cvs', 'x');
    const error = await catchSyncError(openNewestFile(drop(folder, buildContext(), 'hr-?.csv')));
    expect(error.code).toBe('SYNC_SOURCE_MISSING');
    expect(error.place).toBe(folder);
    expect(error.message).toContain('hr-?.csv');
    expect(error.message).toContain('Nearest: hr-1.cvs');
  });

  it('distinguishes a missing folder, an unreadable one and a link', async () => {
    const folder = await makeFolder();
    const path = await writeFileIn(folder, 'file', 'x');
    expect((await catchSyncError(openNewestFile(drop(join(folder, 'no'))))).code).toBe('SYNC_SOURCE_MISSING');
    expect((await catchSyncError(openNewestFile(drop(path)))).code).toBe('SYNC_SOURCE_UNREADABLE');
    await symlink('.', join(folder, 'hr-1.csv'));
    expect((await catchSyncError(openNewestFile(drop(folder)))).code).toBe('SYNC_SOURCE_LINK');
  });
});
