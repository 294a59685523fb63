import { describe, expect, it } from 'vitest';
import { cleanLine, cleanText } from '../../src/model/clean-text.js';

describe('hidden characters', () => {
  it.each([
    ['an escape sequence', 'a\u001b[31mb', 'a\\u001b[31mb'],
    ['the title of a window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
    ['the sequence of one character (C1)', 'a\u009b2Jb\u0085', 'a\\u009b2Jb\\u0085'],
    ['NUL, backspace and DEL', 'a\u0000\b\u007f', 'a\\u0000\\u0008\\u007f'],
    ['line breaks and tabs', 'a\r\nb\tc\u000bd', 'a\\r\\nb\\tc\\u000bd'],
    ['separators of lines', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['overrides of direction', 'fdp\u202eexe.csv', 'fdp\\u202eexe.csv'],
    ['isolates and marks of direction', '\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
    ['halves of a character', 'a\ud800b\udc00', 'a\\ud800b\\udc00'],
    ['characters without width', 'a\u200bb\u2060c\ufeffd\u00ade\u034f', 'a\\u200bb\\u2060c\\ufeffd\\u00ade\\u034f'],
    ['fillers that look like blanks', '\u3164\u115f\uffa0', '\\u3164\\u115f\\uffa0'],
    ['tags, as the pair of units that JSON writes', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['joiners between letters that need none', 'ad\u200dmin\u200c', 'ad\\u200dmin\\u200c'],
    ['a selector after a letter', 'a\ufe0fb', 'a\\ufe0fb'],
    ['code points that are no characters', '\uffff\ufdd0', '\\uffff\\ufdd0'],
  ])('escapes %s', (_, raw, shown) => {
    expect(cleanLine(raw)).toBe(shown);
  });
});

describe('text that people write', () => {
  it.each([
    ['plain text', 'Anne-Marie O\'Neil <a@b.no> | 100 % "x" \\ /'],
    ['other scripts', 'Ærlig Øst, Łukasz, 山田太郎, محمد, בן, Ελένη, Юлия, สมชาย'],
    ['a letter and its accent apart', 'Jose\u0301'],
    ['a Persian name with its joiner', 'علی\u200cرضا'],
    ['an Indian name with its joiner', 'क्\u200dष'],
    ['a family and a heart', '👩‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ 🇳🇴'],
    ['a name in its own form of a character', '辻\u{e0100}'],
    ['spaces of all widths', 'a\u00a0b\u202fc\u3000d'],
  ])('leaves %s unchanged', (_, text) => {
    expect(cleanLine(text)).toBe(text);
    expect(cleanText(text)).toBe(text);
  });
});

describe('a text of several lines', () => {
  it('keeps line feeds and escapes every other hidden character', () => {
    expect(cleanText('a\nb\r\n\u001b[2J\u2028')).toBe('a\nb\\r\n\\u001b[2J\\u2028');
  });

  it('stays JSON with the same value', () => {
    const value = { name: 'a\u202e\u009b\u2028\ud800\u{e0041}\n', 'k\u200b': [1, null] };
    const text = cleanText(JSON.stringify(value, null, 2));
    expect(text).toMatch(/^[\n\x20-\x7e]+$/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

it('keeps a variation selector after a digit, and escapes one after a letter or a line break', () => {
  expect(cleanText('row 1\ufe0f\u20e3 é\n\ufe0fa\ufe0f\n')).toBe('row 1\ufe0f\u20e3 é\n\\ufe0fa\\ufe0f\n');
});
