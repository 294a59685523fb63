import { describe, expect, it } from 'vitest';
import {
  addPage,
  type EndHints,
  judgeEnd,
  type NextStep,
  type SeenPage,
} from '../../../src/connectors/listing/judge-end.js';

/** Rows of a page; with `new`, how many of them had not come before; with `of`, how many the server counts. */
type Page = number | { readonly rows: number; readonly new?: number; readonly of?: number; readonly keyless?: number };

const USUAL: EndHints = {
  isPart: false,
  isTrusted: false,
  asked: new Set(),
  fullPage: null,
  countsPages: false,
  other: { rows: false, content: false },
};

function judge(way: 'own' | 'announced', pages: readonly Page[], next: NextStep, hints: Partial<EndHints>): string {
  const seen = pages.map((page, index): SeenPage => {
    const {
      rows,
      keyless = 0,
      new: news = rows - keyless,
      of: total = null,
    } = typeof page === 'number' ? { rows: page } : page;
    return { way: index === 0 ? 'first' : way, rows, news, unknown: keyless, total };
  });
  const [first, ...others] = seen;
  if (first === undefined) throw new Error('no page');
  const all = others.reduce(addPage, addPage(null, first));
  const verdict = judgeEnd(all, next, { ...USUAL, ...hints });
  return 'doubt' in verdict ? `${verdict.kind}: ${verdict.doubt.kind}` : verdict.kind;
}

const of = (rows: number, total: number, news = rows): Page => ({ rows, of: total, new: news });
const known = (rows: number, total?: number): Page => ({ rows, new: 0, ...(total === undefined ? {} : { of: total }) });

describe('a listing that we page through by a place of our own', () => {
  it.each<[string, readonly Page[], string, Partial<EndHints>?]>([
    // A count that is not reached.
    ['more is counted', [of(100, 250)], 'more'],
    ['a short page in the middle', [of(100, 250), of(40, 250)], 'more'],
    ['no count: until nothing new comes', [10, 10, 5], 'more'],
    // A count that is reached.
    ['the last page is shorter than another', [of(100, 250), of(100, 250), of(50, 250)], 'ended'],
    ['the last page is as long as the others', [of(100, 200), of(100, 200)], 'more'],
    ['the only page is full', [of(100, 100)], 'more'],
    ['the only page may have been capped', [of(12, 12)], 'more'],
    ['what changed is not asked for twice', [of(12, 12)], 'ended', { isPart: true }],
    ['nobody at all', [of(0, 0)], 'ended'],
    ['nobody, of ten', [of(0, 10)], 'contradicted: miscounted'],
    // The request past the end.
    ['it is empty', [of(12, 12), known(0, 12)], 'ended'],
    ['it is empty and counts nothing', [of(12, 12), known(0, 0)], 'ended'],
    ['it is refused', [of(12, 12), known(0)], 'ended'],
    ['it is refused before the count is reached', [of(12, 30), known(0)], 'contradicted: miscounted'],
    ['it counts more', [of(12, 12), known(0, 13)], 'contradicted: miscounted'],
    ['a joiner has come meanwhile', [of(12, 12), of(1, 13)], 'contradicted: moved'],
    ['a file that answers every page alike', [of(12, 12), known(12, 12)], 'ended'],
    [
      'the same, and as many as were asked for',
      [of(100, 100), known(100, 100)],
      'unproven: as asked',
      { asked: new Set([100]) },
    ],
    [
      'the same, a usual limit, and other rows than before',
      [of(50, 50), known(50, 50)],
      'unproven: as before',
      { other: { rows: true, content: true } },
    ],
    ['a static file: the first page again, and no count', [10, known(10)], 'ended'],
    ['the same, and pages of that length were full before', [10, known(10)], 'unproven: full page', { fullPage: 10 }],
    ['the first page again after two', [10, 10, known(10)], 'ended'],
    [
      'the first page again after two of three counted',
      [of(10, 30), of(10, 30), known(10, 30)],
      'contradicted: miscounted',
    ],
    ['rows without an id', [10, { rows: 10, keyless: 10 }], 'contradicted: repeated'],
    // A server that counts the rows of a page.
    ['more came than is counted', [of(10, 10), of(2, 2)], 'more'],
    ['then nothing', [of(10, 10), of(2, 2), known(0, 0)], 'ended'],
    ['its limit in place of a count', [of(10, 10), of(10, 10), of(5, 10)], 'more'],
    ['it is known for that', [of(10, 10)], 'more', { isPart: true, countsPages: true }],
    ['it is known for that, and counts all now', [of(10, 12), of(2, 12)], 'ended', { countsPages: true }],
  ])('%s', (_, pages, expected, hints = {}) => {
    expect(judge('own', pages, 'own', hints)).toBe(expected);
  });
});

