import type { Json } from '../../model/json.js';
import { findRows } from '../formats/find-rows.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { ChangesSince, Question } from '../listing/question.js';
import { splitPointer } from '../rows/pointer.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { MergeSign } from './merges.js';
import { compileNext, compileTotal } from './next-page.js';

/** The behaviour that is specific to one vendor. Everything else is in the configuration or the preset. */
export interface Dialect {
  /** Returns the questions of a complete read, in order. `startedMs` is the time of the read. */
  whole(stream: ListedStreamConfig, startedMs: number): readonly Question[];
  changes(stream: ListedStreamConfig, since: ChangesSince): readonly Question[];
  /** Asks for one record. A 404 or 410 proves a deletion, even for vendors with lists that prove no absence. */
  readonly lookUp?: (stream: ListedStreamConfig, id: string) => HttpCall;
  /** Merges a changed row into the known row, for vendors that return only changed properties. */
  readonly overlay?: (row: Json, find: (id: string) => Json) => Json;
  /** True for rows of another kind in the same list. Such rows are neither delivered nor reported as missing. */
  readonly isOther?: (stream: ListedStreamConfig, row: Json) => boolean;
  /** The JSON pointer to the link for the next changes, on the last page. Absent if changes are requested by time. */
  readonly changesLink?: string;
  /** Returns the limit that a response reports as used up; null if there is none. */
  readonly exhausted?: (status: number, body: Json) => string | null;
  /** True if a response asks for a pause in a vendor-specific form. It then means neither a lost permission nor an error. */
  readonly isThrottled?: (status: number, body: Json, headers: HttpAnswer['headers']) => boolean;
  /** True if a response other than 401 says that the token has expired. */
  readonly isTokenOver?: (status: number, body: Json) => boolean;
  /**
   * Returns the limit that is nearly used up; null if there is none. talent-sync then stops, so that other users of the
   * limit have some left.
   */
  readonly nearLimit?: (answer: HttpAnswer) => string | null;
  /** Returns advice for a rejection with these words; null for the usual advice. */
  readonly remedy?: (words: string) => string | null;
  /** The sign of merged records, if rows have one. */
  readonly merges?: MergeSign;
}

/** Builds a question from the configuration of a stream. `rest` contains the differences of a vendor. */
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

/** Lists the distinct places of the columns in a row. All of them must be requested. */
export function listPlaces(stream: ListedStreamConfig): readonly string[] {
  const places = Object.entries(stream.columns).map(([name, { from = `/${name}` }]) => from);
  return [...new Set(places)];
}
