/** The kinds of events that are reported to people from beginning to end. */
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

/** `passed`: the event began and ended before anyone was informed. `digest`: the summary of a period, not an event. */
export type News = 'began' | 'reminder' | 'ended' | 'passed' | 'digest';

/** An ongoing event, listed once even if it has several causes. */
export interface OngoingEvent {
  readonly kind: EventKind;
  /** Guard, source, entity, delivery or channel; blank if there is only one of its kind. */
  readonly of: string;
  readonly code: string | null;
  readonly count: number;
  /** ISO 8601; null if unknown. */
  readonly since: string | null;
  /** True if people have acknowledged everything in the event. */
  readonly acknowledged: boolean;
  /** Id of the waiting item, which is also the id of its page; null for several items and for items without an id. */
  readonly item: string | null;
  /** ISO 8601: when the event ends by itself; null if unknown. */
  readonly due: string | null;
  /** Worded as in `status`, so it may contain keys and names of people. */
  readonly cause: string;
  readonly keys: readonly string[];
}
