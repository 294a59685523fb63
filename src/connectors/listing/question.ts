import type { SyncError } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { EndWords } from './describe-end.js';
import type { NextStep } from './judge-end.js';

/** Something asked of a system, answered in pages. */
export interface Question {
  readonly call: HttpCall;
  /** @throws SyncError SYNC_SOURCE_FORMAT where the answer has no list of rows */
  findRows(answer: HttpAnswer): readonly Json[];
  /** How many rows the answer says there are in all; null when it doesn't. */
  readTotal(body: Json): number | null;
  /** All that it lists is deleted. */
  readonly listsDeleted?: boolean;
  /** It has no rows: its answer says from where on changes are asked for the next time. */
  readonly isStart?: boolean;
  /** Rows asked for a page, where the query does not say it. */
  readonly pageSize?: number;
  /**
   * The rows of a page whole, in any order, where the list itself cannot have all that is wanted of them. Those that went meanwhile are
   * left out.
   *
   * @param ask sends a call, and rejects an answer beyond 399
   * @param find the row of an id as an earlier read brought it; null where there is none
   */
  complete?(
    rows: readonly Json[],
    ask: (call: HttpCall) => Promise<HttpAnswer>,
    find: (id: string) => Json,
  ): Iterable<readonly Json[]> | AsyncIterable<readonly Json[]>;
  next(page: ListingPage): PageStep;
  /** It begins at a place that an earlier read was given: where that has lapsed, there is nothing to begin again with. */
  readonly isContinued?: boolean;
}

export interface ListingPage {
  readonly call: HttpCall;
  readonly answer: HttpAnswer;
  /** How many rows it has, and the last of them. */
  readonly count: number;
  readonly lastRow: Json | undefined;
  /** Rows up to and with this page. */
  readonly position: number;
  readonly isFirst: boolean;
}

/**
 * The call of the next page, and whether its place was `announced` by the server or is our `own`; else how the server said that
 * there is none (`judge-end.ts`).
 */
export type PageStep =
  | { readonly call: HttpCall; readonly way: 'own' | 'announced' }
  | { readonly end: Exclude<NextStep, 'own' | 'announced'> };

/** From when on changes are asked for. */
export interface ChangesSince {
  readonly timeMs: number;
  /** The time or a name for it, for people; of some systems as they wrote it themselves. */
  readonly text: string;
  /** What the system gave to ask with, opaque. */
  readonly link: string | null;
  /** Id of the row that changed last before: an honest answer has it again. null where a link is asked with. */
  readonly witness: string | null;
  /** When everything was read last. */
  readonly wholeAt: string;
}

/** What one kind of system does with any listing. */
export interface ListingRules {
  /** Of an answer of a status beyond 399. */
  refuse(answer: HttpAnswer): SyncError;
  /** @throws SyncError when so little of a limit is left that others need it */
  checkLimit(answer: HttpAnswer): void;
  /** Rows without an id are news each; else they could be the same one again and again. */
  readonly isKeylessNews: boolean;
  readonly words: EndWords & {
    /** What an answer that refuses a place says, where it says anything. */
    said(answer: HttpAnswer): string | null;
    /** Why rows without an id make the listing doubtful; null where their receiver judges them. */
    keyless(count: number): string | null;
  };
}
