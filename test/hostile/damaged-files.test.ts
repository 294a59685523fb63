import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { oneIn, sweep } from '../depth.js';
import { ACCOUNT, HEADER as COLUMNS, KEY, line, person } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';
import {
  configureCompanies,
  configurePeople,
  HEADER,
  type Measured,
  measure,
  repeat,
  writePieces,
} from './hostile-files.js';

const MOST_MIB = 250;
/** The message of a run that did not read to the end. */
const STOPPED = /SYNC_STOPPED|SYNC_SERVICE_DOWN/;

async function run(
  pieces: Iterable<string | Buffer>,
  { name = 'hr.csv', stopAfterMs = null }: { readonly name?: string; readonly stopAfterMs?: number | null } = {},
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await createSandbox({ fixture: ACCOUNT });
  closeAfterTest(sandbox);
  const drop = writePieces(join(folder, 'drop'), name, pieces);
  const config = (name.endsWith('.csv') ? configurePeople : configureCompanies)(folder, sandbox.url, drop);
  return measure(['plan', '--json', '--config', config], KEY, folder, stopAfterMs);
}

const MB = 'x'.repeat(1 << 20);
const rowOf = (i: number, first = 'A'): string => `E${i};${first};B;e${i}@example.com;no;Oslo\n`;
/** Rows, a mebibyte at a time. */
const many = (row: string): string => row.repeat(Math.ceil((1 << 20) / row.length));

describe('a hostile file is read with little memory', () => {
  const FILES: Readonly<
    Record<string, { readonly says: RegExp; readonly name?: string; pieces(): Iterable<string | Buffer> }>
  > = {
    'unreadable rows': {
      says: /SYNC_SOURCE_DAMAGED/,
      pieces: () => repeat(8, () => many('E1;too;few\n'), HEADER),
    },
    'rows without a cell, then one': {
      says: /SYNC_SOURCE_DAMAGED/,
      pieces: () => repeat(60, () => many(';;;;;\n'), HEADER, rowOf(1)),
    },
    'rows without a cell to the end': {
      says: /SYNC_SOURCE_EMPTY/,
      pieces: () => repeat(60, () => many(';;;;;\n'), HEADER),
    },
    'one line without an end': { says: /the row is longer/, pieces: () => repeat(60, () => MB, HEADER) },
    'an unclosed quote': {
      says: /never closed/,
      pieces: () => repeat(60, () => many(rowOf(1)), `${HEADER}E0;"oops;`),
    },
    'a million columns': { says: /SYNC_SOURCE_(HEADER|FORMAT)/, pieces: () => [`${'a;'.repeat(400_000)}\n`, rowOf(1)] },
    'rows of a million cells': {
      says: /fields/,
      pieces: () => repeat(6, () => `${';'.repeat(900_000)}x\n`, HEADER, rowOf(1)),
    },
    'cells of a megabyte': {
      says: /a text of 900000 characters/,
      pieces: () => repeat(40, (i) => rowOf(i, MB.slice(0, 900_000)), HEADER),
    },
    'keys of a megabyte': {
      says: /longer than 1000 characters/,
      pieces: () => repeat(40, (i) => `${MB.slice(0, 900_000)}${rowOf(i)}`, HEADER),
    },
    'nothing but NUL': { says: /SYNC_/, pieces: () => repeat(60, () => Buffer.alloc(1 << 20), HEADER) },
    'UTF-16 without a byte order mark': {
      says: /SYNC_SOURCE_DAMAGED/,
      pieces: () => [Buffer.from(`${HEADER}${'E1;too;few\n'.repeat(300_000)}`, 'utf16le')],
    },
    'NDJSON in one line': {
      says: /the line is longer/,
      name: 'a.ndjson',
      pieces: () => repeat(60, () => MB, '{"id":"1","name":"', '"}'),
    },
    'NDJSON with invalid lines': {
      says: /SYNC_SOURCE_DAMAGED/,
      name: 'a.ndjson',
      pieces: () => repeat(5, () => many('{"id":\n')),
    },
    'NDJSON a million deep': {
      says: /not valid JSON/,
      name: 'a.ndjson',
      pieces: () => ['{"id":"1","name":"a","x":', '['.repeat(1e6), ']'.repeat(1e6), '}\n'],
    },
    'JSON a million deep': {
      says: /SYNC_SOURCE_FORMAT/,
      name: 'a.json',
      pieces: () => ['[{"id":"1","name":"a","x":', '['.repeat(1e6), ']'.repeat(1e6), '}]'],
    },
    'JSON with one endless row': {
      says: /SYNC_SOURCE_FORMAT/,
      name: 'a.json',
      pieces: () => repeat(60, () => MB, '[{"id":"1","name":"', '"}]'),
    },
    'JSON rows of a million lists': {
      says: /SYNC_SOURCE_FORMAT/,
      name: 'a.json',
      pieces: () =>
        repeat(6, (i) => `${i === 0 ? '' : ','}{"id":"${i}","name":"a","l":[${'[],'.repeat(1e6)}1]}`, '[', ']'),
    },
    'JSON rows with the maximum of lists': {
      says: /"counts"/,
      name: 'a.json',
      pieces: () =>
        repeat(6, (i) => `${i === 0 ? '' : ','}{"id":"${i}","name":"a","l":[${'[],'.repeat(249_990)}1]}`, '[', ']'),
    },
    'JSON of a million names': {
      says: /SYNC_SOURCE_FORMAT/,
      name: 'a.json',
      pieces: () =>
        repeat(60, (i) => Array.from({ length: 20_000 }, (_, j) => `"k${i}_${j}":1,`).join(''), '{', '"z":1}'),
    },
  };
  for (const [what, { says, name, pieces }] of oneIn(4, Object.entries(FILES), 3)) {
    test(what, async () => {
      const { code, text, mib } = await run(pieces(), name === undefined ? {} : { name });
      expect(text).toMatch(says);
      expect(text).not.toMatch(/SYNC_INTERNAL/);
      expect([1, 3, 4]).toContain(text.includes('"counts"') && code === 0 ? 4 : code);
      expect(mib).toBeLessThan(MOST_MIB);
    });
  }

  for (const afterMs of oneIn(1, [2_500, 5_500])) {
    sweep(`stops ${afterMs} ms into a plan of 100,000 people`, async () => {
      const { code, text, stopMs } = await run(
        repeat(100_000, (i) => rowOf(i), HEADER),
        { stopAfterMs: afterMs },
      );
      expect(stopMs).not.toBeNull();
      expect([code, text]).toEqual([1, expect.stringMatching(STOPPED)]);
    });
  }

  sweep('stops while it reads unreadable rows', async () => {
    const { code, text, stopMs } = await run(
      repeat(200, () => many('E1;too;few\n'), HEADER),
      { stopAfterMs: 1_000 },
    );
    expect(stopMs).not.toBeNull();
    expect([code, text]).toEqual([1, expect.stringMatching(STOPPED)]);
  });
});

