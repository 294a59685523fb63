import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FontShelf } from '../../../src/sandbox/documents/fonts.js';
import { formatPeriod } from '../../../src/sandbox/documents/format-values.js';
import { LABELLED_LANGUAGES, labelsOf } from '../../../src/sandbox/documents/labels.js';
import { splitDirections } from '../../../src/sandbox/documents/office-fonts.js';
import { splitProse } from '../../../src/sandbox/documents/paper.js';
import { fillSlides } from '../../../src/sandbox/documents/slides.js';
import { tieSigns } from '../../../src/sandbox/documents/teller.js';
import { layOutText } from '../../../src/sandbox/documents/text-layout.js';

test('every language has all labels of the documents', () => {
  const keys = Object.keys(labelsOf('en'));
  for (const language of LABELLED_LANGUAGES) {
    const words = Object.values(labelsOf(language));
    expect([language, words.length, words.filter((word) => !word)]).toEqual([language, keys.length, []]);
  }
  expect(labelsOf('nb')).toEqual(labelsOf('no'));
  expect(labelsOf('xx')).toEqual(labelsOf('en'));
});

test.each([
  [{ month_from: '3', year_from: '2019', year_to: '2021' }, 'Mar 2019 – 2021'],
  [{ year_from: '2019' }, '2019 – present'],
  [{ year_to: '2021', month_to: '13' }, '2021'],
  [{ year_from: '2020', year_to: '2020' }, '2020'],
  [{ year_from: 'c. 2001', year_to: '2002' }, 'c. 2001 – 2002'],
  [{}, ''],
])('formats the period %j as "%s"', (strings, expected) => {
  expect(formatPeriod('en', labelsOf('en'), strings)).toBe(expected);
});

test.each(['C#', '.NET', 'Acme K.K.', 'C++'])(
  'keeps the signs of %s on their side within right-to-left text',
  (name) => {
    const style = { size: 10, isBold: false, isRightToLeft: true, width: 500 };
    const show = (text: string) =>
      layOutText(text, style, new FontShelf()).flatMap(({ runs }) => runs.map((run) => run.text));
    expect(show(`${name} · שלום`).join('')).not.toContain(name);
    expect(show(`${tieSigns(name)} · שלום`).join('')).toContain(name);
    expect(['Go', 'שלום!', ''].map(tieSigns)).toEqual(['Go', 'שלום!', '']);
  },
);

test('splits prose into paragraphs and items', () => {
  expect(splitProse('One.\r\n\n- two\n* three\nfour – five').paragraphs).toEqual([
    { text: 'One.', isItem: false },
    { text: 'two', isItem: true },
    { text: 'three', isItem: true },
    { text: 'four – five', isItem: false },
  ]);
});

describe('lines', () => {
  const shelf = new FontShelf();
  const layOut = (text: string, width: number, isRightToLeft = false) =>
    layOutText(text, { size: 10, isBold: false, isRightToLeft, width }, shelf);

  test('break between words, within their width', () => {
    const lines = layOut('The quick brown fox jumps over the lazy dog', 80);
    expect(lines.map(({ text }) => text).join(' ')).toBe('The quick brown fox jumps over the lazy dog');
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map(({ width }) => width))).toBeLessThanOrEqual(80);
  });

  test('break a word that is longer than a line', () => {
    const address = `https://example.com/${'path/'.repeat(20)}`;
    const lines = layOut(address, 90);
    expect(lines.map(({ text }) => text).join('')).toBe(address);
    expect(Math.max(...lines.map(({ width }) => width))).toBeLessThanOrEqual(90);
  });

  test('break Chinese between ideographs', () => {
    const text = '主持一座水电站控制系统的现代化改造';
    const lines = layOut(text, 60);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.map((line) => line.text).join('')).toBe(text);
  });

  test('put words in the other direction in order', () => {
    const [line] = layOut('שלום (ABC) 12 עולם', 400, true);
    const shown = line?.runs.map(({ text, isFromRight }) => [text.trim(), isFromRight]);
    // From left to right on the screen: the first word is at the right end, and brackets open towards their content.
    expect(shown).toEqual([
      ['עולם', true],
      ['', true],
      ['12', false],
      ['(', true],
      ['ABC', false],
      [')', true],
      ['שלום', true],
    ]);
  });
});

test('splits runs by direction, and keeps marks with the words before them', () => {
  expect(splitDirections('مرحبا، Anna!')).toEqual([
    { text: 'مرحبا، ', isRightToLeft: true },
    { text: 'Anna!', isRightToLeft: false },
  ]);
});

test('fills slides after the cover, and keeps a heading with its text', () => {
  const room = { width: 10, coverHeight: 0.5, height: 2 };
  const heading = {
    text: 'Work',
    section: 'Work',
    options: { fontSize: 18, color: '000000', breakLine: true, keepsNext: true },
  };
  const line = { text: 'Done.', options: { fontSize: 36, color: '000000', breakLine: true } };
  const slides = fillSlides([heading, line, line, line, line], room);
  expect(slides.map(({ texts, sections }) => [texts.length, sections])).toEqual([
    [0, []],
    [3, ['Work']],
    [2, ['Work']],
  ]);
});

test('the libraries of documents load with the first document', () => {
  const text = readFileSync(new URL('../../../src/sandbox/documents/render-document.ts', import.meta.url), 'utf8');
  expect(text.match(/await import\('\.\/write-\w+\.js'\)/g)).toHaveLength(3);
  expect(text).not.toMatch(/^import .*write-/m);
});
