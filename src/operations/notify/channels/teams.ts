import type { ChannelConfig } from '../../../config/resolve-notify.js';
import { linkOnce, type Message, type MessagePart } from '../message.js';
import type { SendMessage } from './channel.js';
import { postJson } from './post-json.js';
import { shorten } from './shorten.js';

/** A workflow accepts 28 KB, and a character may take three bytes. */
const LONGEST_TEXTS = 7_000;
const LONGEST_TITLE = 300;

/** Sends an Adaptive Card to a workflow created with "Post to a channel when a webhook request is received". */
export function createTeams({ address }: Extract<ChannelConfig, { type: 'slack' | 'teams' }>): SendMessage {
  return (message, context) => postJson(address, JSON.stringify(toCard(linkOnce(message))), {}, context);
}

function toCard({ title, parts, link, id }: Message) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      runs([{ text: shorten(title, LONGEST_TITLE), weight: 'Bolder', size: 'Large' }]),
      ...parts.map((part) => toRuns(part, Math.floor(LONGEST_TEXTS / parts.length))),
      runs([{ text: `talent-sync ${id}`, isSubtle: true, size: 'Small' }]),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function toRuns({ headline, lines, link }: MessagePart, longest: number) {
  const look = link === null ? {} : { selectAction: { type: 'Action.OpenUrl', url: link } };
  const head = shorten(headline, LONGEST_TITLE);
  const text = shorten(lines.map((line) => `\n${line}`).join(''), Math.max(1, longest - head.length));
  return runs([{ text: head, weight: 'Bolder', ...look }, ...(text === '' ? [] : [{ text }])]);
}

/** Creates text runs, which are shown verbatim. A text block would be read as Markdown, including links. */
function runs(texts: readonly object[]) {
  return {
    type: 'RichTextBlock',
    separator: true,
    inlines: texts.map((text) => ({ type: 'TextRun', ...text })),
  };
}
