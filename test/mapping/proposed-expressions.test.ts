import { expect, test } from 'vitest';
import { compileExpression, type Want } from '../../src/mapping/expression.js';
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

/** What somebody writes, and what is wanted there. */
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
];

/** Expressions among what stands in back ticks: those that read a row or a map, and texts in quotes. */
function listProposed(remedy: string): readonly string[] {
  const quoted = [...remedy.matchAll(/`([^`]+)`|as in '("[^']+")'/g)].map(([, code, text]) => code ?? text ?? '');
  return quoted
    .filter((code) => /\b(?:record|hr|maps|optional)[.[]|^"/.test(code) || code.startsWith('has('))
    .map((code) => code.replaceAll('(v, …)', '(v, v)').replaceAll('…', '""'));
}

test.each(MISTAKES)('what is proposed in place of %s (%s) can be read', (text, want) => {
  const scope = openScope(surroundings);
  const { findings } = compileExpression(scope, text, want);
  expect(findings.length).toBeGreaterThan(0);
  for (const proposed of findings.flatMap(({ remedy }) => listProposed(remedy))) {
    const { ast } = scope.environment.parse(proposed);
    expect(ast, proposed).toBeDefined();
    // A map is no value by itself.
    if (/^maps\.\w+$/.test(proposed)) continue;
    const { findings: left } = compileExpression(openScope(surroundings), proposed, 'cell');
    expect(
      left.map(({ message }) => message),
      proposed,
    ).toEqual([]);
  }
});
