/** A call in the form that pages show, in HTML and in events. */
export interface ShownCall {
  /** Time of the response by the account's clock. */
  readonly at: string;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** HTTP status; 0 if no response was sent. */
  readonly status: number;
  readonly ms: number;
  /** Name of the key; empty if the key is unknown. */
  readonly by: string;
  /** The record that the call is about, if its path names one. */
  readonly about: { readonly name: string; readonly address: string } | null;
}
