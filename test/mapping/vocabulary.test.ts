import { expect, test } from 'vitest';
import { findVocabulary, isWord } from '../../src/mapping/vocabulary.js';
import { columnOf, openScope } from './evaluate.js';

const columns = {
  s: columnOf('string'),
  t: columnOf('string?'),
  d: columnOf('date'),
  n: columnOf('int'),
  l: columnOf('list'),
};

/** Expressions, and the words that each operand is compared with. */
const ROWS: readonly (readonly [string, readonly string[], Readonly<Record<string, readonly string[]>>])[] = [
  ['by `==`', ['record.s == "left"'], { 'record.s': ['left'] }],
  ['the other way round', ['"left" != record.s'], { 'record.s': ['left'] }],
  ['in a list', ['record.s in ["left", "1", "gone"]'], { 'record.s': ['left', '1', 'gone'] }],
  [
    'in several places',
    ['record.s == "left" || !(record.s != "gone")', 'record.s == "left"'],
    { 'record.s': ['left', 'gone'] },
  ],
  ['with a default for an absent value', ['record.?t.orValue("") == "left"'], { 'record.?t.orValue("")': ['left'] }],
  ['in a comprehension', ['record.l.exists(one, record.s == "left")'], { 'record.s': ['left'] }],
  ['with the empty text', ['record.s == ""'], {}],
  ['with a day', ['record.s == "2026-11-20"'], {}],
  ['with another column', ['record.s == record.?t.orValue("")', 'record.s in ["left", record.?t.orValue("")]'], {}],
  ['a date as a text', ['string(record.d) == "left"'], {}],
  ['a number as a text', ['string(record.n) + record.s == "left"'], {}],
  ['two fixed texts', ['"left" == "gone"'], {}],
  ['a value that is not a text', ['record.l == ["left"]', 'record.n == 1'], {}],
];

test.each(ROWS)('finds the words that a text is compared with: %s', (_, texts, expected) => {
  const found = findVocabulary(openScope({ columns }), { scope: null, leaver: texts.join(' || '), others: [] }).map(
    ({ operand, named }) => [operand, named] as const,
  );
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('reads words from the row that is shown', () => {
  const scope = openScope({ columns });
  const [reader] = findVocabulary(scope, { scope: null, leaver: 'record.s == "left"', others: [] });
  scope.show('hr', { s: 'Left ' });
  expect(reader?.expression.run()).toBe('Left ');
});

test('takes only texts with letters for words, and no times', () => {
  expect(['left', 'T-3b', '', ' ', '2026-11-20T08:00Z', '12.5'].map(isWord)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
