import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileCell } from '../../src/connectors/cells/cells.js';
import { resolveColumns } from '../../src/connectors/cells/resolve-columns.js';
import { jsonOf } from '../../src/mapping/values.js';
import type { LookupMaps } from '../../src/model/lookup-maps.js';
import type { Cell } from '../../src/model/source.js';
import { readFences } from '../newcomer/fences.js';
import { evaluate, openScope } from './evaluate.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reference/expressions.md'), 'utf8');
const RECIPES = PAGE.slice(PAGE.indexOf('## Recipes'), PAGE.indexOf('## Error messages'));

interface Shown {
  readonly columns: Parameters<typeof resolveColumns>[1];
  readonly maps: LookupMaps;
}

const { columns: written, maps } = parse(readFences(RECIPES)[0]?.text ?? '') as Shown;
const columns = resolveColumns([], written, {
  add: (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  },
});

/** The rows of the tables: purpose, expression, row, result. */
const rows = RECIPES.split('\n')
  .filter((line) => /^\| .*`/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );

function code(cell: string | undefined): string {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';
}

function readRow(text: string): Readonly<Record<string, Cell>> {
  const given = (parse(`{ ${text} }`, { schema: 'failsafe' }) ?? {}) as Record<string, string | string[]>;
  const entries = Object.entries(columns).flatMap(([name, column]) => {
    const cell = given[name] === undefined ? undefined : compileCell(column, 'UTC').readJson(given[name]);
    const isEmpty = cell === undefined && !column.optional;
    return cell === undefined && !isEmpty ? [] : [[name, isEmpty ? '' : cell] as const];
  });
  expect(Object.keys(given).filter((name) => !(name in columns))).toEqual([]);
  return Object.fromEntries(entries) as Readonly<Record<string, Cell>>;
}

function show(value: unknown): string {
  if (value === undefined) return '–';
  const json = jsonOf(value);
  if (typeof json === 'string') return `\`${json.replace(/T00:00:00\.000Z$/, '')}\``;
  return `\`${Array.isArray(json) ? `[${json.join(', ')}]` : JSON.stringify(json)}\``;
}

describe('docs/reference/expressions.md', () => {
  test('has 30 recipes or more', () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
  });

  test.each(rows)('shows the right result: %s: %s', (_, expression, row, gives) => {
    const { value, wrong } = evaluate(code(expression), { columns, maps }, readRow(code(row)));
    expect(wrong).toEqual([]);
    expect(show(value)).toBe(gives);
  });

  test('names only existing functions', () => {
    const table = PAGE.slice(PAGE.indexOf('## Functions'), PAGE.indexOf('## Recipes'));
    const named = [...table.matchAll(/\b([a-zA-Z]+)\(/g)].map(([, name]) => name ?? '');
    const { functions } = openScope({ columns, maps }).environment.getDefinitions();
    const known = functions.map(({ name }) => name);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});
