import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generalise, joinAlike, withoutRecord } from '../../src/model/hold-cause.js';

describe('the common cause of holds', () => {
  test.each([
    ['removes its key', 'E1', '', '"E1" has no country', '"…" has no country'],
    ['removes its key wherever it occurs', 'E1', '', 'E1 is E1', '… is …'],
    ['keeps a word that contains the key', '1', '', 'unit1 and 12 have no 1', 'unit1 and 12 have no …'],
    ['keeps a word in another script that contains the key', '1', '', 'é1, 1é, 𝒜1 and 1𝒜', 'é1, 1é, 𝒜1 and 1𝒜'],
    ['removes a key with special characters of patterns', 'a.*(b', '', 'a.*(b and axx(b', '… and axx(b'],
    ['removes a key that overlaps itself', '1 1', '', '1 1 1 1', '… …'],
    [
      'removes its places',
      'E1',
      'hr a.csv:3 and hr a.csv:7',
      'two rows (hr a.csv:3, hr a.csv:7) differ',
      'Two rows differ',
    ],
    ['removes nothing if the key is unknown', '?', '', 'what is it?', 'what is it?'],
  ])('%s', (_, key, place, reason, expected) => {
    expect(withoutRecord({ key, place, reason })).toBe(expected);
  });

  test('truncates a long text between words and marks it', () => {
    const long = 'word '.repeat(200);
    expect(withoutRecord({ key: '', place: '', reason: long })).toBe(`${'word '.repeat(99)}word …`);
  });

  test('removes a key only where no letter or digit touches it', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '1', 'é', '𝒜', ' ', '"', '.') });
    fc.assert(
      fc.property(
        texts.filter((key) => key.trim() !== ''),
        texts,
        (key, text) => {
          const word = new RegExp(`(?<![\\p{L}\\p{N}])${key.replaceAll('.', '\\.')}(?![\\p{L}\\p{N}])`, 'gu');
          const reason = `x ${text}`;
          expect(withoutRecord({ key, place: '', reason })).toBe(reason.replaceAll(word, '…'));
        },
      ),
    );
  });
});

test('replaces values and numbers with an ellipsis', () => {
  expect(generalise('"31.02.2026" is no date, in line 7')).toBe('"…" is no date, in line …');
});

test('reports a few causes of a kind separately and merges many into one', () => {
  const join = (groups: readonly string[]): readonly string[] =>
    joinAlike(
      groups,
      (group) => group.charAt(0),
      (one, other) => one + other,
    );
  expect(join(['a1', 'b1', 'a2', 'a3', 'a4', 'a5'])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1']);
  expect(join(['a1', 'b1', 'a2', 'a3', 'a4', 'a5', 'a6'])).toEqual(['a1a2a3a4a5a6', 'b1']);
});
