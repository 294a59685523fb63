import { expect, it } from 'vitest';
import { foldLooks } from '../../src/model/look-alikes.js';
import { findOddSign } from '../../src/model/odd-address.js';

it.each([
  // Invisible characters
  [
    'anna.berg\u200b@example.com',
    'an invisible character (U+200B) after `berg`, ZERO WIDTH SPACE',
    'anna.berg@example.com',
  ],
  [
    '\u200eanna@example.com',
    'an invisible character (U+200E) at the beginning, LEFT-TO-RIGHT MARK',
    'anna@example.com',
  ],
  ['anna@exam\u00adple.com', 'an invisible character (U+00AD) after `exam`, SOFT HYPHEN', 'anna@example.com'],
  [
    'anna@example.com\u202c',
    'an invisible character (U+202C) after `com`, POP DIRECTIONAL FORMATTING',
    'anna@example.com',
  ],
  ['an\u200cna@example.com', 'an invisible character (U+200C) after `an`, ZERO WIDTH NON-JOINER', 'anna@example.com'],
  ['anna\u00a0@example.com', 'an odd space (U+00A0) after `anna`, NO-BREAK SPACE', 'anna@example.com'],
  // Widths
  ['ａnna@example.com', 'a full-width character (U+FF41) at the beginning, FULLWIDTH FORM OF a', 'anna@example.com'],
  ['anna＠example.com', 'a full-width character (U+FF20) after `anna`, FULLWIDTH COMMERCIAL AT', 'anna@example.com'],
  [
    'anna@example．com',
    'another character in place of a dot (U+FF0E) after `example`, FULLWIDTH FULL STOP',
    'anna@example.com',
  ],
  [
    'anna@example。com',
    'another character in place of a dot (U+3002) after `example`, IDEOGRAPHIC FULL STOP',
    'anna@example.com',
  ],
  ['ﬁnn@example.com', 'another form of `fi` (U+FB01) at the beginning, COMPATIBILITY FORM OF fi', 'finn@example.com'],
  // Other scripts
  [
    'аnna.berg@example.com',
    'a letter of another script (U+0430) at the beginning, CYRILLIC SMALL LETTER А, which looks like a Latin a',
    'anna.berg@example.com',
  ],
  [
    'anna.bеrg@example.com',
    'a letter of another script (U+0435) after `b`, CYRILLIC SMALL LETTER Е, which looks like a Latin e',
    'anna.berg@example.com',
  ],
  [
    'anna@exаmple.com',
    'a letter of another script (U+0430) after `ex`, CYRILLIC SMALL LETTER А, which looks like a Latin a',
    'anna@example.com',
  ],
  [
    'οla@example.com',
    'a letter of another script (U+03BF) at the beginning, GREEK SMALL LETTER Ο, which looks like a Latin o',
    'ola@example.com',
  ],
  [
    'а.berg@example.com',
    'a letter of another script (U+0430) at the beginning, CYRILLIC SMALL LETTER А, which looks like a Latin a',
    'a.berg@example.com',
  ],
  [
    'соре@example.com',
    'a letter of another script (U+0441) at the beginning, CYRILLIC SMALL LETTER С, which looks like a Latin c',
    'cope@example.com',
  ],
  // Dots
  ['anna.@example.com', 'a dot (U+002E) at the end of the part before the @, FULL STOP', 'anna@example.com'],
  ['.anna@example.com', 'a dot (U+002E) at the beginning of the part before the @, FULL STOP', 'anna@example.com'],
  ['anna@example.com.', 'a dot (U+002E) at the end of the domain, FULL STOP', 'anna@example.com'],
  ['anna@.example.com', 'a dot (U+002E) at the beginning of the domain, FULL STOP', 'anna@example.com'],
  ['anna.', 'a dot (U+002E) at the end of the user name, FULL STOP', 'anna'],
])('finds that %j has %s, and proposes %s', (address, text, meant) => {
  expect(findOddSign(address)).toEqual({ text, meant });
});

it.each([
  'anna.berg@example.com',
  "o'brien+cv@sub.example.co.uk",
  'andré.müller@exämple.de',
  'andre\u0301@example.com',
  'øystein.ås@blåbær.no',
  'иван.петров@пример.рф',
  'иван@example.com',
  'а.иванов@example.com',
  'ivan@пример.рф',
  'δοκιμή@παράδειγμα.ελ',
  'メール太郎@例え.jp',
  'tanaka営業@example.jp',
  'شخص@مثال.إختبار',
  'نمی\u200cخواهم@example.com',
  'क्\u200dष@उदाहरण.भारत',
  'user@xn--bcher-kva.example',
  'İlker.iŞik@example.com',
  'DOMAIN\\anna.berg',
  'ıştan@example.com',
  'anna@mañana.es',
])('accepts %s as an address', (address) => {
  expect(findOddSign(address)).toBeNull();
});

it.each([
  ['E100', 'Е100'],
  ['E100', 'E１００'],
  ['E100', 'E100.'],
  ['E100', 'E.100'],
  ['E100', 'E\u200b100'],
  ['a.berg', 'aberg'],
  ['a.berg', 'а．berg'],
  ['BOT1', 'ВОТ1'],
  ['bot1', 'ВОТ1'],
  ['ilker', 'İLKER'],
  ['ILKER', 'ılker'],
  ['HAT', 'ΗΑΤ'],
])('treats the keys %s and %s as alike', (one, other) => {
  expect(foldLooks(one)).toBe(foldLooks(other));
});

it.each([
  ['10.1', '101'],
  ['P10.1', 'P101'],
  ['E100', 'E101'],
  ['ø1', 'o1'],
  ['営業1', '営業2'],
])('keeps the keys %s and %s apart', (one, other) => {
  expect(foldLooks(one)).not.toBe(foldLooks(other));
});
