import { randomBytes } from 'node:crypto';
import { type Fence, passFence } from '../../base/fence.js';
import type { Logger } from '../../base/logger.js';
import type { ChannelConfig, NotifyConfig } from '../../config/resolve-notify.js';
import type { ChannelState, NotifyStore, StoredNews } from '../../store/state/notify-store.js';
import type { SendMessage, SendResult } from './channels/channel.js';
import { composeMessage, type MessageSetting } from './message.js';

export interface Outgoing {
  readonly notify: NotifyStore;
  /** Writes all changes that `work` makes in state.db to disk together, or none of them. */
  readonly transaction: <T>(work: () => T) => T;
  readonly config: Pick<NotifyConfig, 'channels' | 'lapseAfterMs'>;
  readonly createSender: (channel: ChannelConfig) => SendMessage;
  readonly setting: Omit<MessageSetting, 'now'>;
  readonly now: () => number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /**
   * Set if the state is in PostgreSQL. Each message must pass this fence, so that its id is recorded there before it is
   * sent.
   */
  readonly fence?: Fence | null;
}

/** Maximum number of news items in one message. */
const MOST_NEWS = 20;
/** Maximum number of messages per channel and pass. */
const MOST_MESSAGES = 10;
/** How long a message belongs to the process that sends it. No attempt takes this long. */
const LEASE_MS = 120_000;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Sends each channel its waiting messages, in order, until one fails:
 *
 *     news ──bound to a message id, on disk──► sent ──accepted──► removed
 *       ▲                                       │
 *       └───────── same id, after a pause ◄─────┘ rejected, no response, or process died
 *
 * A receiver may get a message twice if this process died before it read the response. Both have the same id.
 */
export async function sendWaiting(sending: Outgoing): Promise<void> {
  forgetOthers(sending);
  for (const { name } of sending.config.channels) dropLapsed(name, sending);
  const ended = await Promise.allSettled(sending.config.channels.map((channel) => sendTo(channel, sending)));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

async function sendTo(channel: ChannelConfig, sending: Outgoing): Promise<void> {
  const { setting, now, signal, fence = null } = sending;
  const send = sending.createSender(channel);
  for (let sent = 0; sent < MOST_MESSAGES && !signal.aborted; sent += 1) {
    const bound = bindMessage(channel.name, sending);
    if (bound === null) return;
    const message = composeMessage(bound.id, bound.news, { ...setting, now: iso(now()) });
    if (fence !== null) await passFence(fence);
    const result = await send(message, { nowMs: now(), signal });
    // A stop leaves the outcome of a message unknown, so the message stays and is sent again.
    if (signal.aborted && !result.isTaken) return;
    settle(channel.name, bound.id, result, sending);
    if (!result.isTaken) return;
  }
}

/** When to try a channel next. No pause exceeds an hour, so a later time means that the clock was set back. */
export function findTry(nextAt: string | null, nowMs: number): number {
  const atMs = Date.parse(nextAt ?? '');
  return atMs > nowMs && atMs - nowMs <= LONGEST_PAUSE_MS ? atMs : nowMs;
}

/** Binds the message to send to a channel now; null if there is none or it is not due. */
function bindMessage(channel: string, { notify, transaction, now }: Outgoing) {
  return transaction((): { readonly id: string; readonly news: readonly StoredNews[] } | null => {
    const state = stateOf(channel, notify);
    if (findTry(state.nextAt, now()) > now()) return null;
    if (notify.tried({ channel }).length === 0) notify.bind(channel, randomBytes(12).toString('base64url'), MOST_NEWS);
    const news = notify.tried({ channel });
    const id = news[0]?.message ?? null;
    if (id === null) return null;
    notify.saveChannel({ ...state, nextAt: iso(now() + LEASE_MS) });
    return { id, news };
  });
}

function settle(channel: string, id: string, result: SendResult, { notify, transaction, now, logger }: Outgoing): void {
  const at = now();
  const state = transaction(() => {
    const before = stateOf(channel, notify);
    const after = result.isTaken ? describeTaken(before, at) : failedState(before, result, at);
    if (result.isTaken) notify.dropMessage(id);
    notify.saveChannel(after);
    return after;
  });
  if (result.isTaken) logger.info({ channel, message: id }, 'message sent');
  else logger.warn({ channel, message: id, failure: result.failure, next: state.nextAt }, 'a message cannot be sent');
}

function describeTaken(before: ChannelState, at: number): ChannelState {
  const good = { nextAt: null, sentAt: iso(at), failingSince: null, times: 0, failure: null };
  return { ...before, ...good, sent: before.sent + 1 };
}

function failedState(before: ChannelState, { failure, retryAfterMs }: SendResult, at: number): ChannelState {
  const usual = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(before.times, 10));
  const pause = Math.max(usual, Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS));
  return {
    ...before,
    nextAt: iso(at + pause),
    failingSince: before.failingSince ?? iso(at),
    times: before.times + 1,
    failure,
    failed: before.failed + 1,
  };
}

/** Drops messages that have waited too long to be useful. */
function dropLapsed(channel: string, { notify, transaction, config, now, logger }: Outgoing): void {
  const lapsed = transaction(() => {
    const count = notify.dropBefore(channel, iso(now() - config.lapseAfterMs));
    const state = stateOf(channel, notify);
    if (count > 0) notify.saveChannel({ ...state, lapsed: state.lapsed + count });
    return count;
  });
  if (lapsed > 0) logger.error({ channel, news: lapsed }, 'news lapsed: their channel was down for too long');
}

/** Drops channels that are no longer configured. */
function forgetOthers({ notify, transaction, config, logger }: Outgoing): void {
  const names = new Set(config.channels.map(({ name }) => name));
  const known = [...notify.channels(), ...notify.queues()].map(({ channel }) => channel);
  for (const channel of new Set(known)) {
    if (names.has(channel)) continue;
    const news = transaction(() => {
      notify.forgetChannel({ channel });
      return notify.dropBefore(channel, LAST);
    });
    logger.info({ channel, news }, 'a channel is no longer configured: its pending messages are dropped');
  }
}

const LAST = '9999';

export function stateOf(channel: string, notify: Pick<NotifyStore, 'channel'>): ChannelState {
  const nothing = { nextAt: null, sentAt: null, failingSince: null, times: 0, failure: null };
  return notify.channel({ channel }) ?? { channel, ...nothing, sent: 0, failed: 0, lapsed: 0 };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
