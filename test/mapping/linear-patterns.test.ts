import { expect, test } from 'vitest';
import { compileExpression, explainFailure } from '../../src/mapping/expression.js';
import { createScope } from '../../src/mapping/scope.js';

const columns = { name: { type: 'string', optional: false, format: null, trueWords: null, separator: ';' } } as const;

function compile(text: string): { readonly run: (name: string) => unknown; readonly findings: readonly string[] } {
  const scope = createScope([{ name: 'hr', columns, enriching: false }], 'record', 'UTC');
  const { expression, findings } = compileExpression(scope, text, 'bool');
  const run = (name: string): unknown => {
    scope.show('hr', { name });
    return expression?.run();
  };
  return { run, findings: findings.map(({ message }) => message) };
}

test.each([
  ['a*a*a*a*b', 'a'.repeat(60_000)],
  ['a.*a.*a.*b$', 'a'.repeat(60_000)],
  ['(a+)+$', `${'a'.repeat(60_000)}!`],
  ['(a|aa)*c', 'a'.repeat(60_000)],
  ['(x+x+)+y', 'x'.repeat(60_000)],
])('finishes %s on a long text that would take a backtracking engine forever', (pattern, text) => {
  const { run, findings } = compile(`record.name.matches(r"${pattern}")`);
  expect(findings).toEqual([]);
  expect(run(text)).toBe(false);
});

test.each([
  ['^E\\\\d{3}$', 'E123', true],
  ['^E\\\\d{3}$', 'E1234', false],
  ['(?i)oslo', 'Office OSLO', true],
  ['^\\\\p{L}+$', 'Østen', true],
  ['^$', '', true],
])('matches %s on %s: %s', (pattern, text, expected) => {
  expect(compile(`record.name.matches("${pattern}")`).run(text)).toBe(expected);
});

test('fails for a text beyond the limit, and names the limit', () => {
  const { run } = compile('record.name.matches("b")');
  let said = '';
  try {
    run('a'.repeat(65_537));
  } catch (error) {
    said = explainFailure(error);
  }
  expect(said).toContain('up to 65536 characters, and this one has 65537');
});

test.each([
  ['record.name.matches("a(?=b)")', 'is not a pattern that `matches` can run'],
  ['record.name.matches(r"(a)\\1")', 'is not a pattern that `matches` can run'],
  ['record.name.matches("a{2000}")', 'is not a pattern that `matches` can run'],
  ['record.name.matches(record.name)', 'the pattern of `matches` is not a text'],
  ['record.name.size().matches("a")', '`matches` does not take a whole number'],
])('rejects %s when the configuration loads', (text, message) => {
  expect(compile(text).findings.join(' ')).toContain(message);
});
