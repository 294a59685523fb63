import { randomBytes } from 'node:crypto';
import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { ChannelConfig, NotifyConfig } from '../config/resolve-notify.js';
import { MESSAGES, type MessageListing } from '../operations/list-messages.js';
import { createSender } from '../operations/notify/channels/table.js';
import { composeTest } from '../operations/notify/message.js';
import { nameTenant } from '../operations/notify/notify-after.js';
import { phraseEvent } from '../operations/notify/phrases.js';
import { formatAge, formatMinute, plural } from '../report/sections/words.js';
import { joinLines } from '../report/writers/style.js';
import {
  type AskingContext,
  type CommandContext,
  type CommandResult,
  type CommonOptions,
  terminalLook,
} from './context.js';
import { findPagesLink } from './notifying.js';

export interface NotifyTestFlags extends CommonOptions {
  readonly channel?: string;
}

/** `notify test`: sends one message to each channel, bypassing the outbox, and shows the responses. */
export async function runNotifyTest(context: CommandContext, { channel }: NotifyTestFlags): Promise<CommandResult> {
  const { config, clock, signal } = context;
  if (config.missingSecrets !== undefined) throw config.missingSecrets;
  const notify = wantNotify(context);
  const { timezone } = config.schedule;
  const setting = {
    tenant: nameTenant(config),
    timezone,
    link: notify.link ?? findPagesLink(config),
    now: isoNow(clock),
  };
  const sent = await Promise.all(
    chooseChannels(notify, channel).map(async (one) => {
      const message = composeTest(randomBytes(12).toString('base64url'), one.name, setting);
      const { isTaken, answer } = await createSender(one)(message, { nowMs: clock.now(), signal });
      return { channel: one.name, type: one.type, message: message.id, ok: isTaken, answer };
    }),
  );
  const { style } = terminalLook(context);
  const widest = Math.max(...sent.map(({ channel: name }) => name.length));
  return {
    json: { channels: sent },
    text: joinLines(
      sent.map(({ channel: name, type, ok, answer }) => {
        return `${ok ? style.good('ok') : style.bad('FAIL')}${ok ? '  ' : ''}  ${name.padEnd(widest)}  ${type}: ${answer}`;
      }),
    ),
    exitCode: sent.every(({ ok }) => ok) ? 0 : 1,
  };
}

function wantNotify({ config }: CommandContext): NotifyConfig {
  if (config.notify !== null && config.notify.channels.length > 0) return config.notify;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'The configuration names no channel for messages.',
    place: `${config.file}: notify.channels`,
    remedy: 'Add `notify: { channels: … }`; docs/guides/notifications.md shows each kind.',
  });
}

function chooseChannels({ channels }: NotifyConfig, name: string | undefined): readonly ChannelConfig[] {
  if (name === undefined) return channels;
  const found = channels.filter((one) => one.name === name);
  if (found.length > 0) return found;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `There is no channel "${name}".`,
    place: '--channel',
    remedy: `Name one of ${channels.map((one) => one.name).join(', ')}.`,
  });
}

/** `notify list`: current events, pending messages, and the state of each channel. */
export async function runNotifyList(context: AskingContext): Promise<CommandResult> {
  const json = await context.perform(MESSAGES, {});
  return { json, text: renderList(json, context.clock.now(), context) };
}

function renderList({ events, channels }: MessageListing, nowMs: number, context: AskingContext): string {
  const { style } = terminalLook(context);
  const age = (iso: string): string => formatAge(nowMs - Date.parse(iso));
  const widest = Math.max(0, ...channels.map(({ channel }) => channel.length));
  return joinLines([
    style.bold('Current events'),
    ...(events.length === 0 ? ['  none'] : []),
    ...events.map((event) => {
      const text = phraseEvent({ ...event, until: null, cause: '', keys: [] });
      return `  ${text}, for ${age(event.since)}; last reported ${formatMinute(event.told)}`;
    }),
    '',
    style.bold('Channels'),
    ...(channels.length === 0 ? ['  none: the configuration has no `notify.channels`'] : []),
    ...channels.flatMap(({ channel, type, waiting, oldest, ...state }) => {
      const queue =
        oldest === null ? 'nothing pending' : `${plural(waiting, 'news item')} pending, the oldest for ${age(oldest)}`;
      const last = state.sent_at === null ? 'nothing sent yet' : `last sent ${formatMinute(state.sent_at)}`;
      const lost = state.lapsed === 0 ? '' : `; ${state.lapsed} lapsed`;
      const next = state.next_at === null ? '' : `, next try ${formatMinute(state.next_at)}`;
      const failing =
        state.failing_since === null
          ? []
          : [
              style.bad(
                `      failing for ${age(state.failing_since)}, ${plural(state.times, 'try', 'tries')}: ${state.failure}${next}`,
              ),
            ];
      return [`  ${channel.padEnd(widest)}  ${type}: ${queue}; ${last}${lost}`, ...failing];
    }),
  ]);
}
