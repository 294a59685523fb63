import { hideSecrets } from '../../base/secrets/secret.js';
import { cleanLine } from '../../model/clean-text.js';
import type { News } from '../../model/notification.js';
import type { StoredNews } from '../../store/state/notify-store.js';
import { type DigestBody, listDigestLines } from './digest.js';
import { adviseOn, phraseEvent } from './phrases.js';
import { placeMessage } from './place-message.js';
import type { EventBody } from './settle-events.js';
import { tellOutcome } from './tell-outcome.js';

/** One piece of news, as every channel shows it. Lines contain neither secrets nor control characters. */
export interface MessagePart {
  readonly event: string;
  readonly news: News | 'test';
  /** The event in one line, followed by its details. */
  readonly headline: string;
  readonly lines: readonly string[];
  /** Data for programs; null if the part is not an event. */
  readonly data: Omit<EventBody, 'item'> | DigestBody | null;
  readonly link: string | null;
}

export interface Message {
  /** The same id for every attempt, so that receivers recognise a repetition. */
  readonly id: string;
  readonly tenant: string;
  /** ISO 8601 */
  readonly at: string;
  readonly title: string;
  readonly parts: readonly MessagePart[];
  /** Link to the item or the inbox; null without operator pages. */
  readonly link: string | null;
}

export interface MessageSetting {
  readonly tenant: string;
  /** IANA time zone for times in the message. */
  readonly timezone: string;
  readonly link: string | null;
  /** ISO 8601 */
  readonly now: string;
}

/** Removes repeated links from a message for people. In documents for programs, each event keeps its link. */
export function linkOnce(message: Message): Message {
  const told = new Set([message.link]);
  const parts = message.parts.map((part) => {
    if (part.link === null || !told.has(part.link)) {
      told.add(part.link);
      return part;
    }
    return { ...part, link: null };
  });
  return { ...message, parts };
}

/** Puts a text on one line and hides secrets, because file and source names may contain any characters. */
function clean(text: string): string {
  return cleanLine(hideSecrets(text));
}

/** Composes the message for a channel. */
export function composeMessage(id: string, news: readonly StoredNews[], setting: MessageSetting): Message {
  const { tenant, now: at, link } = setting;
  const parts = news.map((one) => composePart(one, setting));
  const [first] = parts;
  const title = clean(`${tenant}: ${first?.headline ?? ''}`);
  const more = parts.length > 1 ? ` (and ${parts.length - 1} more)` : '';
  const inbox = link === null ? null : `${link}/inbox`;
  const only = parts.length === 1 ? (first?.link ?? null) : null;
  return { id, tenant, at, title: `${title}${more}`, parts, link: only ?? inbox };
}

export function composeTest(id: string, channel: string, setting: MessageSetting): Message {
  const { tenant, now: at, link } = setting;
  const headline = 'This is a test';
  const lines = [clean(`Messages of ${tenant} reach the channel ${channel}.`)];
  const part: MessagePart = { event: id, news: 'test', headline, lines, data: null, link: null };
  return {
    id,
    tenant,
    at,
    title: clean(`${tenant}: ${headline}`),
    parts: [part],
    link: link === null ? null : `${link}/inbox`,
  };
}

const PREFIXES: Readonly<Record<News, string>> = {
  began: '',
  reminder: 'Still: ',
  ended: 'Ended: ',
  passed: 'Began and ended: ',
  digest: '',
};

function composePart({ event, news, body }: StoredNews, setting: MessageSetting): MessagePart {
  if (news === 'digest') {
    const data = JSON.parse(body) as DigestBody;
    const headline = `Summary since ${tellTime(data.since, setting)}`;
    return { event, news, headline, lines: listDigestLines(data, setting.now).map(clean), data, link: null };
  }
  const data = JSON.parse(body) as EventBody;
  const { link, tenant } = setting;
  // The link contains the item, and nothing else needs it.
  const { item: _item, ...shown } = data;
  return {
    event,
    news,
    headline: clean(`${PREFIXES[news]}${phraseEvent(data)}`),
    lines: [describeTime(data, setting), ...describeDetails(data, setting)].map(clean),
    data: shown,
    link: link === null ? null : `${link}${placeMessage(tenant, data)}`,
  };
}

function describeDetails(data: EventBody, setting: MessageSetting): readonly string[] {
  const { cause, keys, code, until, due = null } = data;
  if (until !== null) return [tellOutcome(data, setting)].filter((line) => line !== '');
  return [
    ...(due === null ? [] : [`Until ${tellTime(due, setting)}`]),
    ...(cause === '' ? [] : [`Cause: ${cause}`]),
    ...(keys.length === 0 ? [] : [`Among them: ${keys.join(', ')}`]),
    ...(code?.startsWith('SYNC_') === true ? [`Code: ${code}`] : []),
    `In a terminal: ${adviseOn(data)}`,
  ];
}

function describeTime({ since, until }: EventBody, setting: MessageSetting): string {
  const from = tellTime(since, setting);
  return until === null ? `Since ${from}` : `From ${from} to ${tellTime(until, setting)}`;
}

/** `2026-11-20 08:05` in the tenant's time zone, followed by the zone. */
export function tellTime(iso: string, { timezone }: Pick<MessageSetting, 'timezone'>): string {
  const minute = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  return `${minute.format(new Date(iso))} ${timezone}`;
}
