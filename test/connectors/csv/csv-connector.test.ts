import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CsvSourceConfig } from '../../../src/connectors/csv/kind.js';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import { sweep } from '../../depth.js';
import {
  buildContext,
  catchSyncError,
  column,
  csvConfig,
  FILE_TIME,
  makeFolder,
  type ReadResult,
  readAll,
  writeFileIn,
} from '../fixtures.js';

async function readCsv(content: string | Buffer, rest: Partial<CsvSourceConfig> = {}): Promise<ReadResult> {
  const folder = await makeFolder();
  await writeFileIn(folder, 'hr.csv', content);
  return readAll(createFileConnector('hr', csvConfig(folder, rest), buildContext()));
}

async function failCsv(content: string, rest: Partial<CsvSourceConfig> = {}) {
  return catchSyncError(readCsv(content, rest));
}

const keys = (result: ReadResult) => result.records.map((record) => record.key);
const lines = (result: ReadResult) => result.records.map((record) => record.place.line);

describe('separators', () => {
  it.each([
    [',', 'id,name,age\n1,"a, b",3\n'],
    [';', 'id;name;"age"\n1;a, b;3\n'],
    ['\t', 'id\tname\tage\n1\ta, b\t3\n'],
    ['|', '\n"id"|name|age\n1|a, b|3\n'],
    ['sep=', 'sep=;\r\nid;name;age\r\n1;a, b;3\r\n'],
  ])('are detected: %j', async (_, content) => {
    const result = await readCsv(content);
    expect(result.records.map((record) => record.cells)).toEqual([{ id: '1', name: 'a, b', age: 3n }]);
    expect(result.evidence.complete).toBe(true);
  });

  it('can be configured, and are not counted inside quotes', async () => {
    expect((await readCsv('id:name:age\n1:x:3\n', { separator: ':' })).records).toHaveLength(1);
    expect((await readCsv('id;name;age;"a,b,c,d,e"\n1;x;3;y\n')).records).toHaveLength(1);
  });
});

describe('line numbers', () => {
  it('are correct with quoted newlines of both kinds, blank lines, mixed line ends and no last line end', async () => {
    const result = await readCsv('id,name,age\r\n1,"a\r\nb",1\r\n\r\n2,"c\n\nd",2\n3,e,3\r\n  \n4,f,4');
    expect(keys(result)).toEqual(['1', '2', '3', '4']);
    expect(lines(result)).toEqual([2, 5, 8, 10]);
    expect(result.records[0]?.cells.name).toBe('a\r\nb');
    expect(result.evidence).toMatchObject({ rows: 4, rejected: 0, complete: true });
  });

  it('include the sep= line', async () => {
    expect(lines(await readCsv('sep=,\nid,name,age\n1,a,1\n'))).toEqual([3]);
  });
});

describe('header', () => {
  it('reports missing columns and similar names', async () => {
    const error = await failCsv('Id-,Nmae,age\n1,a,1\n', { columns: { id: column('string'), name: column('string') } });
    expect(error.code).toBe('SYNC_SOURCE_HEADER');
    expect(error.place).toMatch(/hr\.csv:1$/);
    expect(error.message).toContain('"Nmae", "age"');
    expect(error.message).toContain('are not in the header. Did the export rename "id" to "Id-", "name" to "Nmae"?');
    expect(error.problems).toEqual([]);
  });

  it.each([
    [
      'an invisible character inside it',
      'id,na\u200bme,age',
      '"na\\u200bme" is not "name": it has U+200B ZERO WIDTH SPACE after "na"',
    ],
    [
      'a letter of another script',
      'id,nаme,age',
      '"nаme" is not "name": it has U+0430 CYRILLIC SMALL LETTER А, which looks like a Latin a after "n"',
    ],
    ['a full-width letter', 'id,name,ａge', '"ａge" is not "age": it has U+FF41 FULLWIDTH FORM OF a at the beginning'],
    [
      'an invisible character at its end',
      'id,name,age\u2060',
      '"age\\u2060" is not "age": it has U+2060 WORD JOINER after "age"',
    ],
  ])('is rejected if a name differs by %s, with an explanation of the difference', async (_, header, difference) => {
    const error = await failCsv(`${header}\n1,a,1\n`);
    expect(error.code).toBe('SYNC_SOURCE_HEADER');
    expect(error.message).toContain(difference);
  });

  it('suggests another separator if all of it is one name', async () => {
    const { message, remedy } = await failCsv('id~name~age\n1~a~1\n');
    expect(message).toContain('Columns "id", "name", "age" are not in the header. Found: ');
    expect(remedy).toContain('set `separator`');
  });

  it('rejects a duplicate name, but not two empty ones', async () => {
    expect((await failCsv('id,name,age,name\n')).code).toBe('SYNC_SOURCE_HEADER');
    expect((await readCsv('id,name,age,,\n1,a,1,,\n')).records).toHaveLength(1);
  });

  it('must have optional columns too, and may have undeclared ones', async () => {
    expect((await failCsv('id,name\n1,a\n')).message).toContain('"age"');
    expect((await readCsv('x,id,name,age\n9,1,a,\n')).records[0]?.cells).toEqual({ id: '1', name: 'a' });
  });

  it.each([
    ['Staff, as of Friday\n\nid;name;age\n1;a, b;1\n', 4],
    ['"Staff\r\nof all countries",,\r\nid,name,age\r\n1,"a, b",1\r\n', 4],
    ['Staff\nid,age\nid,name,age\n1,"a, b",1\n', 4],
  ])('is found below the titles of a report: %j', async (content, line) => {
    const result = await readCsv(content);
    expect(result.records.map(({ cells, place }) => [cells, place.line])).toEqual([
      [{ id: '1', name: 'a, b', age: 1n }, line],
    ]);
    expect(result.evidence).toMatchObject({ rows: 1, rejected: 0, complete: true });
  });

  it('is searched for in ten rows, and reported with its line if a column is missing', async () => {
    const { message, place } = await failCsv('Staff\n\nid,name\n1,a\n');
    expect(message).toBe('Column "age" is not in the header. Found: "id", "name".');
    expect(place).toMatch(/hr\.csv:3$/);
    expect((await readCsv(`${'Staff\n'.repeat(9)}id,name,age\n1,a,1\n`)).records).toHaveLength(1);
    expect((await failCsv(`${'Staff\n'.repeat(10)}id,name,age\n1,a,1\n`)).place).toMatch(/hr\.csv:1$/);
  });

  it.each(['\uFEFF', '\n\n', '"id,name\n1,a\n'])('cannot be missing: %j', async (content) => {
    expect((await failCsv(content)).code).toBe('SYNC_SOURCE_FORMAT');
  });
});

