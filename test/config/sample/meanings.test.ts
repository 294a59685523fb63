import { expect, it } from 'vitest';
import { LOOK_NAMES } from '../../../src/config/sample/column-looks.js';
import {
  CONTRACTS,
  FILE_WORDS,
  MEANING_NAMES,
  MEANINGS,
  OTHERS,
  PHRASES,
  PRIVATE,
  SPARE_DATES,
  VAGUE,
} from '../../../src/config/sample/meanings.js';
import { LANGUAGES } from '../../../src/config/sample/sample-languages.js';
import { foldText } from '../../../src/model/fold-words.js';

it('has only valid keys and values in the table of meanings', () => {
  const kinds = Object.keys(FILE_WORDS);
  expect(kinds).toEqual(['people', 'customers', 'projects']);
  expect(MEANING_NAMES.length).toBeGreaterThan(20);
  const known = ['of', 'words', 'look', 'share', 'byLook', 'never', 'stems', 'vague', 'weight'];
  for (const [name, row] of Object.entries(MEANINGS)) {
    expect([name, ...Object.keys(row).filter((key) => !known.includes(key))]).toEqual([name]);
    expect(kinds).toContain(row.of);
    expect(Object.keys(row.words).filter((code) => !LANGUAGES.some((one) => one === code))).toEqual([]);
    expect([row.look, ...(row.never ?? [])].filter((look) => !LOOK_NAMES.includes(look))).toEqual([]);
    expect([row.byLook, row.share >= 0 && row.share <= 1, row.weight > 0 && row.weight <= 1]).toEqual([
      row.byLook === undefined ? undefined : true,
      true,
      true,
    ]);
  }
  const phrases = [...PHRASES.values()].flat();
  expect(phrases.filter(([phrase]) => phrase === '')).toEqual([]);
  const vague = MEANING_NAMES.flatMap((name) =>
    [...(VAGUE.get(name) ?? [])].filter((phrase) => phrase !== '').map((phrase) => [name, phrase] as const),
  );
  expect(vague.filter(([name, phrase]) => PHRASES.get(name)?.some(([known]) => known === phrase) !== true)).toEqual([]);
  const words = [...OTHERS, ...PRIVATE, ...CONTRACTS, ...SPARE_DATES];
  expect(words.filter((word) => word === '' || foldText(word) !== word)).toEqual([]);
});
