import { describe, expect, it } from 'vitest';
import { isGarbled } from '../../src/model/garbled.js';

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
  ])('%s → %s', (was, now) => {
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
  ])('not %s → %s', (was, now) => {
    expect(isGarbled(was, now)).toBe(false);
  });
});
