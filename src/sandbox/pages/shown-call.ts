/** A call as the pages show it, in HTML and as an event alike. */
export interface ShownCall {
  /** The account's time of the answer. */
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** 0: it got no answer. */
  readonly status: number;
  readonly ms: number;
  /** Name of the key; empty for none that is known. */
  readonly by: string;
  /** The record that it was about, as far as its path tells. */
  readonly about: { readonly name: string; readonly address: string } | null;
}
