import type { PushStore } from '../../../store/state/push-store.js';

/** What a request works with once it is let in. */
export interface PushContext {
  readonly source: string;
  readonly key: string;
  readonly store: PushStore;
  /** Address of the source, for locations. */
  readonly base: string;
  /** ISO 8601. */
  readonly now: string;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /** Told of what is read and made for the answer, about. */
  readonly weigh: (size: number) => void;
}

export interface ScimAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** A body that is made while it is sent, in place of `body`. */
  readonly text?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}
