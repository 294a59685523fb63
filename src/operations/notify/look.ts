import type { Fence } from '../../base/fence.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { ChannelConfig, NotifyConfig } from '../../config/resolve-notify.js';
import type { OngoingEvent } from '../../model/notification.js';
import { listWaiting } from '../../planning/holds/list-waiting.js';
import type { Stores } from '../../store/open-stores.js';
import type { SendMessage } from './channels/channel.js';
import { createSender } from './channels/table.js';
import { findDigest, writeDigest } from './digest.js';
import { type Hindrance, listOngoing, nameEvent, OF_HINDRANCE } from './list-ongoing.js';
import { type Outcome, readOutcome } from './outcome.js';
import { findTry, sendWaiting } from './send-waiting.js';
import { type EventBody, settleEvents } from './settle-events.js';

export interface NotifyLook {
  readonly tenant: string;
  readonly config: Config;
  readonly stores: Stores;
  readonly hindrance: Hindrance;
  readonly now: () => number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Set if the state is in PostgreSQL. Every message must pass this fence. */
  readonly fence?: Fence | null;
  /** Address of the operator pages, if `notify.link` is not set. */
  readonly pagesLink?: string | null;
  /** By default, uses the table of channels. */
  readonly createSender?: (channel: ChannelConfig) => SendMessage;
}

/**
 * Finds ongoing events, stores news about them, and sends waiting messages. Returns when the next look is due, in
 * milliseconds since the epoch.
 */
export async function lookAndSend(look: NotifyLook): Promise<number> {
  const { config, stores, now, tenant, logger, signal, fence = null } = look;
  const { notify, schedule } = config;
  if (notify === null) return Number.POSITIVE_INFINITY;
  const ongoing = noteEvents(look, notify);
  await sendWaiting({
    notify: stores.notify,
    transaction: stores.state.transaction,
    config: notify,
    createSender: look.createSender ?? createSender,
    setting: { tenant, timezone: schedule.timezone, link: notify.link ?? look.pagesLink ?? null },
    now,
    logger,
    signal,
    fence,
  });
  return findNext(look, notify, ongoing);
}

/** Stores events and their messages together, so that a process that dies has stored either both or neither. */
function noteEvents({ config, stores, hindrance, now }: NotifyLook, notify: NotifyConfig): readonly OngoingEvent[] {
  const at = new Date(now()).toISOString();
  const channels = notify.channels.map(({ name }) => name);
  return stores.state.transaction(() => {
    const ongoing = listOngoing({ config, stores }, hindrance, at);
    const run = stores.history.lastRuns(1)[0]?.id ?? null;
    const { remindAfterMs, names } = notify;
    const outcomeOf = (over: EventBody): Outcome | null => readOutcome(stores.audit, over);
    const unseen = hindrance === 'unknown' ? OF_HINDRANCE : new Set<never>();
    settleEvents(stores.notify, { channels, ongoing, unseen, now: at, remindAfterMs, names, run, outcomeOf });
    const due = findDigest(stores, notify.digest, now());
    if (due !== null) writeDigest(stores, { due, channels, waiting: listWaiting({ config, stores }, at), now: at });
    return ongoing;
  });
}

function findNext({ stores, now }: NotifyLook, notify: NotifyConfig, ongoing: readonly OngoingEvent[]): number {
  const open = new Set(ongoing.filter(({ acknowledged }) => !acknowledged).map(nameEvent));
  const reminders = stores.notify
    .events()
    .filter(({ name }) => open.has(name))
    .map(({ told }) => Date.parse(told) + notify.remindAfterMs);
  const states = new Map(stores.notify.channels().map((state) => [state.channel, state.nextAt]));
  const tries = stores.notify.queues().map(({ channel }) => findTry(states.get(channel) ?? null, now()));
  const digest = findDigest(stores, notify.digest, now())?.nextMs ?? Number.POSITIVE_INFINITY;
  return Math.min(...reminders, ...tries, digest);
}
