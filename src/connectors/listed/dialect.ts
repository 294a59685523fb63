import type { Json } from '../../model/json.js';
import { findRows } from '../formats/find-rows.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { ChangesSince, Question } from '../listing/question.js';
import { splitPointer } from '../rows/pointer.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { MergeSign } from './merges.js';
import { compileNext, compileTotal } from './next-page.js';

/** What is particular to a vendor; everything else is in the configuration or its preset. */
export interface Dialect {
  /** The questions of a complete read, one after the other. `startedMs` is the time of the read. */
  whole(stream: ListedStreamConfig, startedMs: number): readonly Question[];
  changes(stream: ListedStreamConfig, since: ChangesSince): readonly Question[];
  /** Asks for one record. That it is not there (404, 410) proves a deletion where absence from a list does not. */
  readonly lookUp?: (stream: ListedStreamConfig, id: string) => HttpCall;
  /** A changed row laid over the one that is known, where an answer has only what changed. */
  readonly overlay?: (row: Json, find: (id: string) => Json) => Json;
  /** Rows of another kind that a list has too; they are neither delivered nor missed. */
  readonly isOther?: (stream: ListedStreamConfig, row: Json) => boolean;
  /** JSON pointer of the link that changes are asked with, on the last page, where they are not asked for by time. */
  readonly changesLink?: string;
  /** Which limit an answer says is used up; null when none. */
  readonly exhausted?: (status: number, body: Json) => string | null;
  /** An answer asks to wait in a form of its own: it means neither a lost right nor a fault. */
  readonly isThrottled?: (status: number, body: Json, headers: HttpAnswer['headers']) => boolean;
  /** An answer other than 401 says that the token has ended. */
  readonly isTokenOver?: (status: number, body: Json) => boolean;
  /** Which limit is nearly used up, so that others who need it are left some; null when none. */
  readonly nearLimit?: (answer: HttpAnswer) => string | null;
  /** What to do about a refusal in these words; null where it is the usual. */
  readonly remedy?: (words: string) => string | null;
  /** How merged records show, where they do. */
  readonly merges?: MergeSign;
}

/** The rows of a stream as its configuration has them, with what a vendor does differently. */
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

/** Where the columns are in a row, once each: what has to be asked for. */
export function listPlaces(stream: ListedStreamConfig): readonly string[] {
  const places = Object.entries(stream.columns).map(([name, { from = `/${name}` }]) => from);
  return [...new Set(places)];
}
