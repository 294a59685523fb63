import { expect, test } from 'vitest';
import { foldLines } from '../../../src/report/writers/fold-lines.js';
import { createStyle, stripPaint } from '../../../src/report/writers/style.js';

test.each([
  ['as it is where it fits', 'one two', 'one two'],
  ['set in by four', '  ! one two three four', '  ! one two\n      three four'],
  ['set in behind the first column', 'State  one two three', 'State  one two\n       three'],
  ['blanks within a line stay', '  a  b   c d', '  a  b   c d'],
  ['a command to be copied stays whole', 'Then: talent-sync approve --guard x', 'Then: talent-sync approve --guard x'],
  ['what is in back ticks too', 'see `users.bulk load` now', 'see\n    `users.bulk load`\n    now'],
  ['a word longer than the line is not cut', 'head 0123456789abcdef', 'head\n    0123456789abcdef'],
])('a line of a text for a terminal: %s', (_, text, folded) => {
  expect(foldLines(text, 16)).toBe(folded);
});

test('colours take no columns', () => {
  const { dim } = createStyle(true);
  expect(foldLines(dim('  0123456789 234'), 16)).toBe(dim('  0123456789 234'));
  expect(stripPaint(foldLines(dim('  a: 23456789 12345'), 16))).toBe('  a: 23456789\n      12345');
});
