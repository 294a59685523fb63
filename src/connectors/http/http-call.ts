import type { HttpHeaders } from '../../base/http/http-response.js';
import type { ObjectBound } from '../../base/http/limits.js';
import type { Batches } from '../../base/http/read-answer.js';
import type { Json } from '../../model/json.js';

export type HttpPurpose = 'read' | 'write';

export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  /** How messages name the call; by default its address without the query. */
  readonly at?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses outside 2xx that the caller handles itself. */
  readonly handles?: readonly number[];
  /** The call asks for one record, which may have been deleted meanwhile: 404 or 410 then. */
  readonly mayBeGone?: boolean;
  /** Minimum distance to the previous call that has one, for systems that limit such calls. */
  readonly distanceMs?: number;
  /** Where the rows are in the response; without it, the response is one object. */
  readonly list?: ListPlace;
}

export interface ListPlace {
  /** How many objects and lists enclose the list of rows. */
  readonly depth: number;
  /** The list comes in one response, without pages. */
  readonly isWhole?: boolean;
  /** Limits of one row; the defaults unless given. */
  readonly object?: ObjectBound;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** null for a response without content, and for one in `handles` that is not JSON. */
  readonly body: Json;
  readonly at: string;
  /** The rows of a list in `body`. Read them only once: rows of a long response are not held in memory, and `list` only marks them. */
  batches(list: readonly Json[]): Batches;
}
