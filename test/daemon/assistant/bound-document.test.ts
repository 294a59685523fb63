import { expect, it } from 'vitest';
import { boundDocument, MOST_CHARACTERS } from '../../../src/daemon/assistant/bound-document.js';

const entries = (count: number, text = 'x') => Array.from({ length: count }, (_, i) => ({ i, text }));
const NEXT = (skip: number) => `Ask again with skip: ${skip}.`;

it.each([
  ['a small document', { entries: entries(100) }, 0, []],
  ['a long list', { entries: entries(101) }, 0, [{ at: 'data.entries', shown: 100, of: 101, rest: NEXT(100) }]],
  [
    'the middle of a long list',
    { entries: entries(300) },
    100,
    [{ at: 'data.entries', shown: 100, of: 300, rest: NEXT(200) }],
  ],
  ['the end of a long list', { entries: entries(101) }, 100, [expect.objectContaining({ shown: 1, of: 101 })]],
  [
    'a long text',
    { text: 'x'.repeat(2_001) },
    0,
    [expect.objectContaining({ at: 'data.text', shown: 2_000, of: 2_001 })],
  ],
  [
    'an inner list',
    { a: { b: entries(200) } },
    100,
    [expect.objectContaining({ at: 'data.a.b', shown: 100, of: 200 })],
  ],
])('reports the truncated parts of %s', (_, document, skip, cut) => {
  expect(boundDocument(document, skip).cut).toEqual(cut);
});

it.each([
  ['long texts in a list', { entries: entries(1_000, 'x'.repeat(1_900)) }],
  ['long texts nested in objects', { a: { b: { c: entries(50, 'x'.repeat(5_000)) } } }],
  ['many members', Object.fromEntries(entries(5_000).map(({ i, text }) => [`member ${i}`, text.repeat(100)]))],
  ['long names', Object.fromEntries(entries(50).map(({ i }) => [`${i}`.padEnd(20_000, 'x'), 1]))],
])('bounds %s', (_, document) => {
  const bounded = boundDocument(document, 0);
  expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(MOST_CHARACTERS + 100);
  expect(bounded.cut.length).toBeGreaterThan(0);
});
