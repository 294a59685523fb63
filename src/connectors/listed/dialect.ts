import type { Json } from '../../model/json.js';
import { findRows } from '../formats/find-rows.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { ChangesSince, Question } from '../listing/question.js';
import { splitPointer } from '../rows/pointer.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { MergeSign } from './merges.js';
import { compileNext, compileTotal } from './next-page.js';

/** The behaviour of one vendor; everything else is in the configuration or the preset. */
export interface Dialect {
  /** The questions of a complete read, in their order. `startedMs` is the time of the read. */
  whole(stream: ListedStreamConfig, startedMs: number): readonly Question[];
  changes(stream: ListedStreamConfig, since: ChangesSince): readonly Question[];
  /** Asks for one record. A 404 or 410 proves a deletion even if an absence from a list does not. */
  readonly lookUp?: (stream: ListedStreamConfig, id: string) => HttpCall;
  /** Lays a changed row over the known one, if responses have only what changed. */
  readonly overlay?: (row: Json, find: (id: string) => Json) => Json;
  /** True for rows of another kind in the same list; they are neither delivered nor missed. */
  readonly isOther?: (stream: ListedStreamConfig, row: Json) => boolean;
  /** JSON pointer to the link for the next changes, on the last page; absent if changes are asked for by time. */
  readonly changesLink?: string;
  /** The limit that a response reports as used up; null if none. */
  readonly exhausted?: (status: number, body: Json) => string | null;
  /** True if a response asks to wait in a form of its own: it is neither a lost permission nor an error. */
  readonly isThrottled?: (status: number, body: Json, headers: HttpAnswer['headers']) => boolean;
  /** True if a response other than 401 says that the token has expired. */
  readonly isTokenOver?: (status: number, body: Json) => boolean;
  /** The limit that is nearly used up, so that others who need it are left some; null if none. */
  readonly nearLimit?: (answer: HttpAnswer) => string | null;
  /** Advice for a rejection with these words; null for the usual advice. */
  readonly remedy?: (words: string) => string | null;
  /** How merged records show, if they do. */
  readonly merges?: MergeSign;
}

/** Builds a question from the configuration of a stream, with a vendor's differences in `rest`. */
export function buildQuestion(stream: ListedStreamConfig, call: HttpCall, rest: Partial<Question> = {}): Question {
  const { dialect, rows, total, next } = stream;
  const list = { depth: splitPointer(rows).length, isWhole: next.kind === 'none' };
  return {
    call: { ...call, list },
    findRows: ({ body, at }) => findRows(body, rows, at),
    readTotal: compileTotal(total),
    next: compileNext(next, dialect !== 'plain'),
    ...rest,
  };
}

/** The distinct places of the columns in a row, all of which must be requested. */
export function listPlaces(stream: ListedStreamConfig): readonly string[] {
  const places = Object.entries(stream.columns).map(([name, { from = `/${name}` }]) => from);
  return [...new Set(places)];
}
