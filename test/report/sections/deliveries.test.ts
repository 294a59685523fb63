import { expect, test } from 'vitest';
import { problemText } from '../../../src/report/sections/deliveries.js';

test.each([
  ['Answered 502: an HTML page', 'C: Answered 502: an HTML page. Wait.'],
  ['The folder is gone.', 'C: The folder is gone. Wait.'],
  ['Is it there?', 'C: Is it there? Wait.'],
])('the words of a problem are a sentence before what to do: %s', (message, told) => {
  expect(problemText({ code: 'C', message, remedy: 'Wait.' })).toBe(told);
});
