import type { PushStore } from '../../../store/state/push-store.js';

export interface PushContext {
  readonly source: string;
  readonly key: string;
  readonly store: PushStore;
  /** Address of the source, for locations. */
  readonly base: string;
  /** ISO 8601. */
  readonly now: string;
  /** True if nobody waits for the response any more. */
  readonly isGone: () => boolean;
  /** Receives approximate sizes of data read and created for the response. */
  readonly weigh: (size: number) => void;
}

export interface ScimAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** A body generated while it is sent, in place of `body`. */
  readonly text?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}
