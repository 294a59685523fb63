import type { HttpHeaders } from '../../base/http/http-response.js';
import type { ObjectBound } from '../../base/http/limits.js';
import type { RowBatches } from '../../base/http/read-answer.js';
import type { Json } from '../../model/json.js';

export type HttpPurpose = 'read' | 'write';

export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  /** The name of the call in messages; by default its address without the query. */
  readonly at?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses outside 2xx that the caller handles itself. */
  readonly handles?: readonly number[];
  /** True if the call asks for one record, which may have been deleted in the meantime. The response is then 404 or 410. */
  readonly mayBeGone?: boolean;
  /** The minimum time since the previous call with such a distance, for systems that limit such calls. */
  readonly distanceMs?: number;
  /** The place of the rows in the response. Without it, the response is one object. */
  readonly list?: ListPlace;
}

export interface ListPlace {
  /** The number of objects and lists that enclose the list of rows. */
  readonly depth: number;
  /** True if the list comes in one response, without pages. */
  readonly isWhole?: boolean;
  /** The limits of one row; if absent, the defaults apply. */
  readonly object?: ObjectBound;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** null for a response without content, and for a response with a status in `handles` that is not JSON. */
  readonly body: Json;
  readonly at: string;
  /**
   * The rows of a list in `body`. Read them only once. The rows of a long response are not held in memory; `list` only
   * marks their place.
   */
  batches(list: readonly Json[]): RowBatches;
}
