import { describe, expect, test } from 'vitest';
import { columnOf, evaluate } from './evaluate.js';

const surroundings = {
  columns: {
    city: columnOf('string?'),
    town: columnOf('string?'),
    name: columnOf('string'),
    'Company name': columnOf('string?'),
    skills: columnOf('list?'),
    heads: columnOf('int?'),
  },
  maps: { countries: { Norway: 'no', Sverige: 'se' } },
};
const FULL = { city: ' Oslo', town: 'Bø', name: 'Norway ', 'Company name': 'Acme', skills: ['a', 'b'], heads: 3n };
const BARE = { name: '' };

test.each<[string, unknown, unknown]>([
  ['record.?city.optMap(v, v.trim().upperAscii())', 'OSLO', undefined],
  ['record.?city.optMap(v, v.trim()).orValue("none")', 'Oslo', 'none'],
  ['record.?heads.optMap(n, n * 2)', 6n, undefined],
  ['record.?skills.optFlatMap(all, all.first())', 'a', undefined],
  ['record.?skills.optFlatMap(all, all.last()).or(record.?town).orValue("-")', 'b', '-'],
  ['record.?city.optMap(v, v.matches("Os") ? "capital" : "town")', 'capital', undefined],
  ['record.?city.optMap(v, record.?town.optMap(w, v + w).orValue(v))', ' OsloBø', undefined],
  ['optional.ofNonZeroValue(record.name.trim()).orValue("nobody")', 'Norway', 'nobody'],
  ['optional.ofNonZeroValue(record.name).or(record.?town)', 'Norway ', undefined],
  ['optional.ofNonZeroValue(record.?heads.orValue(0)).orValue(9)', 3n, 9n],
  ['optional.ofNonZeroValue(record.?skills.orValue([])).hasValue()', true, false],
  ['optional.ofNonZeroValue(has(record.heads)).hasValue()', true, false],
  ['optional.ofNonZeroValue(today).hasValue()', true, true],
  ['optional.ofNonZeroValue(maps.countries).hasValue()', true, true],
  ['optional.ofNonZeroValue({}).hasValue()', false, false],
  ['[1, 2].first().orValue(0)', 1n, 1n],
  ['lookup(maps.countries, record.name)', 'no', undefined],
  ['lookup(maps.countries, record.name, "de")', 'no', 'de'],
  ['lookup(maps.countries, record.?town, "de")', 'de', 'de'],
  ['lookup(maps.countries, record.?town)', undefined, undefined],
  ['"SVERIGE" in maps.countries', false, false],
  ['lookup(maps.countries, "SVERIGE", "")', 'se', 'se'],
  ['has(record["Company name"]) ? record["Company name"] : "none"', 'Acme', 'none'],
  ['record[?"Company name"].orValue("none")', 'Acme', 'none'],
  ['hr[?"Company name"].optMap(v, v + "!")', 'Acme!', undefined],
])('evaluates %s', (text, full, bare) => {
  expect(evaluate(text, surroundings, FULL)).toMatchObject({
    wrong: [],
    ...(full === undefined ? {} : { value: full }),
  });
  expect(evaluate(text, surroundings, FULL).value).toEqual(full);
  expect(evaluate(text, surroundings, BARE).value).toEqual(bare);
});

describe('an invalid expression', () => {
  test.each([
    ['record.?city.optMap(v, v.nothing())', 'there is no function `nothing`'],
    ['record.?city.optMap(v, w)', '`w` is not known'],
    ['record.name.optMap(v, v)', '`optMap` does not take a text'],
    ['record["Company nam"]', 'Did you mean `record[?"Company name"]`?'],
    ['record["Company name"]', 'Write `record[?"Company name"]` (absent stays empty)'],
    ['record[?"Company name"] + "x"', 'as in `record[?"Company name"].orValue("")`'],
    ['record.Company name', 'a name with other characters goes in brackets: Write `record[?"Company name"]`.'],
    ['lookup(maps.countrys, record.name)', 'there is no map `countrys`: Did you mean `maps.countries`?'],
    ['lookup(maps.rooms, record.name)', 'Add it to the configuration, as in `maps: { rooms: { Germany: de } }`.'],
  ])('is rejected with its place and a remedy: %s', (text, words) => {
    expect(evaluate(text, surroundings, FULL, 'text').wrong.join('\n')).toContain(words);
  });
});
