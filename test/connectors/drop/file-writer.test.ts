import { readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import { collectGarbage } from '../../collect-garbage.js';
import { sweep } from '../../depth.js';
import {
  buildContext,
  catchSyncError,
  column,
  csvConfig,
  makeFolder,
  NO_RULES,
  NOW,
  readAll,
  writeFileIn,
} from '../fixtures.js';
import { backTo, FILE, MOBILE, openWriter, RUN, readFolder, tell, writeAll } from './writing.js';

const done = (record: string, at = FILE) => ({ record, status: 'done', at, requestId: null });

describe('a delivery', () => {
  it('is one file with a header, quoted where needed, and reports each record as done', async () => {
    const folder = await makeFolder();
    const outcomes = await writeAll(openWriter(backTo(folder, { columns: ['id', 'mobile', 'note'] })), [
      tell('1', { mobile: '+47 22', note: 'a;b "c"\r\nd\re' }),
      { record: '2', cells: { mobile: null }, row: { mobile: 'old', note: '=1+1' } },
    ]);
    expect(outcomes).toEqual([done('1'), done('2')]);
    expect(await readFolder(folder)).toEqual({
      [FILE]: 'id;mobile;note\r\n1;+47 22;"a;b ""c""\r\nd\re"\r\n2;;=1+1\r\n',
    });
  });

  it('has the configured columns in order, separator, byte order mark and encoding', async () => {
    const folder = await makeFolder();
    const rest = { columns: ['mobile', 'id', 'none'], separator: '\t', bom: true, encoding: 'utf-16le' };
    await writeAll(openWriter(backTo(folder, rest)), [tell('1', { mobile: 'ø' })]);
    expect(readFileSync(join(folder, FILE)).toString('hex')).toBe(
      Buffer.from('\uFEFFmobile\tid\tnone\r\nø\t1\t\r\n', 'utf16le').toString('hex'),
    );
  });

  it('repeats unchanged records without reporting them', async () => {
    const folder = await makeFolder();
    const outcomes = await writeAll(openWriter(backTo(folder, { rows: 'all' })), [
      { record: '1', cells: {}, row: { mobile: '11' } },
      { record: '2', cells: { mobile: '22' }, row: { mobile: '22' } },
    ]);
    expect(outcomes).toEqual([done('2')]);
    expect(await readFolder(folder)).toEqual({ [FILE]: 'id;mobile\r\n1;11\r\n2;22\r\n' });
  });

  it.each([
    ['no record', []],
    ['no record with a change', [{ record: '1', cells: {}, row: { mobile: '11' } }]],
  ])('is not written for %s', async (_, writes) => {
    const folder = await makeFolder();
    expect(await writeAll(openWriter(backTo(folder)), writes)).toEqual([]);
    expect(await readFolder(folder)).toEqual({});
  });

  it('omits records that cannot be written, with a reason that shows no value, and has the others', async () => {
    const folder = await makeFolder();
    const columns = { ...MOBILE, age: column('int', { optional: true }) };
    const back = backTo(folder, { encoding: 'windows-1252', columns: ['id', 'mobile', 'age'] });
    const outcomes = await writeAll(openWriter(back, columns), [
      tell('1', { mobile: 'Wałęsa' }),
      tell('2', { mobile: '€ ø' }),
      tell('3', { age: 'SECRET' }),
      tell('4', { email: 'SECRET' }),
      tell(' ', { mobile: '1' }),
      tell('6', { mobile: '\ud800' }),
    ]);
    expect(outcomes.map(({ record, status, message }) => [record, status, message])).toEqual([
      ['1', 'refused', 'column "mobile" has a character that does not exist in windows-1252 (U+0142)'],
      ['3', 'refused', expect.stringContaining('column "age" takes a whole number such as 42')],
      ['4', 'refused', expect.stringContaining('the files have no column "email"')],
      [' ', 'refused', 'it has no key'],
      ['6', 'refused', expect.stringContaining('(U+D800)')],
      ['2', 'done', undefined],
    ]);
    expect(JSON.stringify(outcomes)).not.toContain('SECRET');
    expect(readFileSync(join(folder, FILE), 'latin1')).toBe('id;mobile;age\r\n2;\x80 ø;\r\n');
  });

  it('is not written if the encoding lacks characters of the header', async () => {
    const folder = await makeFolder();
    const writer = openWriter(backTo(folder, { encoding: 'windows-1252', columns: ['id', 'płeć'] }));
    const error = await catchSyncError(writeAll(writer, [tell('1', { płeć: 'x' })]));
    expect([error.code, error.message]).toEqual(['SYNC_SOURCE_ENCODING', expect.stringContaining('"płeć"')]);
    expect(await readFolder(folder)).toEqual({});
  });

  it('is not written if every record is rejected', async () => {
    const folder = await makeFolder();
    const outcomes = await writeAll(openWriter(backTo(folder)), [tell('1', { mobile: 'a\u0000' })]);
    expect(outcomes.map(({ status }) => status)).toEqual(['refused']);
    expect(await readFolder(folder)).toEqual({});
  });

  it('is named after the date and time in the configured time zone', async () => {
    const folder = await makeFolder();
    const writer = openWriter(backTo(folder, { name: 'T_{date}_{time}_{run}.csv' }));
    const [outcome] = await writeAll(writer, [tell('1', { mobile: '1' })]);
    expect(outcome?.at).toBe('T_20260101_140000_r1.csv');
  });

  it('has a manifest that our own reader accepts and verifies', async () => {
    const folder = await makeFolder();
    await writeAll(openWriter(backTo(folder, { manifest: true })), [
      tell('1', { mobile: 'a\nb' }),
      tell('2', { mobile: 'ø' }),
    ]);
    const manifest = { pattern: '{file}.done', rows: '/rows', sha256: '/sha256' };
    const config = csvConfig(folder, { columns: MOBILE, pattern: 'talent-*.csv', rules: { ...NO_RULES, manifest } });
    const context = buildContext();
    const result = await readAll(createFileConnector('hr', config, context));
    expect(result.records.map(({ cells }) => cells)).toEqual([
      { id: '1', mobile: 'a\nb' },
      { id: '2', mobile: 'ø' },
    ]);
    await writeFileIn(folder, FILE, 'id;mobile\r\n1;x\r\n');
    expect((await catchSyncError(readAll(createFileConnector('hr', config, context)))).code).toBe('SYNC_SOURCE_CUT');
  });

  it('costs one file', () => {
    const writer = openWriter(backTo('/nowhere', { manifest: true }));
    expect([writer.forecast(0), writer.forecast(1), writer.forecast(100_000)]).toEqual([
      { file: 0 },
      { file: 1 },
      { file: 1 },
    ]);
  });
});

describe('the file writer, in a folder with files', () => {
  const writes = [tell('1', { mobile: '1' })];

  it('accepts an identical delivery as done, and adds its missing manifest', async () => {
    const folder = await makeFolder();
    await writeAll(openWriter(backTo(folder)), writes);
    const before = statSync(join(folder, FILE)).ino;
    const again = openWriter(backTo(folder, { manifest: true }));
    expect(await again.wasDelivered?.(RUN)).toBe(false);
    for (const _ of [1, 2]) expect(await writeAll(again, writes)).toEqual([done('1')]);
    expect(statSync(join(folder, FILE)).ino).toBe(before);
    expect(Object.keys(await readFolder(folder)).sort()).toEqual([FILE, `${FILE}.done`]);
    expect(await again.wasDelivered?.(RUN)).toBe(true);
  });

  it.each([FILE, `${FILE}.done`])('never replaces another %s', async (name) => {
    const folder = await makeFolder();
    await writeFile(join(folder, name), 'theirs');
    const error = await catchSyncError(writeAll(openWriter(backTo(folder, { manifest: true })), writes));
    expect([error.code, error.place]).toEqual(['SYNC_SOURCE_UNWRITABLE', join(folder, name)]);
    expect((await readFolder(folder))[name]).toBe('theirs');
  });

  it('takes a partial file as proof of a failed delivery, but an empty folder as no proof', async () => {
    const folder = await makeFolder();
    const writer = openWriter(backTo(folder));
    expect(await writer.wasDelivered?.(RUN)).toBeNull();
    await writeFile(join(folder, `.${FILE}.partial`), 'id;mob');
    expect(await writer.wasDelivered?.(RUN)).toBe(false);
    expect(await writeAll(writer, writes)).toEqual([done('1')]);
    expect(await readFolder(folder)).toEqual({ [FILE]: 'id;mobile\r\n1;1\r\n' });
  });

  it('deletes its own old partial files, but not recent or foreign ones', async () => {
    const folder = await makeFolder();
    const names = ['.talent-r0.csv.partial', '.talent-r0.csv.done.partial', '.other.csv.partial', 'talent-r0.csv'];
    for (const name of names) await writeFileIn(folder, name, 'x', NOW - 3_700_000);
    await writeFileIn(folder, '.talent-r9.csv.partial', 'x', NOW - 3_500_000);
    await writeAll(openWriter(backTo(folder)), writes);
    expect(Object.keys(await readFolder(folder)).sort()).toEqual([
      '.other.csv.partial',
      '.talent-r9.csv.partial',
      'talent-r0.csv',
      FILE,
    ]);
  });
});

describe('a folder that cannot be written to', () => {
  it('is reported by the delivery and the check, and is never created', async () => {
    const folder = join(await makeFolder(), 'not-mounted');
    const writer = openWriter(backTo(folder));
    expect((await catchSyncError(writeAll(writer, [tell('1', { mobile: '1' })]))).code).toBe('SYNC_SOURCE_MISSING');
    expect((await catchSyncError(writer.probe())).code).toBe('SYNC_SOURCE_MISSING');
    await writeFile(folder, 'a file');
    const error = await catchSyncError(writer.probe());
    expect([error.code, error.message]).toEqual(['SYNC_SOURCE_UNWRITABLE', expect.stringContaining('is not a folder')]);
    expect((await catchSyncError(writeAll(writer, [tell('1', { mobile: '1' })]))).code).toBe('SYNC_SOURCE_UNREADABLE');
  });

  it('is reported with a remedy if a file cannot be created in it', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, `.${FILE}.partial`));
    const error = await catchSyncError(writeAll(openWriter(backTo(folder)), [tell('1', { mobile: '1' })]));
    expect(error.code).toBe('SYNC_SOURCE_UNWRITABLE');
    expect(error.remedy).toContain('permission to write');
  });

  it('contains nothing new after a check', async () => {
    const folder = await makeFolder();
    expect(await openWriter(backTo(folder)).probe()).toEqual({ at: folder, detail: 'writes talent-{run}.csv' });
    expect(await readFolder(folder)).toEqual({});
  });
});

