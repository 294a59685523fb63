import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, HEADER, line, person } from './company.js';
import { openStory, type Story } from './kit.js';

/** Writes a file outside the drop, as HR would send it before the first delivery. */
function writeSample(story: Story, text: string, name = 'employees-new.csv'): string {
  const file = join(story.folder, 'samples', name);
  mkdirSync(join(story.folder, 'samples'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function check(story: Story, file: string, ...flags: readonly string[]) {
  const { code, stdout } = await story.type('check', '--sample', file, '--json', ...flags);
  return { code, json: JSON.parse(stdout) };
}

test('reports the rows of a readable sample, and calls no service', async () => {
  const story = await openStory();
  const file = writeSample(story, `${[HEADER, line(person('E1')), line(person('E2'))].join('\n')}\n`);
  const { code, json } = await check(story, file);
  expect(code).toBe(0);
  expect(json).toMatchObject({ ok: true, source: 'hr', rows: 2, held: 0, missing: [], unused: [], incomplete: null });
  expect(story.takeReads()).toEqual([]);
});

sweep('checks a sample without any secret', async () => {
  const story = await openStory();
  story.env.TALENT_API_KEY = '';
  const file = writeSample(story, `${HEADER}\n${line(person('E1'))}\n`);
  expect(await check(story, file)).toMatchObject({ code: 0, json: { ok: true, source: 'hr' } });
});

sweep('reports unfit cells by column and line, with a declaration that fits them', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { columns: { rank: { type: 'date', optional: true } } } } });
  const rows = ['', '2026-01-31', '31.12.2025', '24.12.2025'].map((rank, index) => line(person(`E${index}`, { rank })));
  const { code, json } = await check(story, writeSample(story, `${[HEADER, ...rows].join('\n')}\n`));
  expect(code).toBe(4);
  expect(json).toMatchObject({ ok: false, rows: 4, held: 2, missing: [] });
  expect(json.examples.map((one: { line: number; code: string }) => [one.line, one.code])).toEqual([
    [4, 'SYNC_ROW_CELL'],
    [5, 'SYNC_ROW_CELL'],
  ]);
  const bad = json.columns.filter(({ misfits }: { misfits: number }) => misfits > 0);
  expect(bad).toEqual([
    {
      name: 'rank',
      declared: '{ type: date, optional: true }',
      filled: 3,
      misfits: 2,
      lines: [4, 5],
      fitting: '{ type: string, optional: true }',
    },
  ]);
});

sweep('reports words for nothing with their columns, but not in names', async () => {
  const story = await openStory();
  const rows = [
    person('E1', { first: 'Anna', last: 'Berg', title: 'N/A' }),
    person('E2', { first: 'Tom', last: 'Ng', title: 'NULL' }),
    person('E3', { first: 'Jennifer', last: 'Null' }),
  ].map(line);
  const { code, json } = await check(story, writeSample(story, `${[HEADER, ...rows].join('\n')}\n`));
  expect(code).toBe(0);
  const told = json.columns.filter(({ nothing }: { nothing?: object }) => nothing !== undefined);
  expect(told).toMatchObject([{ name: 'title', nothing: { words: ['N/A', 'NULL'], cells: 2 } }]);
});

sweep('reports a renamed column with its new name, and a column that nothing uses', async () => {
  const story = await openStory();
  const header = HEADER.replace(';email;', ';e-mail;').concat(';shoe size');
  const { code, json } = await check(story, writeSample(story, `${header}\n${line(person('E1'))};43\n`));
  expect(code).toBe(1);
  expect(json).toMatchObject({
    ok: false,
    missing: [{ name: 'email', nearest: 'e-mail' }],
    unused: ['e-mail', 'shoe size'],
    error: { code: 'SYNC_SOURCE_HEADER' },
  });
});

sweep('proposes columns for a file that no source takes by its name, unless --source names one', async () => {
  const story = await openStory();
  const file = writeSample(story, `${HEADER}\n${line(person('E1'))}\n`, 'people.csv');
  const { code, json } = await check(story, file);
  expect(code).toBe(0);
  expect(json).toMatchObject({
    ok: true,
    source: null,
    proposed: { rows: 1, format: 'csv', separator: ';', key: 'id' },
  });
  expect((await check(story, file, '--source', 'hr')).json).toMatchObject({ ok: true, source: 'hr', rows: 1 });
  const { stdout } = await story.type('check', '--sample', file);
  expect(stdout).toContain('columns:');
  expect(stdout).toContain('  id: string\n');
  expect(stdout).toContain('  email: string\n');
});

