import type { PushStore } from '../../../store/state/push-store.js';

export interface PushContext {
  readonly source: string;
  readonly key: string;
  readonly store: PushStore;
  /** Address of the source, for locations. */
  readonly base: string;
  /** ISO 8601. */
  readonly now: string;
  /** True once nobody waits for the response. */
  readonly isGone: () => boolean;
  /** Receives the approximate sizes of data read and created for the response. */
  readonly weigh: (size: number) => void;
}

export interface ScimAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** A body that is generated while it is sent; replaces `body`. */
  readonly text?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}
