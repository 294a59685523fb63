/** What somebody is to hear of, as long as it goes on. */
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

/** `passed`: it began and ended before anybody could be told. `digest`: no event, but the summary of a stretch of time. */
export type News = 'began' | 'reminder' | 'ended' | 'passed' | 'digest';

/** Something that goes on now, each once however many causes it has. */
export interface OngoingEvent {
  readonly kind: EventKind;
  /** Guard, source, entity, delivery or channel; blank where there is but one. */
  readonly of: string;
  readonly code: string | null;
  readonly count: number;
  /** ISO 8601; null where that is not kept. */
  readonly since: string | null;
  /** Somebody knows of all of it. */
  readonly acknowledged: boolean;
  /** Id of the one thing that waits, under which its page is; null for several, and for what has none. */
  readonly item: string | null;
  /** ISO 8601: when it is over by itself; null where that is not known. */
  readonly due: string | null;
  /** In the words that `status` has for it, which can name people, and the keys of some. */
  readonly cause: string;
  readonly keys: readonly string[];
}
