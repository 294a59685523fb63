/** Kinds of events that people hear of from their beginning to their end. */
export const EVENT_KINDS = [
  'paused',
  'guard',
  'source',
  'key',
  'run',
  'configuration',
  'conflict',
  'write_back',
  'delivery',
  'engine_drift',
  'audit',
  'channel',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** `passed`: it began and ended before anyone was informed. `digest`: not an event, but the summary of a period. */
export type News = 'began' | 'reminder' | 'ended' | 'passed' | 'digest';

/** An event that is ongoing now, listed once however many causes it has. */
export interface OngoingEvent {
  readonly kind: EventKind;
  /** Guard, source, entity, delivery or channel; blank if there is only one. */
  readonly of: string;
  readonly code: string | null;
  readonly count: number;
  /** ISO 8601; null if unknown. */
  readonly since: string | null;
  /** True if people have acknowledged all of it. */
  readonly acknowledged: boolean;
  /** Id of the single item that waits, whose page has this id; null for several items, and for items without an id. */
  readonly item: string | null;
  /** ISO 8601: when it ends by itself; null if unknown. */
  readonly due: string | null;
  /** In the words of `status`, which may contain names of people and keys. */
  readonly cause: string;
  readonly keys: readonly string[];
}
