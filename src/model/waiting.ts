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

/** Items that wait for the same cause, and how to resolve them. Times are ISO 8601. */
export interface WaitingItem {
  /**
   * Id for `holds ack`: the id of the item, or of the cause if there are several. It stays the same while the same items wait.
   */
  readonly id: string;
  readonly kind: WaitingKind;
  /** Entity, guard, source, stream, delivery or channel. */
  readonly of: string;
  readonly count: number;
  readonly cause: string;
  readonly resolve: string;
  readonly code: string | null;
  /** Since when the oldest item has waited; null if unknown. */
  readonly since: string | null;
  /** When the item continues by itself, such as the first day of a joiner or the next attempt. */
  readonly until: string | null;
  /** Keys of the first items, in natural order. */
  readonly keys: readonly string[];
  /** The name of the record, if there is only one and its name is known. */
  readonly label?: string;
  readonly acknowledged?: Acknowledgement;
  /** For changes that need two people: the person who approved first. */
  readonly approved_by?: string;
}

/** A cause with the ids of all items that it stands for. */
export interface WaitingCause extends WaitingItem {
  readonly ids: readonly string[];
}
