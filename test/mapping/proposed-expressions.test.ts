import { expect, test } from 'vitest';
import { compileExpression } from '../../src/mapping/expression.js';
import type { Want } from '../../src/mapping/wanted.js';
import { columnOf, openScope } from './evaluate.js';

const surroundings = {
  columns: {
    x: columnOf('string?'),
    'two words': columnOf('string?'),
    name: columnOf('string'),
    heads: columnOf('int'),
    'old heads': columnOf('int?'),
    skills: columnOf('list'),
    'more skills': columnOf('list?'),
    left: columnOf('bool?'),
    start: columnOf('date?'),
  },
  maps: { rooms: { a: 'b' } },
};

/** The expression that was written, and the type needed there. */
const MISTAKES: readonly (readonly [string, Want])[] = [
  ['record', 'text'],
  ['record["x y"]', 'text'],
  ['record["two word"]', 'text'],
  ['record["two words"]', 'text'],
  ['record.two words', 'text'],
  ['record.x', 'text'],
  ['record.nam', 'text'],
  ['record.heads', 'text'],
  ['record[?"old heads"]', 'text'],
  ['record[?"old heads"].or(record[?"old heads"])', 'text'],
  ['record.name', 'integer'],
  ['record.?x', 'integer'],
  ['record[?"two words"]', 'integer'],
  ['record.skills', 'text'],
  ['record[?"more skills"]', 'text'],
  ['record.?left', 'bool'],
  ['record.?start', 'text'],
  ['record.?x + "y"', 'text'],
  ['record.?x.lowerAscii()', 'text'],
  ['Oslo', 'text'],
  ['no ', 'text'],
  ['lookup(maps.room, record.name)', 'text'],
  ['record.name == "" ? null : "a"', 'text'],
  ['record.heads == "3"', 'bool'],
  ['record.name + record.?x', 'text'],
  ['record.name + record[?"two words"]', 'text'],
  ['record.heads + record[?"old heads"]', 'integer'],
  ['record.?start.orValue(today) < "2026-01-01"', 'bool'],
  ['name', 'text'],
  ['rooms', 'text'],
  ['lookup("rooms", record.name)', 'text'],
  ['lower(record.name)', 'text'],
  ['lowerAscii(record.name)', 'text'],
  ['record.name.strip()', 'text'],
  ['record.name = "x"', 'bool'],
  ['record.name ?? "x"', 'text'],
  ['record.name != \u201cx\u201d', 'bool'],
  ['{name}', 'text'],
  ['record.Full name', 'text'],
];

/** The expressions in backticks: those that read a row or a map, and quoted texts. */
function listProposed(remedy: string): readonly string[] {
  const quoted = [...remedy.matchAll(/`([^`]+)`|as in '("[^']+")'/g)].map(([, code, text]) => code ?? text ?? '');
  return quoted
    .filter((code) => /\b(?:record|hr|maps|optional)[.[]|^"/.test(code) || code.startsWith('has('))
    .map((code) => code.replaceAll('(v, …)', '(v, v)').replaceAll('…', '""'));
}

test.each(MISTAKES)('proposes only readable expressions in place of %s (%s)', (text, want) => {
  const scope = openScope(surroundings);
  const { findings } = compileExpression(scope, text, want);
  expect(findings.length).toBeGreaterThan(0);
  for (const proposed of findings.flatMap(({ remedy }) => listProposed(remedy))) {
    const { ast } = scope.environment.parse(proposed);
    expect(ast, proposed).toBeDefined();
    // A map alone is not a value.
    if (/^maps\.\w+$/.test(proposed)) continue;
    const { findings: left } = compileExpression(openScope(surroundings), proposed, 'cell');
    expect(
      left.map(({ message }) => message),
      proposed,
    ).toEqual([]);
  }
});