it('leaves no file if the run is stopped while records are read', async () => {
  const folder = await makeFolder();
  const stop = new AbortController();
  function* writes() {
    yield tell('1', { mobile: '1' });
    stop.abort(new Error('shutdown'));
    yield tell('2', { mobile: '2' });
  }
  await expect(writeAll(openWriter(backTo(folder)), writes(), RUN, stop.signal)).rejects.toThrow('shutdown');
  expect(await readFolder(folder)).toEqual({});
});

sweep('writes 100,000 records without holding them in memory', async () => {
  const folder = await makeFolder();
  const held: number[] = [];
  function* writes() {
    for (let i = 0; i < 100_000; i++) {
      if (i % 25_000 === 1_000) {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        held.push(heapUsed + external);
      }
      yield tell(`e${i}`, { mobile: `+47 ${i} ${'x'.repeat(500)}` });
    }
  }
  let count = 0;
  await openWriter(backTo(folder, { manifest: true })).write(writes(), RUN, () => count++);
  expect(count).toBe(100_000);
  expect(statSync(join(folder, FILE)).size).toBeGreaterThan(50_000_000);
  // 50 MB were written; only the keys stay in memory.
  expect(Math.max(...held) - (held[0] ?? 0)).toBeLessThan(20_000_000);
});
