import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generalise, joinAlike, withoutRecord } from '../../src/model/hold-cause.js';

describe('the cause that holds have in common', () => {
  test.each([
    ['its key', 'E1', '', '"E1" has no country', '"…" has no country'],
    ['its key more than once', 'E1', '', 'E1 is E1', '… is …'],
    ['no part of a word that the key is in', '1', '', 'unit1 and 12 have no 1', 'unit1 and 12 have no …'],
    ['no part of a word in another script', '1', '', 'é1, 1é, 𝒜1 and 1𝒜', 'é1, 1é, 𝒜1 and 1𝒜'],
    ['a key of signs that mean something in a pattern', 'a.*(b', '', 'a.*(b and axx(b', '… and axx(b'],
    ['a key that overlaps itself', '1 1', '', '1 1 1 1', '… …'],
    ['its places', 'E1', 'hr a.csv:3 and hr a.csv:7', 'two rows (hr a.csv:3, hr a.csv:7) differ', 'Two rows differ'],
    ['nothing of a key that is not known', '?', '', 'what is it?', 'what is it?'],
  ])('is without %s', (_, key, place, reason, expected) => {
    expect(withoutRecord({ key, place, reason })).toBe(expected);
  });

  test('is cut between words where it is long, and marked', () => {
    const long = 'word '.repeat(200);
    expect(withoutRecord({ key: '', place: '', reason: long })).toBe(`${'word '.repeat(99)}word …`);
  });

  test('has a key only where letters and digits end', () => {
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

test('values and numbers are no part of what is alike', () => {
  expect(generalise('"31.02.2026" is no date, in line 7')).toBe('"…" is no date, in line …');
});

test('a few causes of a kind are told one by one, many are one', () => {
  const join = (groups: readonly string[]): readonly string[] =>
    joinAlike(
      groups,
      (group) => group.charAt(0),
      (one, other) => one + other,
    );
  expect(join(['a1', 'b1', 'a2', 'a3', 'a4', 'a5'])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1']);
  expect(join(['a1', 'b1', 'a2', 'a3', 'a4', 'a5', 'a6'])).toEqual(['a1a2a3a4a5a6', 'b1']);
});
