import { describe, expect, it } from 'vitest';
import {
  findNothingPart,
  isNothing,
  isNothingAsKey,
  isNothingAsName,
  isNothingIn,
  isSurelyNothing,
} from '../../src/model/nothing.js';

describe('a complete value', () => {
  it.each([
    ...[
      'NULL',
      'null',
      '(null)',
      '<null>',
      '[NULL]',
      '\\N',
      'None',
      'nil',
      'NaN',
      'nan',
      'undefined',
      'N/A',
      'n/a',
      'N.A.',
    ],
    ...[
      'n. a.',
      '#N/A',
      '#NV',
      '-',
      '--',
      '—',
      '.',
      '(blank)',
      '(Leer)',
      '(tom)',
      '(vide)',
      'k. A.',
      'k.A.',
      'Keine Angabe',
    ],
    ...['entfällt', 'ingen', 'Ikke oppgitt', 'uppgift saknas', 'ei tietoa', 'n.v.t.', 'geen', 'Néant', 'non renseigné'],
    ...['No aplica', 'n/d', 'não se aplica', 'nessuno', 'brak', 'nie dotyczy'],
  ])('takes %s for a word for nothing', (text) => expect(isNothing(text)).toBe(true));

  it.each([
    ...[
      '',
      'NA',
      'Na',
      '0',
      'no',
      'nein',
      'Nonesuch',
      'Null-Emission Engineer',
      'Senior',
      'Unknown',
      'x',
      '??',
      'Nanaimo',
    ],
    ...['Noneedtoknow', 'Leerdam', 'Tomsk', 'Bråk', 'Vida', '１', 'N', 'A', 'n.a.t.o'],
  ])('takes %s for a value', (text) => expect(isNothing(text)).toBe(false));
});

it.each(['tom', 'Tom', 'leer', 'vide', 'rien'])(
  'takes %s for a word for nothing only where it cannot be a name',
  (text) => {
    expect([isNothing(text), isSurelyNothing(text)]).toEqual([true, false]);
  },
);

describe('a cell of dates or numbers', () => {
  it.each([
    ['date', '0000-00-00'],
    ['date', '00.00.0000'],
    ['date', '00/00/0000'],
    ['date', '00000000'],
    ['date', '0'],
    ['datetime', '0000-00-00 00:00:00'],
    ['date', 'N/A'],
    ['int', 'NA'],
    ['int', 'NULL'],
    ['number', '-'],
    ['number', '#N/A'],
  ] as const)('for type %s, takes %s for empty', (type, text) => expect(isNothingIn(type, text)).toBe(true));

  it.each([
    ['int', '0'],
    ['number', '-1'],
    ['number', '0.0'],
    ['date', '2026-01-31'],
    ['date', 'soon'],
    ['string', 'NULL'],
    ['bool', 'N/A'],
    ['list', 'None'],
  ] as const)('for type %s, does not take %s for empty', (type, text) => expect(isNothingIn(type, text)).toBe(false));
});

it.each([
  ['NULL', true],
  ['None', true],
  ['N/A', true],
  ['-', true],
  ['NA', false],
  ['tom', false],
  ['ingen', false],
  ['E100', false],
  ['n.berg', false],
])('checks the key %s for a word for nothing: %s', (key, expected) => expect(isNothingAsKey(key)).toBe(expected));

it.each([
  ['NULL NULL', true],
  ['NULL', true],
  ['None', true],
  ['None, None', true],
  ['N/A', true],
  ['N/A N/A', true],
  ['nan nan', true],
  ['- -', true],
  ['(tom) (tom)', true],
  ['#N/A', true],
  // Names of people
  ['Jennifer Null', false],
  ['Nan Goldin', false],
  ['Nan', false],
  ['Tom', false],
  ['Tom Nan', false],
  ['N. A. Berg', false],
  ["N'Golo Kanté", false],
  ['Linh Ng', false],
  ['Na Li', false],
  ['Na', false],
  ['None Berg', false],
  ['Leer Vide', false],
  ['王 伟', false],
])('checks the name %s for a word for nothing: %s', (name, expected) => expect(isNothingAsName(name)).toBe(expected));

it.each([
  ['Anna Berg', 'Anna NULL', 'NULL'],
  ['Anna Berg', 'Anna NULL Berg', 'NULL'],
  ['Anna Berg', 'None Berg', 'None'],
  ['Anna Berg', 'Anna N/A', 'N/A'],
  ['Anna Berg', 'nan Berg', 'nan'],
  ['Anna Berg', 'Anna (tom)', '(tom)'],
  // The same word as before, in any spelling
  ['Jennifer Null', 'Jennifer NULL', null],
  ['Nan Goldin', 'NAN GOLDIN', null],
  // Names of people
  ['Thomas Berg', 'Tom Berg', null],
  ['Nancy Berg', 'Nan Berg', null],
  ['Anna Berg', 'Anna Ng', null],
  ['Anna Berg', 'N. A. Berg', null],
  ['', 'Jennifer Null', null],
])('finds a new word for nothing when %s becomes %s: %s', (was, now, part) =>
  expect(findNothingPart(was, now)).toBe(part),
);
