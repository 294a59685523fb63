import { expect, test } from 'vitest';
import { problemText } from '../../../src/report/sections/deliveries.js';

test.each([
  ['Answered 502: an HTML page', 'C: Answered 502: an HTML page. Wait.'],
  ['The folder is gone.', 'C: The folder is gone. Wait.'],
  ['Is it there?', 'C: Is it there? Wait.'],
])('ends a problem with a full stop before the remedy: %s', (message, told) => {
  expect(problemText({ code: 'C', message, remedy: 'Wait.' })).toBe(told);
});
