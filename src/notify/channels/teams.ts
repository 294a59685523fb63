import type { ChannelConfig } from '../../config/resolve-notify.js';
import type { Message, MessagePart } from '../message.js';
import type { SendMessage } from './channel.js';
import { postJson } from './post-json.js';

/** An Adaptive Card for a workflow that was made with "Post to a channel when a webhook request is received". */
export function createTeams({ address }: Extract<ChannelConfig, { type: 'slack' | 'teams' }>): SendMessage {
  return (message, context) => postJson(address, JSON.stringify(toCard(message)), {}, context);
}

function toCard({ title, parts, link, id }: Message) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      runs([{ text: title, weight: 'Bolder', size: 'Large' }]),
      ...parts.map(toRuns),
      runs([{ text: `talent-sync ${id}`, isSubtle: true, size: 'Small' }]),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function toRuns({ headline, lines, link }: MessagePart) {
  const look = link === null ? {} : { selectAction: { type: 'Action.OpenUrl', url: link } };
  return runs([{ text: headline, weight: 'Bolder', ...look }, ...lines.map((line) => ({ text: `\n${line}` }))]);
}

/** Runs of text are shown as they are; a text block would read them as Markdown, with links in it. */
function runs(texts: readonly object[]) {
  return {
    type: 'RichTextBlock',
    separator: true,
    inlines: texts.map((text) => ({ type: 'TextRun', ...text })),
  };
}