sweep('checks a stream of the CRM by its own columns', async () => {
  const story = await openStory();
  story.configure(CRM);
  const file = writeSample(
    story,
    JSON.stringify([
      { id: 'C1', name: 'Fjord Power' },
      { id: 'C2', title: 'Rail' },
    ]),
    'companies-1.json',
  );
  const { code, json } = await check(story, file);
  expect(code).toBe(4);
  expect(json).toMatchObject({ source: 'crm.companies', rows: 2, held: 1, missing: [], unused: ['title'] });
});

sweep('rejects an unknown source, and a source without a sample', async () => {
  const story = await openStory();
  const file = writeSample(story, `${HEADER}\n`);
  expect(await check(story, file, '--source', 'hrr')).toMatchObject({
    code: 1,
    json: { error: { code: 'SYNC_CLI_USAGE', remedy: 'Did you mean `hr`?' } },
  });
  const alone = await story.type('check', '--source', 'hr');
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('there is no --sample')]);
  expect(await check(story, join(story.folder, 'nowhere.csv'))).toMatchObject({
    code: 1,
    json: { error: { code: 'SYNC_SOURCE_UNREADABLE' } },
  });
});

test('holds what a plan would hold: repeated keys, values that do not fit a field, a shared address', async () => {
  const story = await openStory();
  const rows = [
    person('E1'),
    person('E1', { title: 'Lead' }),
    person('E2', { email: 'nobody' }),
    person('E3'),
    person('E4', { email: 'E3@example.com' }),
    person('E5', { email: 'e3@example.com', status: 'left' }),
  ];
  const text = `${[HEADER, ...rows.map((row) => line(row))].join('\n')}\n`;
  const { code, json } = await check(story, writeSample(story, text));
  expect(code).toBe(4);
  expect(json).toMatchObject({ ok: false, rows: 6, held: 5 });
  expect(
    json.examples.map((one: { key: string; line: number; code: string }) => [one.key, one.line, one.code]),
  ).toEqual([
    ['E2', 4, 'SYNC_MAP_VALUE'],
    ['E3', 5, 'SYNC_MATCH_CLAIMED'],
    ['E4', 6, 'SYNC_MATCH_CLAIMED'],
    ['E1', 2, 'SYNC_MAP_DUPLICATE_KEY'],
    ['E1', 3, 'SYNC_MAP_DUPLICATE_KEY'],
  ]);
  story.deliverText(text);
  // A plan holds the same people.
  const { held } = (await story.plan()).json;
  expect([...new Set(held.map(({ key }: { key: string }) => key))].sort()).toEqual(['E1', 'E2', 'E3', 'E4']);
});

sweep('looks for columns of JSON where `from` points', async () => {
  const story = await openStory();
  const columns = {
    id: 'string',
    office: { type: 'string', from: '/office/name' },
    floor: { type: 'int', from: '/office/floor', optional: true },
    country: { type: 'string', from: '/land/code' },
  };
  const rooms = { type: 'json', drop: './drop/rooms', pattern: 'rooms-*.json', key: 'id', columns };
  story.configure({ sources: { rooms } });
  const rows = [
    { id: '1', office: { name: 'Oslo', floor: 'two' }, desk: 1 },
    { id: '2', office: { name: 'Bergen' } },
  ];
  const { code, json } = await check(story, writeSample(story, JSON.stringify(rows), 'rooms-1.json'));
  expect(code).toBe(1);
  expect(json).toMatchObject({ source: 'rooms', missing: [{ name: 'country' }], unused: ['desk'] });
  expect(json.columns).toEqual([
    { name: 'id', declared: 'string', filled: 2, misfits: 0, lines: [], fitting: null },
    {
      name: 'office',
      declared: '{ type: string, from: "/office/name" }',
      filled: 2,
      misfits: 0,
      lines: [],
      fitting: null,
    },
    {
      ...{ name: 'floor', declared: '{ type: int, from: "/office/floor", optional: true }' },
      ...{ filled: 1, misfits: 1, lines: [1], fitting: null },
    },
  ]);
});
