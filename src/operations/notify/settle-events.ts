import { randomBytes } from 'node:crypto';
import type { News, OngoingEvent } from '../../model/notification.js';
import type { NotifyStore, StoredEvent } from '../../store/state/notify-store.js';
import { nameEvent } from './list-ongoing.js';
import { type Outcome, withoutNames } from './outcome.js';

/** The content of a message about an event, kept in the outbox until it is sent. Times are ISO 8601. */
export interface EventBody {
  readonly kind: OngoingEvent['kind'];
  readonly of: string;
  readonly code: string | null;
  readonly count: number;
  readonly since: string;
  readonly until: string | null;
  /** The newest run when the event was recorded. */
  readonly run: string | null;
  /** Empty unless messages may name people. */
  readonly cause: string;
  readonly keys: readonly string[];
  /** Versions before 0.3 stored neither of the next two properties. */
  readonly item?: string | null;
  readonly due?: string | null;
  /** Set when the event ends; null for kinds without decisions. */
  readonly outcome?: Outcome | null;
}

export interface EventLook {
  readonly channels: readonly string[];
  readonly ongoing: readonly OngoingEvent[];
  /** ISO 8601 */
  readonly now: string;
  readonly remindAfterMs: number;
  readonly names: boolean;
  /** Kinds that were not checked, so that their events stay unchanged. */
  readonly unseen: ReadonlySet<OngoingEvent['kind']>;
  readonly run: string | null;
  /** Finds the decisions about an event that has just ended. */
  readonly outcomeOf: (over: EventBody) => Outcome | null;
}

/**
 * Compares ongoing events with known ones, and puts news into the outbox. Must be called in one transaction, so that an event
 * and its message are stored together.
 *
 * | known | ongoing | then |
 * |---|---|---|
 * | no | yes | `began`, unless it is acknowledged |
 * | yes | yes | `reminder` once `remind_after` has passed since the last message, unless it is acknowledged |
 * | after now | yes | the clock was set back: `remind_after` counts from now |
 * | yes | no | `ended`, or `passed` for a channel that never got the beginning |
 */
export function settleEvents(store: NotifyStore, settling: EventLook): void {
  const { ongoing, now, remindAfterMs } = settling;
  const known = new Map(store.events().map((event) => [event.name, event]));
  for (const one of ongoing) {
    const name = nameEvent(one);
    const before = known.get(name);
    known.delete(name);
    if (one.acknowledged) continue;
    if (before === undefined) begin(store, one, settling);
    else if (before.told > now) countAnew(store, before, one, settling);
    else if (Date.parse(now) - Date.parse(before.told) >= remindAfterMs) remind(store, before, one, settling);
  }
  for (const over of known.values()) {
    if (!settling.unseen.has((JSON.parse(over.body) as EventBody).kind)) end(store, over, settling);
  }
}

function begin(store: NotifyStore, one: OngoingEvent, settling: EventLook): void {
  const { now } = settling;
  const event = { name: nameEvent(one), event: randomBytes(9).toString('base64url'), since: now, told: now };
  const body = eventBody(one, now, settling);
  // The stored body is for the message about the end of the event, which names no cause.
  store.saveEvent({ ...event, body: JSON.stringify({ ...body, cause: '', keys: [] }) });
  tellChannels(store, { event: event.event, news: 'began', body }, settling);
}

function remind(store: NotifyStore, before: StoredEvent, one: OngoingEvent, settling: EventLook): void {
  const body = eventBody(one, before.since, settling);
  store.saveEvent({ ...before, told: settling.now, body: JSON.stringify({ ...body, cause: '', keys: [] }) });
  tellChannels(store, { event: before.event, news: 'reminder', body }, settling);
}

function countAnew(store: NotifyStore, before: StoredEvent, one: OngoingEvent, settling: EventLook): void {
  const { now } = settling;
  const since = before.since > now ? now : before.since;
  const body = { ...eventBody(one, since, settling), cause: '', keys: [] };
  store.saveEvent({ ...before, since, told: now, body: JSON.stringify(body) });
}

function end(store: NotifyStore, over: StoredEvent, settling: EventLook): void {
  store.forgetEvent(over.name);
  const ended = { ...(JSON.parse(over.body) as EventBody), until: settling.now };
  const outcome = settling.outcomeOf(ended);
  const body = { ...ended, outcome: outcome === null || settling.names ? outcome : withoutNames(outcome) };
  tellChannels(store, { event: over.event, news: 'ended', body }, settling);
}

function eventBody(one: OngoingEvent, since: string, { names, run }: EventLook): EventBody {
  const { kind, of, code, count, item, due } = one;
  const [cause, keys] = names ? [one.cause, one.keys] : [shorten(one), []];
  return { kind, of, code, count, since, until: null, run, cause, keys, item, due };
}

/** The cause of a guard, without its details, is a fixed phrase. Any other cause may quote text from outside. */
function shorten({ kind, cause }: OngoingEvent): string {
  return kind === 'guard' ? (cause.split(':')[0] ?? '') : '';
}

interface Telling {
  readonly event: string;
  readonly news: News;
  readonly body: EventBody;
}

function tellChannels(store: NotifyStore, telling: Telling, { channels, now }: EventLook): void {
  for (const channel of channels) tellChannel(store, { ...telling, channel, now });
}

/** Replaces news that a channel has not accepted yet, instead of sending old news. */
function tellChannel(
  store: NotifyStore,
  { channel, event, news, body, now: at }: Telling & { readonly channel: string; readonly now: string },
): void {
  const waiting = store.newsOf({ channel, event });
  if (news === 'reminder' && waiting.length > 0) return;
  for (const { seq } of waiting) store.dropNews(seq);
  const isUntold = waiting.some((one) => one.news === 'began');
  const put = news === 'ended' && isUntold ? 'passed' : news;
  store.putNews({ channel, event, news: put, at, body: JSON.stringify(body) });
}
