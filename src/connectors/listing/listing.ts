import type { Json } from '../../model/json.js';
import { stripQuery } from '../http/addresses.js';
import type { HttpAnswer, HttpCall, HttpSource } from '../http/http-source.js';
import type { ListingRules, PageStep, Question } from './question.js';

/** A list that always has one more page is broken; at 100 per page this is a million rows. */
const MOST_PAGES = 10_000;
/** A listing whose place is lost each time would never end. */
const MOST_RESTARTS = 3;
/** The first page was answered, so that what is refused later is the place that the system itself gave: it has lapsed. */
const LAPSED: readonly number[] = [400, 404, 410];

interface Listing {
  /** Why it does not prove itself whole, null when it does. */
  readonly because: string | null;
  /** Body of the last page. */
  readonly last: Json;
  readonly at: string;
  /** Rows without an id. */
  readonly keyless: number;
}

/** @returns the row's id, null when it has none that can be trusted */
export type TakeRow = (row: Json, at: string, position: number) => string | null;

/** A system that lists rows in pages. */
export interface ListingSystem {
  readonly http: HttpSource;
  readonly rules: ListingRules;
}

/** All pages of a question. Places in a listing lapse; then it begins again, and the taker knows rows by their ids. */
export async function readListing(
  system: ListingSystem,
  question: Question,
  take: TakeRow,
  signal?: AbortSignal,
): Promise<Listing> {
  const { call, isContinued = false } = question;
  for (let times = 1; ; times++) {
    const listing = await tryListing(system, question, take, signal);
    if (!('lapsed' in listing)) return listing;
    if (!isContinued && times <= MOST_RESTARTS) continue;
    const { lapsed } = listing;
    const said = system.rules.words.said(lapsed);
    const because = `the place in the listing was lost ${times} times before it ended (${lapsed.status}${said === null ? '' : `: ${said}`})`;
    return { because, last: null, at: `GET ${call.at ?? stripQuery(call.url)}`, keyless: 0 };
  }
}

interface ListingProgress {
  readonly seen: Set<string>;
  keyless: number;
  /** Rows that were listed, and were gone when the rest of them was asked for. */
  gone: number;
  position: number;
  firstTotal: number | null;
}

/** The answer that refuses a place in a listing. */
interface Lapsed {
  readonly lapsed: HttpAnswer;
}

async function tryListing(
  system: ListingSystem,
  question: Question,
  take: TakeRow,
  signal: AbortSignal | undefined,
): Promise<Listing | Lapsed> {
  const { rules } = system;
  const progress: ListingProgress = { seen: new Set(), keyless: 0, gone: 0, position: 0, firstTotal: null };
  let { call } = question;
  for (let pages = 1; ; pages++) {
    const answer = await askPage(system, call, pages > 1 || question.isContinued === true, signal);
    if ('lapsed' in answer) return answer;
    const total = question.readTotal(answer.body);
    if (pages === 1) progress.firstTotal = total;
    const at = call.at ?? stripQuery(call.url);
    const ask = (one: HttpCall): Promise<HttpAnswer> => askWhole(system, one, signal);
    const page = await readPage(answer, question, progress, { take: (row, position) => take(row, at, position), ask });
    const hasNews = page.news > 0 || (rules.isKeylessNews && page.keyless > 0);
    const step = question.next({ ...page, call, answer, position: progress.position, isFirst: pages === 1, hasNews });
    const isStuck = page.count > 0 && !hasNews;
    const judged = judgeStep(step, { question, rules, progress, total, isStuck, isTooLong: pages >= MOST_PAGES });
    if ('end' in judged) return { because: judged.end, last: answer.body, at: answer.at, keyless: progress.keyless };
    call = judged.call;
  }
}

async function askPage(
  system: ListingSystem,
  call: HttpCall,
  isPlace: boolean,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer | Lapsed> {
  if (!isPlace) return askWhole(system, call, signal);
  const answer = await system.http.read({ ...call, handles: [...(call.handles ?? []), ...LAPSED] }, signal);
  return LAPSED.includes(answer.status) ? { lapsed: answer } : judgeAnswer(system, answer);
}

async function askWhole(system: ListingSystem, call: HttpCall, signal: AbortSignal | undefined): Promise<HttpAnswer> {
  return judgeAnswer(system, await system.http.read(call, signal));
}

function judgeAnswer({ rules }: ListingSystem, answer: HttpAnswer): HttpAnswer {
  if (answer.status >= 400) throw rules.refuse(answer);
  rules.checkLimit(answer);
  return answer;
}

interface PageReading {
  readonly take: (row: Json, position: number) => string | null;
  readonly ask: (call: HttpCall) => Promise<HttpAnswer>;
}

async function readPage(answer: HttpAnswer, question: Question, progress: ListingProgress, { take, ask }: PageReading) {
  const before = { ...progress, seen: progress.seen.size };
  let lastRow: Json | undefined;
  for await (const batch of answer.batches(question.findRows(answer))) {
    const end = progress.position + batch.length;
    for await (const rows of question.complete?.(batch, ask) ?? [batch]) {
      for (const row of rows) {
        const id = take(row, ++progress.position);
        if (id === null) progress.keyless++;
        else progress.seen.add(id);
      }
    }
    progress.gone += end - progress.position;
    progress.position = end;
    lastRow = batch.at(-1);
  }
  return {
    count: progress.position - before.position,
    news: progress.seen.size - before.seen + progress.gone - before.gone,
    keyless: progress.keyless - before.keyless,
    lastRow,
  };
}

interface PageStanding {
  readonly question: Question;
  readonly rules: ListingRules;
  readonly progress: ListingProgress;
  readonly total: number | null;
  /** Its rows have all come before. */
  readonly isStuck: boolean;
  readonly isTooLong: boolean;
}

/** Where the system says how many rows there are, only that many different ones are all of them. */
function judgeStep(step: PageStep, { question, rules, progress, total, isStuck, isTooLong }: PageStanding): PageStep {
  const { firstTotal, keyless } = progress;
  const { words } = rules;
  const seen = progress.seen.size + keyless;
  const isCounted = firstTotal !== null && total !== null;
  const isAll = isCounted && firstTotal === total && seen === firstTotal;
  // A server may answer its last page again past the end, or say that there is a next page when there is none.
  if ('call' in step && !isStuck && !isTooLong && !(isAll && question.endsAtTotal === true)) return step;
  const doubt = findDoubt(progress, words);
  if (doubt !== null) return { end: doubt };
  if (isAll) return { end: null };
  if ('call' in step) return { end: isStuck ? words.stuck : `more than ${MOST_PAGES} pages` };
  if (!isCounted) return step;
  if (firstTotal !== total) return { end: words.moved(firstTotal, total) };
  return { end: words.miscounted(seen, firstTotal) };
}

/** Why the rows that came prove nothing of those that did not. */
function findDoubt({ keyless, gone }: ListingProgress, words: ListingRules['words']): string | null {
  const doubt = keyless > 0 ? words.keyless(keyless) : null;
  return doubt ?? (gone > 0 ? `records that went before they were read whole: ${gone}` : null);
}
