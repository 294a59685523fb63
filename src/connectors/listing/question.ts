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
  /** Reads the total number of rows from a response; null if it has none. */
  readTotal(body: Json): number | null;
  /** Everything that it lists is deleted. */
  readonly listsDeleted?: boolean;
  /** It has no rows: its response says from where to ask for changes next time. */
  readonly isStart?: boolean;
  /** Number of rows per page, if the query does not say it. */
  readonly pageSize?: number;
  /**
   * Completes the rows of a page, in any order, if the list cannot have everything that is wanted of them. Leaves out records that were
   * deleted meanwhile.
   *
   * @param ask sends a call, and rejects a response with a status of 400 or more
   * @param find the row of an id from an earlier read; null if there is none
   */
  complete?(
    rows: readonly Json[],
    ask: (call: HttpCall) => Promise<HttpAnswer>,
    find: (id: string) => Json,
  ): Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>;
  next(page: ListingPage): PageStep;
  /** It begins at a place from an earlier read: if that has expired, it cannot begin again. */
  readonly isContinued?: boolean;
}

export interface ListingPage {
  readonly call: HttpCall;
  readonly answer: HttpAnswer;
  /** Its number of rows, and the last of them. */
  readonly count: number;
  readonly lastRow: Json | undefined;
  /** Number of rows up to and including this page. */
  readonly position: number;
  readonly isFirst: boolean;
}

/**
 * The call of the next page, at a place that was `announced` by the server or is our `own`. If there is none, how the server said so
 * (`judge-end.ts`).
 */
export type PageStep =
  | { readonly call: HttpCall; readonly way: 'own' | 'announced' }
  | { readonly end: Exclude<NextStep, 'own' | 'announced'> };

/** The point from which changes are asked for. */
export interface ChangesSince {
  readonly timeMs: number;
  /** The time or a name for it, for people; some systems have their own format. */
  readonly text: string;
  /** An opaque link from the system, to ask with. */
  readonly link: string | null;
  /** Id of the row that changed last before: an honest response has it again. null if a link is used. */
  readonly witness: string | null;
  /** When everything was last read. */
  readonly wholeAt: string;
}

/** How one kind of system handles any listing. */
export interface ListingRules {
  /** The error for a response with a status of 400 or more. */
  refuse(answer: HttpAnswer): SyncError;
  /** @throws SyncError if so little of a limit is left that others need it */
  checkLimit(answer: HttpAnswer): void;
  /** True if each row without an id counts as new; otherwise they could be the same row again and again. */
  readonly isKeylessNews: boolean;
  readonly words: EndWords & {
    /** The words of a response that rejects a place, if it has any. */
    said(answer: HttpAnswer): string | null;
    /** Why rows without an id make the listing doubtful; null if their receiver judges them. */
    keyless(count: number): string | null;
  };
}
