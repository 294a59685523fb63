/** A call as shown on pages, in HTML and in events. */
export interface ShownCall {
  /** Time of the response, by the account's clock. */
  readonly at: string;
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** 0: no response was sent. */
  readonly status: number;
  readonly ms: number;
  /** Name of the key; empty for an unknown one. */
  readonly by: string;
  /** The record of the call, if its path names one. */
  readonly about: { readonly name: string; readonly address: string } | null;
}
