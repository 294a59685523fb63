import type { Message } from '../message.js';

/** How a try went. */
export interface SendResult {
  readonly isTaken: boolean;
  /** What went wrong, in our own words; null when it was taken. */
  readonly failure: string | null;
  /** What the other side said, for a person who tries it out; never kept. */
  readonly answer: string;
  readonly retryAfterMs: number | null;
}

export interface SendContext {
  /** Milliseconds since the epoch, for signatures. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Tries once. Never throws: whatever happens is a result. */
export type SendMessage = (message: Message, context: SendContext) => Promise<SendResult>;
