import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Comparison, evenOut, nameMatchKey, USUAL, WIDEST } from '../../src/model/comparison.js';
import { correlationKeys, keyValues, wideName } from '../../src/model/observed.js';
import { tries } from '../depth.js';
import { observedOf } from '../samples.js';

const RULES: readonly Comparison[] = (['fold', 'exact'] as const).flatMap((letters) =>
  (['nfc', 'nfkc', 'exact'] as const).flatMap((unicode) =>
    (['collapse', 'trim', 'exact'] as const).map((whitespace) => ({ case: letters, unicode, whitespace })),
  ),
);

/** Texts that some rule treats as equal: letters with and without marks, capitals, blanks, full width, ligatures. */
const LETTERS = ['a', 'A', 'Å', 'å', 'A\u030a', '\u212b', 'j\u030c', 'J\u030c', '\u01f0', 'İ', 'ß', 'Σ', 'ς', '\u212a'];
const OTHERS = [' ', '  ', '\u00a0', '\t', '\u3000', '\u00b4', '\u0301', 'ﬁ', 'Ａ', '１', '①', '\u0345'];
const word = fc
  .array(fc.constantFrom(...LETTERS, ...OTHERS, 'fi', '1', '/'), { maxLength: 6 })
  .map((parts) => parts.join(''));
const anyText = fc.oneof(word, fc.string({ unit: 'grapheme' }));

describe('a rule of comparison', () => {
  const rows: readonly (readonly [string, string, Partial<Comparison>, boolean])[] = [
    ['Nord', ' NORD ', {}, true],
    ['Nord', 'NORD', { case: 'exact' }, false],
    ['Nord', ' Nord\t', { case: 'exact' }, true],
    ['Nord AS', 'Nord  AS', {}, true],
    ['Nord AS', 'Nord  AS', { whitespace: 'trim' }, false],
    ['Nord AS', ' Nord AS', { whitespace: 'trim' }, true],
    ['Nord AS', ' Nord AS', { whitespace: 'exact' }, false],
    ['Jos\u00e9', 'Jose\u0301', {}, true],
    ['Jos\u00e9', 'JOSE\u0301', {}, true],
    ['Jos\u00e9', 'Jose\u0301', { unicode: 'exact' }, false],
    ['\u01f0', 'J\u030c', {}, true],
    ['Νίκος', 'ΝΊΚΟΣ', {}, true],
    ['Νίκος Σ', 'ΝΊΚΟΣ\u00a0Σ', { unicode: 'exact' }, true],
    ['Fjord', 'Ｆｊｏｒｄ', {}, false],
    ['Fjord', 'Ｆｊｏｒｄ', { unicode: 'nfkc' }, true],
    ['fjord', 'Ｆｊｏｒｄ', { unicode: 'nfkc', case: 'exact' }, false],
    ['Fiber', 'ﬁber', { unicode: 'nfkc' }, true],
  ];
  for (const [a, b, rule, same] of rows) {
    it(`with ${JSON.stringify(rule)}, compares ${JSON.stringify(a)} and ${JSON.stringify(b)} → ${same}`, () => {
      const full = { ...USUAL, ...rule };
      expect(evenOut(a, full) === evenOut(b, full)).toBe(same);
    });
  }

  it('gives plain ASCII the same form by the short path as by the general one', () => {
    const ascii = fc.string({ unit: fc.constantFrom('a', 'B', '1', '/', '~', ' '), maxLength: 6 });
    fc.assert(
      fc.property(ascii, fc.constantFrom(...RULES), (text, rule) => {
        const even = evenOut(text, rule);
        if (rule.whitespace === 'exact') expect(`\u00e5${even}`).toBe(evenOut(`\u00e5${text}`, rule));
        else expect(even).toBe(evenOut(`\t${text}\u00a0`, rule));
      }),
      { numRuns: tries(1000) },
    );
  });

  it('finds texts that any rule treats as equal under the keys stored for objects', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...RULES), (here, there, rule) => {
        fc.pre(keyValues(here).length > 0 && keyValues(there).length > 0);
        if (evenOut(here, rule) !== evenOut(there, rule)) return;
        const keys = correlationKeys(observedOf('u', { name: there }));
        const names = rule.unicode === 'nfkc' ? ['name', wideName('name')] : ['name'];
        const lookedFor = evenOut(here, rule.unicode === 'nfkc' ? WIDEST : USUAL);
        expect(keys.some(({ name, value }) => names.includes(name) && value === lookedFor)).toBe(true);
      }),
      { numRuns: tries(3000) },
    );
  });

  it('leaves stored forms unchanged, and derives the widest form from the usual one', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [usual, widest] = [evenOut(text, USUAL), evenOut(text, WIDEST)];
        expect(evenOut(usual, USUAL)).toBe(usual);
        expect([evenOut(usual, WIDEST), evenOut(widest, WIDEST), evenOut(widest, USUAL)]).toEqual([
          widest,
          widest,
          widest,
        ]);
      }),
      { numRuns: tries(1000) },
    );
  });
});

describe('keys of objects', () => {
  it('have a second form only if it differs from the first', () => {
    expect(correlationKeys(observedOf('u', { name: 'Åse Ｎord', upn: 'jané' }))).toEqual([
      { name: 'upn', value: 'jané' },
      { name: 'name', value: 'åse ｎord' },
      { name: 'name~wide', value: 'åse nord' },
    ]);
  });

  it('leave out blank values under every rule', () => {
    expect(RULES.flatMap((rule) => [...keyValues(' \t', rule), ...keyValues('\u3000', rule)])).toEqual([]);
  });
});

it('names an entry of `match` by its fields and the unusual parts of its rule', () => {
  expect(nameMatchKey({ fields: ['name', 'born_year'], compare: { ...USUAL } })).toBe('name + born_year');
  expect(nameMatchKey({ fields: ['name'], compare: { ...USUAL, case: 'exact', unicode: 'nfkc' } })).toBe(
    'name (case exact, unicode nfkc)',
  );
});