describe('a listing whose pages the server announces', () => {
  it.each<[string, readonly Page[], NextStep, string, Partial<EndHints>?]>([
    ['there is a next page', [10], 'announced', 'more'],
    ['there is a next page, though the count is reached', [of(10, 10)], 'announced', 'more'],
    ['the last page is shorter than another', [10, 10, 5], 'said', 'ended'],
    ['it stops after a full page', [10, 10], 'said', 'unproven: full page'],
    ['it stops after a full page, and the count agrees', [of(10, 20), of(10, 20)], 'said', 'ended'],
    ['it stops after a full page, and is trusted', [10, 10], 'said', 'ended', { isTrusted: true }],
    ['it stops after a full page of what changed', [10, 10], 'said', 'ended', { isPart: true }],
    ['it stops short of the count', [of(10, 25), of(5, 25)], 'said', 'contradicted: miscounted'],
    ['trust does not outweigh a count', [of(10, 25)], 'said', 'contradicted: miscounted', { isTrusted: true }],
    ['a page that it announced is empty', [10, known(0)], 'said', 'contradicted: announced nothing'],
    ['the same, and the count agrees', [of(10, 10), known(0, 10)], 'said', 'contradicted: announced nothing'],
    ['a page in the middle is empty', [10, known(0), 5], 'said', 'contradicted: announced nothing'],
    ['it is read on all the same', [10, known(0)], 'announced', 'more'],
    ['but not for ever', [10, known(0), known(0)], 'announced', 'contradicted: announced nothing'],
    ['an empty page of what changed', [10, known(0)], 'said', 'ended', { isPart: true }],
    ['a page that it announced has known rows', [of(10, 10), known(10, 10)], 'announced', 'contradicted: repeated'],
    ['the only page', [7], 'said', 'ended'],
    ['the only page says nothing', [7], 'silent', 'unproven: silent'],
    ['the only page says nothing, and is trusted', [7], 'silent', 'ended', { isTrusted: true }],
    ['the only page says nothing of what changed', [7], 'silent', 'unproven: silent', { isPart: true }],
    ['the only page says nothing, and the count agrees', [of(7, 7)], 'silent', 'ended'],
    ['the only page has as many rows as asked for', [10], 'said', 'unproven: as asked', { asked: new Set([10]) }],
    ['the only page is as long as full ones before', [10], 'said', 'unproven: full page', { fullPage: 10 }],
    ['the only page is shorter than full ones before', [9], 'said', 'ended', { fullPage: 10 }],
    [
      'the only page has other rows than before',
      [7],
      'said',
      'unproven: as before',
      { other: { rows: true, content: true } },
    ],
    ['the only page has other words than before', [7], 'said', 'ended', { other: { rows: false, content: true } }],
  ])('%s', (_, pages, next, expected, hints = {}) => {
    expect(judge('announced', pages, next, hints)).toBe(expected);
  });
});

describe('a listing that comes at once', () => {
  const other = { rows: true, content: true };
  it.each<[string, Page, string, Partial<EndHints>?]>([
    ['any number', 230, 'ended'],
    ['a usual limit, seen once', 100, 'ended'],
    ['any number twice, with another content', 77, 'ended', { other }],
    ...[50, 100, 200, 250, 500, 1_000].map((rows): [string, Page, string, Partial<EndHints>] => [
      `${rows} twice, with another content`,
      rows,
      'unproven: as before',
      { other },
    ]),
    ['as many as the query asks for', 77, 'unproven: as asked', { asked: new Set([77]) }],
    ['as many as the query asks for, whatever is counted', of(77, 77), 'unproven: as asked', { asked: new Set([77]) }],
    ['as many as the query asks for, and trusted', 77, 'ended', { asked: new Set([77]), isTrusted: true }],
    ['fewer than are counted', of(10, 25), 'contradicted: miscounted'],
  ])('%s', (_, page, expected, hints = {}) => {
    expect(judge('announced', [page], 'only', hints)).toBe(expected);
  });
});
