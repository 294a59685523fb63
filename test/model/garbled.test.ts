import { describe, expect, it } from 'vitest';
import { isGarbled, lookDamaged } from '../../src/model/garbled.js';

const twice = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('isGarbled', () => {
  it.each([
    ['Bjørn Ås', 'BjÃ¸rn Ã…s'],
    ['Bjørn', twice('Bjørn')],
    ['Łukasz', twice('Łukasz')],
    ['Ceci n’est', 'Ceci nâ€™est'],
    ['Bjørn', 'Bj?rn'],
    ['Bjørn Ås', 'Bj??rn ??s'],
    ['Bjørn', 'Bj\ufffdrn'],
    ['Sales', 'TromsÃ¸'],
  ])('reports %s → %s as garbled', (was, now) => {
    expect(isGarbled(was, now)).toBe(true);
  });

  it.each([
    ['Bjørn', 'Björn'],
    ['Bjørn', 'Bjorn'],
    ['Kari Hansen', 'Kari Ås'],
    ['', 'BjÃ¸rn'],
    ['BjÃ¸rn', 'BjÃ¸rn Ã…s'],
    ['BjÃ¸rn', 'Bjørn'],
    ['Who', 'Who?'],
    ['Grønn plan', 'Grønn plan?'],
    ['ANDRÉ', 'ÃNGELA'],
  ])('accepts %s → %s', (was, now) => {
    expect(isGarbled(was, now)).toBe(false);
  });
});

describe('lookDamaged', () => {
  const error = 'an error of a spreadsheet';
  const short = 'a number that a spreadsheet has shortened';
  it.each<readonly [was: string, now: string, looks: string]>([
    ['Bjørn', 'Bj?rn', 'text that was read in another encoding'],
    ...['#N/A', '#NV', '#I/T', '#REF!', '#NAVN?', '#DIV/0!', '#VÆRDI!', '#####'].map(
      (now) => ['Lead', now, error] as const,
    ),
    ['', '#N/A', error],
    ['+47 900 00 000', '4.79E+10', short],
    ['4790000000', '4,79E+09', short],
  ])('reports %s → %s as %s', (was, now, looks) => {
    expect(lookDamaged(was, now)).toBe(looks);
  });

  it.each([
    ['Lead', 'C# developer'],
    ['Lead', '#1'],
    ['Lead', '#teamlead'],
    ['#N/A', '#REF!'],
    ['Room 12', '1E5'],
    ['+47 900 00 000', '+47 911 11 111'],
    ['4.79E+10', '4.80E+10'],
  ])('accepts %s → %s', (was, now) => {
    expect(lookDamaged(was, now)).toBeNull();
  });
});
