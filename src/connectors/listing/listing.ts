import { asSyncError } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { HttpSource } from '../http/http-source.js';
import { describeEnd } from './describe-end.js';
import { compareLone, type EndMemory, type LonePrint, LonePrinter, learnEnds, NOTHING_KNOWN } from './end-memory.js';
import {
  addPage,
  type EndHints,
  type EndVerdict,
  judgeEnd,
  type NextStep,
  type PagesSoFar,
  type SeenPage,
} from './judge-end.js';
import type { ListingRules, PageStep, Question } from './question.js';

/** The maximum number of pages, for lists that never end. With 100 rows per page, this is a million rows. */
const MOST_PAGES = 10_000;
/** The maximum number of restarts, for listings that lose their place each time. */
const MOST_RESTARTS = 3;
/**
 * Statuses for an expired place. After a successful first page, a rejection concerns the place that the system itself
 * returned.
 */
const LAPSED: readonly number[] = [400, 404, 410];
/** Statuses for a record that no longer exists. */
const GONE: readonly number[] = [404, 410];
/** Statuses for a computed place that is past the end. */
const PAST_THE_END: readonly number[] = [204, 400, 404];

export interface Listing {
  /** The reason why the listing is not proved complete; null if it is. */
  readonly because: string | null;
  /** True if another attempt may succeed, because rows were added or removed during the read. */
  readonly mayPass: boolean;
  /** True if all rows that the system listed were read, and nothing contradicts that the listing is complete. */
  readonly isUnproven: boolean;
  /** The body of the last page. */
  readonly last: Json;
  readonly at: string;
  /** The number of rows without an id. */
  readonly keyless: number;
  /** Facts about the pages, for the next read. */
  readonly memory: EndMemory;
  /** The pages that were read; null if there were none. */
  readonly pages: PagesSoFar | null;
  /** The step that could have followed the last page. */
  readonly next: NextStep | null;
}

/** @returns the id of the row; null if the row has no reliable id */
export type TakeRow = (row: Json, at: string, position: number) => string | null;

export interface ListingSystem {
  readonly http: HttpSource;
  readonly rules: ListingRules;
  /** True if the configuration trusts the system's own statement about the end. */
  readonly isEndTrusted?: boolean;
  /** The rows of earlier reads, if they are kept. */
  readonly rows?: Pick<KnownRows, 'find'>;
}

/** The purpose of a read; absent if the read is to find all rows for the first time. */
export interface ListingPurpose {
  readonly signal?: AbortSignal | undefined;
  /** True if the question asks only for a part, such as changes, so that absences do not count. */
  readonly isPart?: boolean;
  readonly memory?: EndMemory;
  /** Returns true if no further page is needed. */
  readonly isEnough?: (pages: PagesSoFar) => boolean;
}

/**
 * Reads all pages of a question. If the place in the listing expires, reading begins again, and `take` recognises
 * repeated rows by their ids.
 */
export async function readListing(
  system: ListingSystem,
  question: Question,
  take: TakeRow,
  purpose: ListingPurpose = {},
): Promise<Listing> {
  const { call, isContinued = false } = question;
  const { signal, isPart = question.listsDeleted === true, memory = NOTHING_KNOWN } = purpose;
  const listed = { system, question, take, signal, isPart, memory, isEnough: purpose.isEnough ?? (() => false) };
  for (let times = 1; ; times++) {
    const listing = await tryListing(listed);
    if (!('lapsed' in listing)) return listing;
    if (!isContinued && times <= MOST_RESTARTS) continue;
    const { lapsed } = listing;
    const said = system.rules.words.said(lapsed);
    const because = `the place in the listing was lost ${times} times before it ended (${lapsed.status}${said === null ? '' : `: ${said}`})`;
    return {
      because,
      mayPass: true,
      last: null,
      at: nameCall(call),
      keyless: 0,
      memory,
      pages: null,
      next: null,
      isUnproven: false,
    };
  }
}

function nameCall(call: HttpCall): string {
  return `GET ${call.at ?? stripQuery(call.url)}`;
}

interface Listed extends Required<Omit<ListingPurpose, 'signal'>> {
  readonly system: ListingSystem;
  readonly question: Question;
  readonly take: TakeRow;
  readonly signal: AbortSignal | undefined;
}

