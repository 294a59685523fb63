import type { Message } from '../message.js';

/** Result of an attempt to send. */
export interface SendResult {
  readonly isTaken: boolean;
  /** The error in our own words; null if it was accepted. */
  readonly failure: string | null;
  /** The receiver's response, shown in a test; never stored. */
  readonly answer: string;
  readonly retryAfterMs: number | null;
}

export interface SendContext {
  /** Milliseconds since the epoch, for signatures. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Tries once. Never throws: every outcome is a result. */
export type SendMessage = (message: Message, context: SendContext) => Promise<SendResult>;