describe('rows', () => {
  it('rejects a ragged row under its doubtful key, and continues', async () => {
    const result = await readCsv('id,name,age\n1,a\n2,b,2,x\n3,c,3\n');
    expect(keys(result)).toEqual(['3']);
    expect(result.rejected).toMatchObject([
      { key: '1', keyDoubtful: true, code: 'SYNC_ROW_FIELDS', place: { line: 2 } },
      { key: '2', keyDoubtful: true, code: 'SYNC_ROW_FIELDS', place: { line: 3 } },
    ]);
    expect(result.rejected[0]?.reason).toContain('has 2 fields, the header has 3');
    expect(result.rejected.map(({ remedy }) => remedy)).toEqual([
      expect.stringContaining('an empty cell needs its separator too, and a line break inside a cell needs quotes'),
      expect.stringContaining('a separator inside a cell needs quotes'),
    ]);
    expect(result.evidence).toMatchObject({ rows: 3, rejected: 2, complete: true });
  });

  it('takes a truncated last line as a sign of a truncated file', async () => {
    const result = await readCsv('id,name,age\n1,a,1\n2,b');
    expect(result.evidence.complete).toBe(false);
    expect(result.evidence.incompleteBecause).toContain('truncated');
  });

  it('rejects a row with a bad cell under its key', async () => {
    const result = await readCsv('id,name,age\n1,a,old\n');
    expect(result.rejected).toMatchObject([{ key: '1', code: 'SYNC_ROW_CELL' }]);
    expect(result.rejected[0]?.keyDoubtful).toBeUndefined();
    expect(result.rejected[0]?.reason).toBe('hr hr.csv:2: column "age" has "old", expected a whole number such as 42.');
    expect(result.evidence.complete).toBe(true);
  });

  it('proves no absence with a row without a key', async () => {
    const result = await readCsv('id,name,age\n \u00a0,a,1\n2,b,2\n');
    expect(result.rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_KEY', place: { line: 2 } }]);
    expect(result.evidence).toMatchObject({ complete: false, rows: 2, rejected: 1 });
  });

  it('ignores empty rows at the end, but not in the middle', async () => {
    const end = await readCsv('id,name,age\n1,a,1\n,,\n,\n,,\n');
    expect(end.evidence).toMatchObject({ rows: 1, complete: true });
    const middle = await readCsv('id,name,age\n1,a,1\n,,\n2,b,2\n');
    expect(middle.rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_KEY', place: { line: 3 } }]);
    expect(middle.evidence.complete).toBe(false);
  });

  it.each([
    ['never closed', 'id,name,age\n1,a,1\n2,"b,2\n3,c,3\n', 3],
    ['in the middle of a field', 'id,name,age\n1,"x\ny",1\n2,b"b,2\n3,c,3\n', 4],
    ['followed by text', 'id,name,age\n1,a,1\n2,"b"b,2\n3,c,3\n', 3],
  ])('stops at a quote that is %s', async (_, content, line) => {
    const result = await readCsv(content);
    expect(keys(result)).toEqual(['1']);
    expect(result.rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_FORMAT', place: { line } }]);
    expect(result.evidence.complete).toBe(false);
    expect(result.evidence.incompleteBecause).toContain(`line ${line}`);
    expect(result.evidence.digest).toBe(createHash('sha256').update(content).digest('hex'));
  });

  sweep('gives up on a quote that swallows megabytes', async () => {
    const result = await readCsv(`id,name,age\n1,"${'x,'.repeat(1_500_000)}\n`);
    expect(result.rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_FORMAT', place: { line: 2 } }]);
  });

  it('delivers duplicate keys unchanged', async () => {
    expect(keys(await readCsv('id,name,age\n1,a,1\n1,b,2\n'))).toEqual(['1', '1']);
  });
});

describe('evidence', () => {
  it('describes the delivery and its content', async () => {
    const content = 'id,name,age\n1,a,1\n';
    const { evidence } = await readCsv(content);
    expect(evidence).toMatchObject({ source: 'hr', kind: 'drop', readAt: '2026-01-01T13:00:00.000Z', rows: 1 });
    expect(evidence.delivery).toBe(`hr.csv|${content.length}|${FILE_TIME}`);
    expect(evidence.digest).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it('is not complete without rows', async () => {
    expect((await readCsv('id,name,age\n')).evidence).toMatchObject({ complete: false, incompleteBecause: 'no rows' });
  });
});

sweep('reads 100,000 rows in batches of at most 250, wherever the chunks end', async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `${i},"Ægir ""${i}""\r\nÅs",${i % 90}`);
  const result = await readCsv(`id,name,age\r\n${rows.join('\r\n')}\r\n`);
  expect(result.evidence).toMatchObject({ rows: 100_000, rejected: 0, complete: true });
  expect(Math.max(...result.batches.map((batch) => batch.records.length))).toBe(250);
  const wrong = result.records.filter(
    ({ key, cells, place }, i) =>
      key !== String(i) ||
      cells.name !== `Ægir "${i}"\r\nÅs` ||
      cells.age !== BigInt(i % 90) ||
      place.line !== 2 + 2 * i,
  );
  expect(wrong).toEqual([]);
});

describe('a footer', () => {
  const FOOTER =
    '\n"All people"\n"Copyright (c) 2000-2026 salesforce.com, inc."\n"Confidential Information - Do Not Distribute"\n';
  const FILE = `id,name,age\n1,a,1\n2,b,2\n${FOOTER}`;
  const auto = (rules: Partial<CsvSourceConfig['rules']> = {}) => ({
    rules: { ...csvConfig('').rules, footer: 'auto' as const, ...rules },
  });
  const trailer = { firstCell: 'TRAILER', countIndex: 1 };

  it('is left out and counted if the source allows it', async () => {
    const { evidence, rejected } = await readCsv(FILE, auto());
    expect(rejected).toEqual([]);
    expect(evidence).toMatchObject({ rows: 2, rejected: 0, complete: true, footer: { lines: 3 } });
    expect(evidence.footer?.at).toMatch(/hr\.csv:5$/);
  });

  it('is read as rows by default', async () => {
    const { evidence } = await readCsv(FILE);
    expect(evidence).toMatchObject({ rows: 5, rejected: 3 });
    expect(evidence.footer).toBeUndefined();
  });

  it.each([
    ['a truncated record', 'id,name,age\n1,a,1\n2,b'],
    ['a truncated record after a total', 'id,name,age\n1,a,1\nTotal,,1\n2'],
    ['a record that is only a key, below an empty line', 'id,name,age\n1,a,1\n\n2\n'],
    ['a quote that is never closed, after a total', 'id,name,age\n1,a,1\nTotal,,1\n2,"b,2\n'],
  ])('is not assumed at the end of a truncated file: %s', async (_, content) => {
    const plain = await readCsv(content);
    const { evidence, rejected } = await readCsv(content, auto());
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.map(({ code, key }) => [code, key])).toEqual(plain.rejected.map(({ code, key }) => [code, key]));
    const { rows, complete, incompleteBecause } = plain.evidence;
    expect(evidence).toMatchObject({ rows, complete, ...(complete ? {} : { incompleteBecause }) });
  });

  it('does not replace a trailer row, and cannot follow one', async () => {
    expect((await failCsv(FILE, auto({ trailer }))).code).toBe('SYNC_SOURCE_CUT');
    const whole = await readCsv(`id,name,age\n1,a,1\n\nPage 1 of 1\nTRAILER,1\n`, auto({ trailer }));
    expect(whole.evidence).toMatchObject({ rows: 1, complete: true, footer: { lines: 1 } });
    expect((await failCsv(`id,name,age\n1,a,1\nTRAILER,1\nPage 1 of 1\n`, auto({ trailer }))).code).toBe(
      'SYNC_SOURCE_CUT',
    );
  });
});