interface ListingProgress {
  readonly seen: Set<string>;
  keyless: number;
  /** The number of listed rows that no longer existed when their details were requested. */
  gone: number;
  position: number;
  print: LonePrint | null;
  pages: PagesSoFar | null;
}

/** The response that rejects a place in a listing. */
interface Lapsed {
  readonly lapsed: HttpAnswer;
}

/** The last page that was read, and the step that could follow it. */
interface Reached {
  last: Pick<HttpAnswer, 'body' | 'at'>;
  next: NextStep | null;
}

async function tryListing(listed: Listed): Promise<Listing | Lapsed> {
  const { system, question, isEnough } = listed;
  const progress: ListingProgress = { seen: new Set(), keyless: 0, gone: 0, position: 0, print: null, pages: null };
  const reached: Reached = { last: { body: null, at: nameCall(question.call) }, next: null };
  let step: CallStep | null = null;
  for (let count = 1; ; count++) {
    const page = await readNext(listed, progress, step);
    if ('lapsed' in page) return page;
    if ('failed' in page)
      return conclude(listed, progress, reached, { because: page.failed, mayPass: false, isUnproven: true });
    const verdict = judgePage(page, listed, progress, reached);
    step = verdict.kind === 'more' && 'call' in page.next ? page.next : null;
    if (step !== null && count < MOST_PAGES && progress.pages !== null && !isEnough(progress.pages)) continue;
    const isTooLong = step !== null && count >= MOST_PAGES;
    const because = isTooLong ? `more than ${MOST_PAGES} pages` : findReason(verdict, progress, system.rules);
    const { kind } = verdict;
    return conclude(listed, progress, reached, {
      because,
      mayPass: kind === 'contradicted',
      isUnproven: kind === 'unproven',
    });
  }
}

function judgePage(page: ReadPage, listed: Listed, progress: ListingProgress, reached: Reached): EndVerdict {
  progress.pages = addPage(progress.pages, page.seen);
  reached.last = page.answer ?? reached.last;
  reached.next = 'call' in page.next ? page.next.way : page.next.end;
  return judgeEnd(progress.pages, reached.next, hintsOf(listed, progress));
}

function conclude(
  { memory }: Listed,
  { keyless, print, pages }: ListingProgress,
  { last, next }: Reached,
  found: Pick<Listing, 'because' | 'mayPass' | 'isUnproven'>,
): Listing {
  const learnt = pages === null || print === null ? memory : learnEnds(memory, pages, print);
  return { ...found, last: last.body, at: last.at, keyless, memory: learnt, pages, next };
}

function findReason(
  verdict: EndVerdict,
  { keyless, gone }: ListingProgress,
  { words }: Pick<ListingRules, 'words'>,
): string | null {
  const doubt = keyless > 0 ? words.keyless(keyless) : null;
  if (doubt !== null) return doubt;
  if (gone > 0) return `records that disappeared before they were read completely: ${gone}`;
  return 'doubt' in verdict ? describeEnd(verdict.doubt, words) : null;
}

function hintsOf({ system, question, isPart, memory }: Listed, { print }: ListingProgress): EndHints {
  return {
    isPart,
    isTrusted: system.isEndTrusted === true,
    asked: listNumbers(question),
    fullPage: memory.fullPage,
    countsPages: memory.countsPages,
    other: print === null ? { rows: false, content: false } : compareLone(memory, print),
  };
}

/** Matches a number alone or between punctuation, but not a part of a word or a date. */
const NUMBER = /(?<![\w.:-])\d+(?![\w.:-])/g;

/** Lists the numbers in a query, because any number may be a limit. */
function listNumbers({ call, pageSize }: Question): ReadonlySet<number> {
  const values = [...new URL(call.url).searchParams.values()];
  const numbers = values.flatMap((value) => value.match(NUMBER) ?? []).map(Number);
  return new Set([...numbers, ...(pageSize === undefined ? [] : [pageSize])].filter((number) => number > 1));
}

type CallStep = Extract<PageStep, { call: HttpCall }>;

