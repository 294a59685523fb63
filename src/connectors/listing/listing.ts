import { SyncError } from '../../errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { findRows } from '../formats/find-rows.js';
import { type HttpAnswer, type HttpSource, refuseExhausted, stripQuery } from '../http/http-source.js';
import type { Dialect, PageStep, Question } from './dialect.js';
import { compileTotal } from './next-page.js';

/** A list that always has one more page is broken; at 100 a page this is a million rows. */
const MOST_PAGES = 10_000;

export interface Listing {
  /** Why it does not prove itself whole, null when it does. */
  readonly because: string | null;
  /** Body of the last page. */
  readonly last: Json;
}

/** @returns the row's key, null when it has none that can be trusted */
export type TakeRow = (row: Json, at: string, position: number) => string | null;

/** All pages of a question. Places in a listing may expire; then it begins again, and the taker knows rows by their keys. */
export async function readListing(
  http: HttpSource,
  dialect: Dialect,
  question: Question,
  take: TakeRow,
  signal?: AbortSignal,
): Promise<Listing> {
  for (let restarts = 0; restarts <= question.restarts; restarts++) {
    const listing = await tryListing(http, dialect, question, take, signal);
    if (listing !== null) return listing;
  }
  return { because: `the place in the listing was lost ${question.restarts + 1} times before it ended`, last: null };
}

async function tryListing(
  http: HttpSource,
  dialect: Dialect,
  question: Question,
  take: TakeRow,
  signal: AbortSignal | undefined,
): Promise<Listing | null> {
  const readTotal = compileTotal(question.total);
  const seen = new Set<string>();
  let keyless = 0;
  let firstTotal: number | null = null;
  let [call, position] = [question.call, 0];
  for (let pages = 1; ; pages++) {
    const answer = await http.read(call, signal);
    if (question.isLost(answer)) return null;
    if (answer.status >= 400) throw refuseStatus(answer);
    const limit = dialect.nearLimit(answer);
    if (limit !== null) throw refuseExhausted('CRM', answer.at, limit);
    const rows = findRows(answer.body, question.rows, answer.at);
    const total = readTotal(answer.body);
    if (pages === 1) firstTotal = total;
    const before = seen.size;
    let [count, lastRow]: [number, Json | undefined] = [0, undefined];
    for await (const batch of answer.batches(rows)) {
      for (const row of batch) {
        const key = take(row, stripQuery(call.url), position + ++count);
        if (key === null) keyless++;
        else seen.add(key);
        lastRow = row;
      }
    }
    position += count;
    // A row without a key could be the same one again and again: it is no news.
    const hasNews = seen.size > before;
    const counts = { seen: seen.size + keyless, firstTotal, lastTotal: total };
    const step = judgeStep(question.next({ call, answer, count, lastRow, position, isFirst: pages === 1 }), {
      ...counts,
      isStuck: count > 0 && !hasNews,
      isTooLong: pages >= MOST_PAGES,
      endsAtTotal: question.endsAtTotal,
    });
    if ('end' in step) return { because: step.end, last: answer.body };
    call = step.call;
  }
}

/** A vendor says what it does not understand, such as a property that is not there. */
export function refuseStatus({ status, body, at }: HttpAnswer): SyncError {
  const said = describeRefusal(body);
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `The CRM answered ${status}, expected 200${said === null ? '' : `: ${said}`}.`,
    place: at,
    remedy: "Check the source's `base_url`, and the `object`, `properties` and `filter` of the stream.",
  });
}

/** `{ message }` of HubSpot, `[{ message }]` of Salesforce, `{ error: { message } }` of Dynamics. */
function describeRefusal(body: Json): string | null {
  const first = Array.isArray(body) ? (body[0] as Json | undefined) : body;
  const error = isJsonObject(first) && isJsonObject(first.error) ? first.error : first;
  const message = isJsonObject(error) ? error.message : undefined;
  return typeof message === 'string' ? message.replaceAll(/\s+/g, ' ').slice(0, 200) : null;
}

interface ListingProgress {
  readonly seen: number;
  readonly firstTotal: number | null;
  readonly lastTotal: number | null;
  readonly isStuck: boolean;
  readonly isTooLong: boolean;
  readonly endsAtTotal: boolean;
}

/** Where the system says how many rows there are, only that many different ones are all of them. */
function judgeStep(step: PageStep, standing: ListingProgress): PageStep {
  const { seen, firstTotal, lastTotal, isStuck, isTooLong } = standing;
  const isCounted = firstTotal !== null && lastTotal !== null;
  const isAll = isCounted && firstTotal === lastTotal && seen === firstTotal;
  // A server may answer its last page again past the end, or say that there is a next page when there is none.
  if ('call' in step && !isStuck && !isTooLong && !(isAll && standing.endsAtTotal)) return step;
  if (isAll) return { end: null };
  if ('call' in step)
    return {
      end: isStuck
        ? 'a page has no new keys: the list repeats its pages, or its rows have none'
        : `more than ${MOST_PAGES} pages`,
    };
  if (!isCounted) return step;
  if (firstTotal !== lastTotal) return { end: `the total changed from ${firstTotal} to ${lastTotal} during the read` };
  return { end: `${seen} different rows came, the CRM counts ${firstTotal}` };
}
