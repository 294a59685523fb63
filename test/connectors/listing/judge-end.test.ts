import { describe, expect, it } from 'vitest';
import {
  addPage,
  type EndHints,
  judgeEnd,
  type NextStep,
  type SeenPage,
} from '../../../src/connectors/listing/judge-end.js';

/**
 * Rows of a page. `new`: the rows seen for the first time; `of`: the count of the server; `keyless`: the rows without
 * an id.
 */
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

describe('a listing that we page through by our own position', () => {
  it.each<[string, readonly Page[], string, Partial<EndHints>?]>([
    // The count is not reached.
    ['a higher count', [of(100, 250)], 'more'],
    ['a short page in the middle', [of(100, 250), of(40, 250)], 'more'],
    ['pages without a count, until nothing new comes', [10, 10, 5], 'more'],
    // The count is reached.
    ['a last page shorter than another', [of(100, 250), of(100, 250), of(50, 250)], 'ended'],
    ['a last page as long as the others', [of(100, 200), of(100, 200)], 'more'],
    ['a single full page', [of(100, 100)], 'more'],
    ['a single page that may have been capped', [of(12, 12)], 'more'],
    ['a page of changes, without requesting more', [of(12, 12)], 'ended', { isPart: true }],
    ['no rows at all', [of(0, 0)], 'ended'],
    ['no rows, out of ten', [of(0, 10)], 'contradicted: miscounted'],
    // The request beyond the end.
    ['an empty page beyond the end', [of(12, 12), known(0, 12)], 'ended'],
    ['an empty page beyond the end that counts nothing', [of(12, 12), known(0, 0)], 'ended'],
    ['a rejected request beyond the end', [of(12, 12), known(0)], 'ended'],
    ['a rejected request before the count is reached', [of(12, 30), known(0)], 'contradicted: miscounted'],
    ['a higher count beyond the end', [of(12, 12), known(0, 13)], 'contradicted: miscounted'],
    ['a new row meanwhile', [of(12, 12), of(1, 13)], 'contradicted: moved'],
    ['a file that answers every page alike', [of(12, 12), known(12, 12)], 'ended'],
    [
      'such a file, with as many rows as requested',
      [of(100, 100), known(100, 100)],
      'unproven: as asked',
      { asked: new Set([100]) },
    ],
    [
      'such a file, with a usual limit and other rows than before',
      [of(50, 50), known(50, 50)],
      'unproven: as before',
      { other: { rows: true, content: true } },
    ],
    ['a static file: the first page again, without a count', [10, known(10)], 'ended'],
    ['such a file, if pages of that length were full before', [10, known(10)], 'unproven: full page', { fullPage: 10 }],
    ['the first page again after two pages', [10, 10, known(10)], 'ended'],
    [
      'the first page again after two of three counted pages',
      [of(10, 30), of(10, 30), known(10, 30)],
      'contradicted: miscounted',
    ],
    ['rows without an id', [10, { rows: 10, keyless: 10 }], 'contradicted: repeated'],
    // The server counts only the rows of a page.
    ['more rows than the count', [of(10, 10), of(2, 2)], 'more'],
    ['more rows than the count, then an empty page', [of(10, 10), of(2, 2), known(0, 0)], 'ended'],
    ['the page limit in place of a count', [of(10, 10), of(10, 10), of(5, 10)], 'more'],
    ['a server known for that', [of(10, 10)], 'more', { isPart: true, countsPages: true }],
    ['a server known for that, which now counts all rows', [of(10, 12), of(2, 12)], 'ended', { countsPages: true }],
  ])('handles %s', (_, pages, expected, hints = {}) => {
    expect(judge('own', pages, 'own', hints)).toBe(expected);
  });
});

