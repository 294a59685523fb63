import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../src/model/json.js';
import { correlationKeys, foldKey, keyValues } from '../../src/model/observed.js';
import { observedOf } from '../samples.js';

/** The same value with the keys of every object in the opposite order. */
function reverseKeys(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => reverseKeys(item));
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reverseKeys(item as Json)]),
  );
}

describe('canonicalJson', () => {
  const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

  it('gives the same text for any order of keys, and reads back as the value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps values apart that differ in list order, type or nesting', () => {
    const texts = [
      [1, 2],
      [2, 1],
      '1',
      1,
      true,
      'true',
      null,
      'null',
      {},
      [],
      { a: 1 },
      { a: '1' },
      { a: { b: 1 } },
      { 'a.b': 1 },
    ].map((value) => canonicalJson(value));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('sorts by key and leaves out white space', () => {
    expect(canonicalJson({ b: [1, { d: 'x y', c: null }], a: false })).toBe('{"a":false,"b":[1,{"c":null,"d":"x y"}]}');
  });
});

describe('keys of objects', () => {
  it('ignore case, white space and the forms of Unicode', () => {
    expect(foldKey('  Jos\u00e9   da\tSilva ')).toBe('jos\u00e9 da silva');
    expect(foldKey('Jose\u0301')).toBe(foldKey('JOS\u00c9'));
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => foldKey(foldKey(text)) === foldKey(text)));
  });

  it('leave out an empty value, and include each language of a multilingual one', () => {
    expect(['', null, undefined].flatMap((value) => keyValues(value))).toEqual([]);
    expect(keyValues({ en: 'Dam', no: 'Demning', sv: '' })).toEqual(['dam', 'demning']);
    expect(keyValues(1980)).toEqual(['1980']);
  });

  it('are the matchable and unique fields', () => {
    const user = observedOf('u', { email: 'A@x.test', telephone: '1', born_year: 1980, title: { en: 'x' } });
    expect(correlationKeys(user)).toEqual([
      { name: 'email', value: 'a@x.test' },
      { name: 'born_year', value: '1980' },
    ]);
    expect(correlationKeys(observedOf('o', { name: 'Oslo' }, { entity: 'offices' }))).toEqual([]);
  });
});
