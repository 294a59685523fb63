import type { Acknowledgement } from './desired.js';

/** What can wait, the most urgent first. */
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
  'call',
  'approved',
  'joiner',
  'declined',
  'undone',
] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

/** Things that wait for one cause, and what resolves them. Times are ISO 8601. */
export interface WaitingItem {
  /** `holds ack` takes it: of one thing its own id, of several that of their cause. The same while the same waits. */
  readonly id: string;
  readonly kind: WaitingKind;
  /** Entity, guard, source, stream, delivery or channel. */
  readonly of: string;
  readonly count: number;
  readonly cause: string;
  readonly resolve: string;
  readonly code: string | null;
  /** Since when the oldest of them waits; null where that is not kept. */
  readonly since: string | null;
  /** When it goes on by itself: the first day of a joiner, the next try. */
  readonly until: string | null;
  /** Keys of the first of them, as people sort them. */
  readonly keys: readonly string[];
  readonly acknowledged?: Acknowledgement;
  /** Of changes that take two people: who has approved them as the first. */
  readonly approved_by?: string;
}

/** The same with the ids of all that it stands for. */
export interface WaitingCause extends WaitingItem {
  readonly ids: readonly string[];
}
