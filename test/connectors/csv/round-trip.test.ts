import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import type { Columns } from '../../../src/model/column.js';
import type { Json } from '../../../src/model/json.js';
import { tries } from '../../depth.js';
import { backTo, openWriter, tell, writeAll } from '../drop/writing.js';
import { buildContext, column, csvConfig, makeFolder, NOW, readAll } from '../fixtures.js';

const optional = { optional: true };
const COLUMNS: Columns = {
  id: column('string'),
  // Ensures that a file in a single-byte encoding is not valid UTF-8 by chance.
  mark: column('string'),
  text: column('string', optional),
  whole: column('int', optional),
  number: column('number', optional),
  flag: column('bool', { ...optional, trueWords: ['ja'] }),
  day: column('date', { ...optional, format: 'dd.MM.yyyy' }),
  moment: column('datetime', optional),
  list: column('list', { ...optional, separator: '|' }),
};
const NAMES = Object.keys(COLUMNS);

const word = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom(
    '+47 22 00',
    '=1+1',
    '-5',
    '@me',
    'a;b',
    'a,b',
    '"',
    'say "hi"',
    'two\r\nlines',
    'a\rb',
    'a\nb',
    'a\tb',
    ' x ',
  ),
  fc.constantFrom('\uFEFF', 'Łódź', '東京', '€ø', 'é', '\ud800', '😀', 'sep=;', '0007', '\u0085'),
);
const moment = fc.date({ min: new Date('1970-01-02'), max: new Date('2090-01-01'), noInvalidDate: true });
const cells = fc.record({
  text: word,
  whole: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  flag: fc.boolean(),
  day: moment.map((date) => date.toISOString().slice(0, 10)),
  moment: moment.map((date) => date.toISOString()),
  list: fc.array(word, { maxLength: 3 }),
});
const format = fc.record({
  encoding: fc.constantFrom('utf-8', 'windows-1252', 'iso-8859-1', 'iso-8859-15', 'utf-16le', 'utf-16be'),
  separator: fc.constantFrom(';', ',', '\t', '|'),
  isMarked: fc.boolean(),
});

/** The cells that our own reader should produce from these values. */
function expectCells({ text, whole, number, day, moment: at, list, flag }: Record<string, Json>) {
  const items = (list as readonly string[]).map((item) => item.trim()).filter((item) => item !== '');
  const trimmed = String(text).trim();
  return {
    ...(trimmed === '' ? {} : { text: trimmed }),
    whole: BigInt(Number(whole)),
    number: Number(number) + 0,
    flag,
    day: expect.any(Date),
    dayText: day,
    moment: new Date(String(at)),
    ...(items.length === 0 ? {} : { list: items }),
  };
}

const asDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Oslo' });

it('writes values that our reader reads back unchanged, and another reader as the same texts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 8 }), format, async (rows, chosen) => {
      const { encoding, separator, isMarked } = chosen;
      const isUtf16 = encoding.startsWith('utf-16');
      const folder = await makeFolder();
      const back = backTo(folder, {
        encoding,
        separator,
        bom: isUtf16 || (isMarked && encoding === 'utf-8'),
        columns: NAMES,
        manifest: true,
      });
      const writes = rows.map((row, index) => tell(`k${index}`, { mark: 'øø', ...row }));
      const outcomes = await writeAll(openWriter(back, COLUMNS), writes);
      expect(outcomes.map(({ record }) => record).sort()).toEqual(writes.map(({ record }) => record).sort());
      const told = new Set(outcomes.filter(({ status }) => status === 'done').map(({ record }) => record));
      for (const { record, cells: values } of writes) {
        if (!told.has(record)) expect(cannotBeWritten(values, encoding)).toBe(true);
      }
      if (told.size === 0) return;
      const manifest = { pattern: '{file}.done', rows: '/rows', sha256: '/sha256' };
      const config = csvConfig(folder, { columns: COLUMNS, separator, encoding });
      const read = await readAll(
        createFileConnector('hr', { ...config, rules: { ...config.rules, manifest } }, buildContext()),
      );
      expect(read.rejected).toEqual([]);
      expect(read.records.map(({ key }) => key)).toEqual(
        writes.map(({ record }) => record).filter((key) => told.has(key)),
      );
      for (const { key, cells: found } of read.records) {
        const values = writes.find(({ record }) => record === key)?.cells ?? {};
        const dayText = found.day instanceof Date ? asDay.format(found.day) : null;
        expect({ ...found, dayText }).toEqual({ id: key, mark: 'øø', ...expectCells(values) });
      }
      const content = iconv.decode(await readFile(join(folder, 'talent-r1.csv')), encoding);
      const table = parse(content, {
        delimiter: separator,
        record_delimiter: '\r\n',
        bom: true,
      }) as readonly string[][];
      expect(table[0]).toEqual(NAMES);
      for (const [key = '', , text] of table.slice(1)) {
        expect(text).toBe(String(writes.find(({ record }) => record === key)?.cells.text).trim());
      }
    }),
    { numRuns: tries(40) },
  );
});

/** A record may be rejected for a character outside the encoding, a NUL, or an item that would be read as two. */
function cannotBeWritten({ text, list }: Readonly<Record<string, Json>>, encoding: string): boolean {
  const words = [String(text), ...(list as readonly string[])].map((item) => item.trim());
  const isFaulty = (item: string): boolean =>
    /\0|\p{Surrogate}/u.test(item) ||
    iconv.decode(iconv.encode(item, encoding, { addBOM: false }), encoding, { stripBOM: false }) !== item;
  return words.some(isFaulty) || words.slice(1).some((item) => item.includes('|'));
}

it('writes no file that the source would read as its own', async () => {
  const folder = await makeFolder();
  await writeAll(openWriter(backTo(folder)), [tell('1', { mobile: '1' })], { run: 'r2', atMs: NOW });
  const connector = createFileConnector('hr', csvConfig(folder, { pattern: 'hr-*.csv' }), buildContext());
  await expect(readAll(connector)).rejects.toThrow('No file matches hr-*.csv');
});
