import type { SyncError } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { EndWords } from './describe-end.js';
import type { NextStep } from './judge-end.js';

/** A question to a system, which answers in pages. */
export interface Question {
  readonly call: HttpCall;
  /** @throws SyncError SYNC_SOURCE_FORMAT if the response has no list of rows */
  findRows(answer: HttpAnswer): readonly Json[];
  /** Reads the total number of rows from a response; null if the response has no total. */
  readTotal(body: Json): number | null;
  /** True if all listed records are deleted. */
  readonly listsDeleted?: boolean;
  /** True if the response has no rows, but only the starting point for the next changes. */
  readonly isStart?: boolean;
  /** The number of rows per page, if the query does not contain it. */
  readonly pageSize?: number;
  /**
   * Completes the rows of a page, in any order, if the list lacks some of the required fields. Leaves out records that
   * were deleted in the meantime.
   *
   * @param ask sends a call, and rejects a response with a status of 400 or more
   * @param find returns the row with an id from an earlier read; null if there is none
   */
  complete?(
    rows: readonly Json[],
    ask: (call: HttpCall) => Promise<HttpAnswer>,
    find: (id: string) => Json,
  ): Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>;
  next(page: ListingPage): PageStep;
  /** True if the question begins at a place from an earlier read. If this place has expired, the question cannot begin again. */
  readonly isContinued?: boolean;
}

export interface ListingPage {
  readonly call: HttpCall;
  readonly answer: HttpAnswer;
  /** The number of rows on the page, and the last row. */
  readonly count: number;
  readonly lastRow: Json | undefined;
  /** The number of rows up to and including this page. */
  readonly position: number;
  readonly isFirst: boolean;
}

/**
 * The call for the next page, at a place that the server `announced` or that the reader computed (`own`). If there is no
 * next page, the way in which the listing ended (`judge-end.ts`).
 */
export type PageStep =
  | { readonly call: HttpCall; readonly way: 'own' | 'announced' }
  | { readonly end: Exclude<NextStep, 'own' | 'announced'> };

/** The point from which changes are asked for. */
export interface ChangesSince {
  readonly timeMs: number;
  /** The time, or a name for it, in messages. Some systems have their own format. */
  readonly text: string;
  /** An opaque link from the system for asking for changes. */
  readonly link: string | null;
  /** The id of the newest known row, which a correct response contains again; null if a link is used. */
  readonly witness: string | null;
  /** The time of the last complete read. */
  readonly wholeAt: string;
}

/** The rules for the listings of one kind of system. */
export interface ListingRules {
  /** Returns the error for a response with a status of 400 or more. */
  refuse(answer: HttpAnswer): SyncError;
  /** @throws SyncError if so little of a limit is left that others need it */
  checkLimit(answer: HttpAnswer): void;
  /** True if each row without an id counts as new; otherwise all rows without an id could be the same row. */
  readonly isKeylessNews: boolean;
  readonly words: EndWords & {
    /** Returns the words of a response that rejects a place; null if there are none. */
    said(answer: HttpAnswer): string | null;
    /** Returns the reason why rows without an id make the listing doubtful; null if the receiver of the rows judges them. */
    keyless(count: number): string | null;
  };
}
