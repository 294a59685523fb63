import type { ChannelConfig } from '../../../config/resolve-notify.js';
import { linkOnce, type Message, type MessagePart } from '../message.js';
import type { SendMessage } from './channel.js';
import { postJson } from './post-json.js';
import { shorten } from './shorten.js';

/** Limits of Slack. */
const LONGEST_TITLE = 150;
const LONGEST_TEXT = 3_000;

/** Sends blocks of plain text, so that text from a source is never read as formatting. */
export function createSlack({ address }: Extract<ChannelConfig, { type: 'slack' | 'teams' }>): SendMessage {
  return (message, context) => postJson(address, JSON.stringify(toBlocks(linkOnce(message))), {}, context);
}

function toBlocks({ title, parts, link, id }: Message) {
  return {
    // This text appears in phone notifications. Slack would read `<` and `&` as formatting.
    text: shorten(title, LONGEST_TEXT).replace(/[&<>]/g, (found) => ENTITIES[found] ?? ''),
    blocks: [
      { type: 'header', text: plain(title, LONGEST_TITLE) },
      ...parts.map(toSection),
      ...(link === null ? [] : [{ type: 'actions', elements: [button('Open', link)] }]),
      { type: 'context', elements: [plain(`talent-sync ${id}`, LONGEST_TEXT)] },
    ],
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function toSection({ headline, lines, link }: MessagePart) {
  const text = plain([headline, ...lines].join('\n'), LONGEST_TEXT);
  return { type: 'section', text, ...(link === null ? {} : { accessory: button('Look', link) }) };
}

function plain(text: string, longest: number) {
  return { type: 'plain_text', text: shorten(text, longest), emoji: false };
}

function button(text: string, url: string) {
  return { type: 'button', text: plain(text, LONGEST_TITLE), url };
}