const people = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${line(person(`E${from + i}`))}\n`).join('');

const damaged = (rows: number): string => Array.from({ length: rows }, (_, i) => `Z${i};too;few\n`).join('');

sweep('accepts a thousand unreadable rows in any file and holds each; one more stops the source', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { create: 'off' } } });
  story.deliverText(`${COLUMNS}\n${people(0, 3)}${damaged(1_000)}`);
  const passed = await story.sync();
  expect([passed.code, passed.json.held.length]).toEqual([4, 1_000]);
  story.takeWrites();
  story.deliverText(`${COLUMNS}\n${people(0, 2)}${damaged(1_001)}`);
  const refused = await story.sync();
  expect([refused.code, refused.error?.code]).toEqual([1, 'SYNC_SOURCE_DAMAGED']);
  expect(refused.error?.message).toMatch(/^1001 of 1003 rows cannot be read.*1001 × SYNC_ROW_FIELDS, the first: .*:4:/);
  expect(story.takeWrites()).toEqual([]);
  // The operator may know better.
  story.configure({ sources: { hr: { max_bad_rows: '100%' } } });
  expect((await story.plan()).error?.code).not.toBe('SYNC_SOURCE_DAMAGED');
});

sweep('stops nothing for readable rows that the mapping holds: lists a thousand, counts the rest', async () => {
  const story = await openStory();
  const odd = Array.from({ length: 1_200 }, (_, i) => `${line(person(`X${i}`, { country: 'zz' }))}\n`).join('');
  story.deliverText(`${COLUMNS}\n${people(0, 2)}${odd}`);
  const { code, json } = await story.plan();
  expect(code).toBe(4);
  expect(json.held).toHaveLength(1_001);
  expect(json.held.at(-1)).toMatchObject({
    key: '*',
    entity: 'users',
    count: 200,
    reason: expect.stringMatching(/^200 more are held for the same cause.*such as X\d+, X\d+, X\d+\./),
  });
  const listed = JSON.parse((await story.type('holds', 'list', '--json')).stdout) as {
    holds: readonly { id: string; count?: number }[];
  };
  const sum = listed.holds.at(-1);
  expect([listed.holds.length, sum?.count]).toEqual([1_001, 200]);
  expect((await story.type('plan')).stdout).toMatch(/Held: .*\(1200\)/);
  const { json: explained } = await story.explain('user', 'X1199');
  expect(JSON.stringify(explained)).toContain('zz');
  // People acknowledge it like any other hold.
  expect((await story.type('holds', 'ack', sum?.id ?? '', '--reason', 'known')).code).toBe(0);
  expect((await story.plan()).json.held.at(-1)).toMatchObject({ acknowledged: { reason: 'known' } });
});