describe('a listing whose server announces the next page', () => {
  it.each<[string, readonly Page[], NextStep, string, Partial<EndHints>?]>([
    ['an announced page', [10], 'announced', 'more'],
    ['an announced page although the count is reached', [of(10, 10)], 'announced', 'more'],
    ['a last page shorter than another', [10, 10, 5], 'said', 'ended'],
    ['an end after a full page', [10, 10], 'said', 'unproven: full page'],
    ['an end after a full page, if the count agrees', [of(10, 20), of(10, 20)], 'said', 'ended'],
    ['a trusted end after a full page', [10, 10], 'said', 'ended', { isTrusted: true }],
    ['an end after a full page of changes', [10, 10], 'said', 'ended', { isPart: true }],
    ['an end before the count is reached', [of(10, 25), of(5, 25)], 'said', 'contradicted: miscounted'],
    [
      'a trusted end before the count is reached',
      [of(10, 25)],
      'said',
      'contradicted: miscounted',
      { isTrusted: true },
    ],
    ['an empty page that was announced', [10, known(0)], 'said', 'contradicted: announced nothing'],
    [
      'an empty page that was announced, if the count agrees',
      [of(10, 10), known(0, 10)],
      'said',
      'contradicted: announced nothing',
    ],
    ['an empty page in the middle', [10, known(0), 5], 'said', 'contradicted: announced nothing'],
    ['an empty page that announces another', [10, known(0)], 'announced', 'more'],
    ['two empty pages that announce another', [10, known(0), known(0)], 'announced', 'contradicted: announced nothing'],
    ['an empty page of changes', [10, known(0)], 'said', 'ended', { isPart: true }],
    ['an announced page with known rows', [of(10, 10), known(10, 10)], 'announced', 'contradicted: repeated'],
    ['a single page', [7], 'said', 'ended'],
    ['a single page that does not mention a next one', [7], 'silent', 'unproven: silent'],
    ['such a page, if trusted', [7], 'silent', 'ended', { isTrusted: true }],
    ['such a page of changes', [7], 'silent', 'unproven: silent', { isPart: true }],
    ['such a page, if the count agrees', [of(7, 7)], 'silent', 'ended'],
    ['a single page with as many rows as requested', [10], 'said', 'unproven: as asked', { asked: new Set([10]) }],
    ['a single page as long as full ones before', [10], 'said', 'unproven: full page', { fullPage: 10 }],
    ['a single page shorter than full ones before', [9], 'said', 'ended', { fullPage: 10 }],
    [
      'a single page with other rows than before',
      [7],
      'said',
      'unproven: as before',
      { other: { rows: true, content: true } },
    ],
    ['a single page with other content than before', [7], 'said', 'ended', { other: { rows: false, content: true } }],
  ])('handles %s', (_, pages, next, expected, hints = {}) => {
    expect(judge('announced', pages, next, hints)).toBe(expected);
  });
});

describe('a listing in a single response', () => {
  const other = { rows: true, content: true };
  it.each<[string, Page, string, Partial<EndHints>?]>([
    ['any number of rows', 230, 'ended'],
    ['a usual limit, seen once', 100, 'ended'],
    ['any number of rows twice, with different content', 77, 'ended', { other }],
    ...[50, 100, 200, 250, 500, 1_000].map((rows): [string, Page, string, Partial<EndHints>] => [
      `${rows} rows twice, with different content`,
      rows,
      'unproven: as before',
      { other },
    ]),
    ['as many rows as the query requests', 77, 'unproven: as asked', { asked: new Set([77]) }],
    [
      'as many rows as the query requests, whatever the count',
      of(77, 77),
      'unproven: as asked',
      { asked: new Set([77]) },
    ],
    ['as many rows as the query requests, if trusted', 77, 'ended', { asked: new Set([77]), isTrusted: true }],
    ['fewer rows than the count', of(10, 25), 'contradicted: miscounted'],
  ])('handles %s', (_, page, expected, hints = {}) => {
    expect(judge('announced', [page], 'only', hints)).toBe(expected);
  });
});