interface ReadPage {
  readonly seen: SeenPage;
  /** null if the system rejected a computed place. */
  readonly answer: HttpAnswer | null;
  readonly next: PageStep;
}

type PageResult = ReadPage | { readonly failed: string } | Lapsed;

/** @param step null for the first page */
async function readNext(listed: Listed, progress: ListingProgress, step: CallStep | null): Promise<PageResult> {
  if (step?.way !== 'own' || !mayBeOver(progress)) return readPage(listed, progress, step);
  // The listing may already have ended, so an error here does not discard the rows that were read; only the proof of
  // completeness is lost.
  try {
    return await readPage(listed, progress, step);
  } catch (error) {
    if (listed.signal?.aborted === true) throw error;
    return { failed: `the request after the last row failed: ${asSyncError(error).message}` };
  }
}

function mayBeOver({ pages }: ListingProgress): boolean {
  return pages?.total == null || pages.position >= pages.total;
}

async function readPage(
  { system, question, take, signal }: Listed,
  progress: ListingProgress,
  step: CallStep | null,
): Promise<PageResult> {
  const call = step?.call ?? question.call;
  const way = step?.way ?? 'first';
  const handled = listHandled(way, question);
  const answer = await system.http.read({ ...call, handles: [...(call.handles ?? []), ...handled] }, signal);
  if (handled.includes(answer.status)) {
    if (way !== 'own') return { lapsed: answer };
    return { seen: { way, rows: 0, news: 0, unknown: 0, total: null }, answer: null, next: { end: 'said' } };
  }
  const judged = judgeAnswer(system, answer);
  const at = call.at ?? stripQuery(call.url);
  const ask = async (one: HttpCall): Promise<HttpAnswer> => {
    const found = await system.http.read(one, signal);
    return one.mayBeGone === true && GONE.includes(found.status) ? found : judgeAnswer(system, found);
  };
  const find = (id: string): Json => system.rows?.find(id) ?? null;
  const total = question.readTotal(judged.body);
  const reading = { take: (row: Json, position: number) => take(row, at, position), ask, find };
  const page = await takePage(judged, question, progress, reading);
  const { isKeylessNews } = system.rules;
  const seen: SeenPage = {
    way,
    rows: page.count,
    news: page.news + (isKeylessNews ? page.keyless : 0),
    unknown: isKeylessNews ? 0 : page.keyless,
    total,
  };
  const { count, lastRow } = page;
  const isFirst = progress.pages === null;
  return {
    seen,
    answer,
    next: question.next({ count, lastRow, call, answer, position: progress.position, isFirst }),
  };
}

function listHandled(way: SeenPage['way'], { isContinued = false }: Question): readonly number[] {
  if (way === 'own') return PAST_THE_END;
  return way === 'announced' || isContinued ? LAPSED : [];
}

function judgeAnswer({ rules }: ListingSystem, answer: HttpAnswer): HttpAnswer {
  if (answer.status >= 400) throw rules.refuse(answer);
  rules.checkLimit(answer);
  return answer;
}

interface PageReading {
  readonly take: (row: Json, position: number) => string | null;
  readonly ask: (call: HttpCall) => Promise<HttpAnswer>;
  readonly find: (id: string) => Json;
}

async function takePage(
  answer: HttpAnswer,
  question: Question,
  progress: ListingProgress,
  { take, ask, find }: PageReading,
) {
  const before = { ...progress, seen: progress.seen.size };
  const printer = progress.pages === null ? new LonePrinter() : null;
  let lastRow: Json | undefined;
  for await (const batch of answer.batches(question.findRows(answer))) {
    const end = progress.position + batch.length;
    for await (const rows of question.complete?.(batch, ask, find) ?? [batch]) {
      for (const row of rows) {
        const id = take(row, ++progress.position);
        printer?.add(row, id);
        if (id === null) progress.keyless++;
        else progress.seen.add(id);
      }
    }
    progress.gone += end - progress.position;
    progress.position = end;
    lastRow = batch.at(-1);
  }
  if (printer !== null) progress.print = printer.finish();
  return {
    count: progress.position - before.position,
    news: progress.seen.size - before.seen + progress.gone - before.gone,
    keyless: progress.keyless - before.keyless,
    lastRow,
  };
}
