import type { Acknowledgement } from './desired.js';

/** Kinds of waiting items, the most urgent first. */
export const WAITING_KINDS = [
  'guard',
  'source',
  'conflict',
  'record',
  'field',
  'refused',
  'delivery',
  'write_back',
  'channel',
  'undo',
  'call',
  'approved',
  'decided',
  'joiner',
  'declined',
  'undone',
] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

/** Items that wait for one cause, and how to resolve them. Times are ISO 8601. */
export interface WaitingItem {
  /** Id for `holds ack`: the item's own id, or that of the cause for several. It is stable while the same items wait. */
  readonly id: string;
  readonly kind: WaitingKind;
  /** Entity, guard, source, stream, delivery or channel. */
  readonly of: string;
  readonly count: number;
  readonly cause: string;
  readonly resolve: string;
  readonly code: string | null;
  /** Since when the oldest of them has waited; null if unknown. */
  readonly since: string | null;
  /** When it continues by itself: the first day of a joiner, the next attempt. */
  readonly until: string | null;
  /** Keys of the first of them, in natural order. */
  readonly keys: readonly string[];
  /** The name of the only record, if it is known. */
  readonly label?: string;
  readonly acknowledged?: Acknowledgement;
  /** For changes that need two people: who gave the first approval. */
  readonly approved_by?: string;
}

/** A cause with the ids of all items that it stands for. */
export interface WaitingCause extends WaitingItem {
  readonly ids: readonly string[];
}
