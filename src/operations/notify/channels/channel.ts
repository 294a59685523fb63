import type { Message } from '../message.js';

/** Result of an attempt to send. */
export interface SendResult {
  readonly isTaken: boolean;
  /** The error in our own words; null if the message was accepted. */
  readonly failure: string | null;
  /** The receiver's response. A test shows it, but it is never stored. */
  readonly answer: string;
  readonly retryAfterMs: number | null;
}

export interface SendContext {
  /** Milliseconds since the epoch, for signatures. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Tries to send once. Never throws, because every outcome is a result. */
export type SendMessage = (message: Message, context: SendContext) => Promise<SendResult>;
