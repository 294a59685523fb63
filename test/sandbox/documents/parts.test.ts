import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { World } from '../../../src/sandbox/account/world.js';
import { requireTemplate } from '../../../src/sandbox/documents/choose-look.js';
import { cutTexts } from '../../../src/sandbox/documents/cut-texts.js';
import { fillSlides } from '../../../src/sandbox/documents/fill-slides.js';
import { FontShelf } from '../../../src/sandbox/documents/fonts.js';
import { formatPeriod } from '../../../src/sandbox/documents/format-values.js';
import { LABELLED_LANGUAGES, labelsOf } from '../../../src/sandbox/documents/labels.js';
import { splitDirections } from '../../../src/sandbox/documents/office-fonts.js';
import { keepsNextParagraph, splitProse } from '../../../src/sandbox/documents/paper.js';
import type { SlideText } from '../../../src/sandbox/documents/slide-texts.js';
import { paginate } from '../../../src/sandbox/documents/strips.js';
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

test.each([
  ['My contribution:\n- one\n- two\n- three\nEnd.', [true, true, true, false, false]],
  ['成果：\n- 一', [true, false]],
  ['One.\nTwo.', [false, false]],
  ['- one\n- two\n- three\n- four', [true, false, true, false]],
])('of %j, what introduces the rest and the ends of a list keep together', (text, expected) => {
  const { paragraphs } = splitProse(text);
  expect(paragraphs.map((_, index) => keepsNextParagraph(paragraphs, index))).toEqual(expected);
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

test('fills slides in order, and keeps a heading with its text', () => {
  const heading = { text: 'Work', section: 'Work', size: 18, color: '000000', keepsNext: true };
  const line = { text: 'Done.', size: 36, color: '000000' };
  const slides = fillSlides([line, line, heading, line, line, line], { width: 10, height: 2 });
  expect(slides.map(({ texts, sections }) => [texts.length, sections])).toEqual([
    [2, []],
    [3, ['Work']],
    [1, ['Work']],
  ]);
});

describe('texts on a slide', () => {
  const look = { size: 18, color: '000000' };
  const prose = (text: string) => ({ ...look, text, isProse: true });
  const cut = (texts: readonly SlideText[], height: number, language = 'en') => {
    const { texts: shown, isCut } = cutTexts(texts, 4, height, language);
    return [shown.map(({ text }) => text), isCut];
  };
  const SKILLS = { ...look, text: 'Skills: Go' };
  const FIRST = 'It took nine months of work. ';
  const SECOND = 'It was done in time and it has run since.';
  const LABEL = { ...prose('Results:'), keepsNext: true };

  test.each([
    ['are kept where they fit', [prose(FIRST + SECOND), SKILLS], 2, [[FIRST + SECOND, 'Skills: Go'], false]],
    ['are cut after a sentence', [prose(FIRST + SECOND), SKILLS], 1, [[`${FIRST}…`, 'Skills: Go'], true]],
    ['are cut after a word', [prose(SECOND)], 0.4, [['It was done in time and it …'], true]],
    ['end in no introduction', [prose('Done.'), LABEL, prose(SECOND)], 0.7, [['Done. …'], true]],
    ['are two lines of a list', [{ ...SKILLS, text: 'Go · '.repeat(40) }], 9, [[`${'Go · '.repeat(11)}Go …`], true]],
    ['lose the last roles where all are too many', [SKILLS, SKILLS, SKILLS], 0.7, [['Skills: Go', 'Skills: Go'], true]],
    ['lose all prose rather than skills', [prose(SECOND), SKILLS], 0.32, [['Skills: Go'], true]],
  ] as const)('%s', (_, texts, height, expected) => {
    expect(cut(texts, height)).toEqual(expected);
  });

  test('of Chinese are cut after a sentence', () => {
    const text = '九人团队更换了设备。电站持续运行，没有造成一小时的停电，报警响应时间缩短到十二秒。';
    expect(cut([prose(text)], 0.7, 'zh')).toEqual([['九人团队更换了设备。 …'], true]);
  });
});

describe('pages', () => {
  const line = { gap: 2, height: 10, keepsNext: false };
  const kept = { ...line, keepsNext: true };

  test.each([
    ['take what fits; the first has no gap', [line, line, line], ['0:0', '0:12', '1:0']],
    ['do not end in what keeps the next', [line, kept, line], ['0:0', '1:0', '1:12']],
    ['begin with a chain of them', [line, kept, kept], ['0:0', '1:0', '1:12']],
    ['break a chain that is longer than they are', [kept, kept, kept, line], ['0:0', '0:12', '1:0', '1:12']],
    ['hold a strip that is higher than they are', [line, { ...line, height: 40 }, line], ['0:0', '1:0', '2:0']],
  ] as const)('%s', (_, strips, expected) => {
    expect(paginate(strips, 25).map(({ page, top }) => `${page}:${top}`)).toEqual(expected);
  });
});

test('a template that an earlier release stored hides nothing', () => {
  const account = { templates: [{ id: 'old', accent: '#112233' }] };
  expect(requireTemplate({ account } as unknown as World, 'old')).toMatchObject({ accent: '#112233', hide: [] });
});

test('loads the document libraries with the first document', () => {
  const text = readFileSync(new URL('../../../src/sandbox/documents/render-document.ts', import.meta.url), 'utf8');
  expect(text.match(/await import\('\.\/write-\w+\.js'\)/g)).toHaveLength(3);
  expect(text).not.toMatch(/^import .*write-/m);
});
