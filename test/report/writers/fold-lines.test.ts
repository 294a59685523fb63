import { expect, test } from 'vitest';
import { foldLines } from '../../../src/report/writers/fold-lines.js';
import { createStyle, stripPaint } from '../../../src/report/writers/style.js';

test.each([
  ['keeps it unchanged if it fits', 'one two', 'one two'],
  ['indents by four', '  ! one two three four', '  ! one two\n      three four'],
  ['indents to the second column', 'State  one two three', 'State  one two\n       three'],
  ['keeps spaces within the line', '  a  b   c d', '  a  b   c d'],
  [
    'does not break a command for copying',
    'Then: talent-sync approve --guard x',
    'Then: talent-sync approve --guard x',
  ],
  ['does not break text in backticks', 'see `users.bulk load` now', 'see\n    `users.bulk load`\n    now'],
  ['does not break a word that is longer than the line', 'head 0123456789abcdef', 'head\n    0123456789abcdef'],
])('folds a line for a terminal: %s', (_, text, folded) => {
  expect(foldLines(text, 16)).toBe(folded);
});

test('does not count colours as columns', () => {
  const { dim } = createStyle(true);
  expect(foldLines(dim('  0123456789 234'), 16)).toBe(dim('  0123456789 234'));
  expect(stripPaint(foldLines(dim('  a: 23456789 12345'), 16))).toBe('  a: 23456789\n      12345');
});
