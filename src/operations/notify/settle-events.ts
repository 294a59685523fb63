import { randomBytes } from 'node:crypto';
import type { News, OngoingEvent } from '../../model/notification.js';
import type { NotifyStore, StoredEvent } from '../../store/state/notify-store.js';
import { nameEvent } from './list-ongoing.js';
import { type Outcome, withoutNames } from './outcome.js';

/** What a message says of an event; kept in the outbox until it is sent. Times are ISO 8601. */
export interface EventBody {
  readonly kind: OngoingEvent['kind'];
  readonly of: string;
  readonly code: string | null;
  readonly count: number;
  readonly since: string;
  readonly until: string | null;
  /** The newest run when it was noted. */
  readonly run: string | null;
  /** Blank and none unless messages may name people. */
  readonly cause: string;
  readonly keys: readonly string[];
  /** Versions before 0.3 kept neither. */
  readonly item?: string | null;
  readonly due?: string | null;
  /** Set at the end; null for kinds about which nobody decides. */
  readonly outcome?: Outcome | null;
}

export interface EventLook {
  readonly channels: readonly string[];
  readonly ongoing: readonly OngoingEvent[];
  /** ISO 8601 */
  readonly now: string;
  readonly remindAfterMs: number;
  readonly names: boolean;
  /** What nobody looked at: it goes on as it was. */
  readonly unseen: ReadonlySet<OngoingEvent['kind']>;
  readonly run: string | null;
  /** Finds the decisions about an event that is over now. */
  readonly outcomeOf: (over: EventBody) => Outcome | null;
}

/**
 * Compares what goes on with what was known to, and puts what is new into the outbox. To be called within one
 * transaction: an event is never known without its message, nor the other way round.
 *
 * | known | goes on | then |
 * |---|---|---|
 * | no | yes | `began`, unless somebody knows of it already |
 * | yes | yes | `reminder`, once `remind_after` has passed since the last message, unless somebody knows of it |
 * | after now | yes | the clock was set back: `remind_after` counts from now |
 * | yes | no | `ended`; `passed` for a channel that was not told of the beginning |
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
  // What the table keeps is for the message of its end, which has no cause.
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

/** Of a guard the cause without its details: a fixed word. All else can quote what somebody wrote. */
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

/** What a channel has not taken yet is brought up to date instead of being sent late. */
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
