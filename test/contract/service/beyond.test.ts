import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenApi } from '../../../src/sandbox/control/openapi/build-openapi.js';
import { ROUTES } from '../../../src/sandbox/routes/table.js';
import { ROOT } from '../../module-graph.js';
import { readRecords } from './read-records.js';
import { listBeyond } from './shown-fields.js';

const PAGE = readFileSync(join(ROOT, 'docs/reference/sandbox.md'), 'utf8');

/** The rows of the table under a heading, without its head. */
function readTable(heading: string): readonly (readonly string[])[] {
  const under = PAGE.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? expect.unreachable();
  const rows = under.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) => line.split('|').map((cell) => cell.trim()));
}

function codeWords(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

/** The last part of a path that is not an id, which names the subject. */
function nameOf(path: string): string {
  return path.split('/').findLast((part) => /^\w+$/.test(part)) ?? '';
}

test('lists every path beyond the interface with its methods, and no others', () => {
  const { paths } = buildOpenApi(ROUTES) as { paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
  const served = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if ('x-beyond-the-interface' in operation) served.add(`${method.toUpperCase()} ${nameOf(path)}`);
    }
  }
  const listed = readTable('Paths').flatMap(([, path = '', methods = '']) =>
    methods.split(', ').map((method) => `${method} ${nameOf(codeWords(path)[0] ?? '')}`),
  );
  expect(listed.toSorted()).toEqual([...served].toSorted());
});

test('lists every field beyond the interface with its record, and no others', async () => {
  const records = await readRecords();
  const rows = readTable('Fields').flatMap(([, names = '', fields = '']) =>
    names.split(', ').map((name) => ({ name, fields: codeWords(fields) })),
  );
  const listFor = (record: string): readonly string[] =>
    rows
      .filter(({ name }) => name === record || (name === 'any section' && record.startsWith('section ')))
      .flatMap(({ fields }) => fields);
  const names = Object.keys(records);
  expect(Object.fromEntries(names.map((name) => [name, listFor(name).toSorted()]))).toEqual(
    Object.fromEntries(names.map((name) => [name, listBeyond(name, records[name] ?? {}).toSorted()])),
  );
  expect(rows.filter(({ name }) => name !== 'any section' && records[name] === undefined)).toEqual([]);
});
