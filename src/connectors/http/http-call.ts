import type { HttpHeaders } from '../../base/http/http-response.js';
import type { ObjectBound } from '../../base/http/limits.js';
import type { Batches } from '../../base/http/read-answer.js';
import type { Json } from '../../model/json.js';

export type HttpPurpose = 'read' | 'write';

export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  /** How the call is named to people; the address without its query where the query is opaque or holds personal data. */
  readonly at?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses outside 2xx that the caller judges itself. */
  readonly handles?: readonly number[];
  /** It asks for one record, which may have gone meanwhile: 404 and 410 say so. */
  readonly mayBeGone?: boolean;
  /** How long after the last call that says so it may be sent, where the system limits such calls. */
  readonly distanceMs?: number;
  /** Where rows are in the answer; without it the answer is one object. */
  readonly list?: ListPlace;
}

export interface ListPlace {
  /** How many objects and lists the list of rows is in. */
  readonly depth: number;
  /** It comes in one answer, without pages. */
  readonly isWhole?: boolean;
  /** Limits of one row; the usual ones unless given. */
  readonly object?: ObjectBound;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** null for an answer without content, and for one in `handles` that is not JSON. */
  readonly body: Json;
  readonly at: string;
  /** The rows of a list in `body`, to be read once: those of a long answer are not held, and the list is a mark for them. */
  batches(list: readonly Json[]): Batches;
}
