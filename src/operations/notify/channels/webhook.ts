import { createHmac } from 'node:crypto';
import type { Secret } from '../../../base/secrets/secret.js';
import type { ChannelConfig } from '../../../config/resolve-notify.js';
import type { Message } from '../message.js';
import type { SendMessage } from './channel.js';
import { postJson } from './post-json.js';

type WebhookConfig = Extract<ChannelConfig, { type: 'webhook' }>;

/** Signs messages according to the Standard Webhooks specification. Libraries in most languages can verify the signature. */
export function createWebhook({ address, secret }: WebhookConfig): SendMessage {
  return (message, context) => {
    const body = JSON.stringify(toDocument(message));
    const timestamp = String(Math.floor(context.nowMs / 1_000));
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${sign(`${message.id}.${timestamp}.${body}`, secret)}`,
    };
    return postJson(address, body, headers, context);
  };
}

/** HMAC-SHA256 in base64. The specification's form is `whsec_` + base64; any other secret is used verbatim. */
function sign(text: string, secret: Secret): string {
  const value = secret.reveal();
  const key = value.startsWith('whsec_') ? Buffer.from(value.slice(6), 'base64') : Buffer.from(value);
  return createHmac('sha256', key).update(text).digest('base64');
}

function toDocument({ id, tenant, at, title, parts, link }: Message) {
  const events = parts.map((part) => ({
    id: part.event,
    news: part.news,
    headline: part.headline,
    ...(part.data ?? {}),
    link: part.link,
  }));
  return { id, tenant, at, title, link, events };
}
