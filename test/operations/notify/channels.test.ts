import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { ChannelConfig, NotifyAddress } from '../../../src/config/resolve-notify.js';
import type { SendResult } from '../../../src/operations/notify/channels/channel.js';
import { createSender } from '../../../src/operations/notify/channels/table.js';
import type { Message } from '../../../src/operations/notify/message.js';
import { listenOnLoopback } from '../../loopback.js';

const HOSTILE = '[click](https://evil.example) <https://evil.example|here> *bold* & <script>';
const MESSAGE: Message = {
  id: 'message-1',
  tenant: 'acme',
  at: '2026-11-20T07:05:00.000Z',
  title: `acme: ${HOSTILE}`,
  parts: [
    {
      event: 'e1',
      news: 'began',
      headline: HOSTILE,
      lines: ['Since 08:05', HOSTILE],
      data: null,
      link: 'https://ops/1',
    },
    { event: 'e2', news: 'ended', headline: 'Ended: two', lines: [], data: null, link: null },
  ],
  link: 'https://ops/inbox',
};

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function openReceiver(status = 200, answer = 'ok') {
  const posted: Posted[] = [];
  const url = await listenOnLoopback(
    createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        posted.push({ headers: request.headers, body });
        response.writeHead(status).end(answer);
      });
    }),
  );
  const address: NotifyAddress = {
    url: new Secret(`${url}/a-secret-path`),
    isPrivateAllowed: true,
    proxy: null,
    timeoutMs: 2_000,
  };
  return { posted, address };
}

function send(config: ChannelConfig, message = MESSAGE): Promise<SendResult> {
  const nowMs = Date.parse('2026-11-20T07:06:00Z');
  return createSender(config)(message, { nowMs, signal: new AbortController().signal });
}

describe('a webhook', () => {
  it.each([
    ['a plain secret', 'a-plain-secret', Buffer.from('a-plain-secret')],
    [
      'whsec_',
      `whsec_${Buffer.from('key of 24 bytes in total').toString('base64')}`,
      Buffer.from('key of 24 bytes in total'),
    ],
  ])('signs its time and id with %s', async (_, secret, key) => {
    const { posted, address } = await openReceiver();
    const result = await send({ name: 'ops', type: 'webhook', address, secret: new Secret(secret) });
    expect(result).toEqual({ isTaken: true, failure: null, answer: '200 ok', retryAfterMs: null });
    const [{ headers, body } = { headers: {}, body: '' }] = posted;
    const signed = createHmac('sha256', key).update(`message-1.1795158360.${body}`).digest('base64');
    expect(headers).toMatchObject({
      'webhook-id': 'message-1',
      'webhook-timestamp': '1795158360',
      'webhook-signature': `v1,${signed}`,
      'content-type': 'application/json',
    });
    expect(JSON.parse(body)).toMatchObject({ id: 'message-1', tenant: 'acme', events: [{ id: 'e1' }, { id: 'e2' }] });
  });
});

describe('Slack and Teams', () => {
  it('sends Slack blocks that cannot be read as formatting', async () => {
    const { posted, address } = await openReceiver();
    await send({ name: 'ops', type: 'slack', address });
    const { text, blocks } = JSON.parse(posted[0]?.body ?? '') as {
      text: string;
      blocks: { text?: { type: string } }[];
    };
    expect(text).not.toMatch(/[<>]/);
    expect(blocks.flatMap(({ text: inner }) => inner?.type ?? [])).toEqual(['plain_text', 'plain_text', 'plain_text']);
    expect(JSON.stringify(blocks)).toContain('"url":"https://ops/1"');
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
  });

  it('sends Teams an Adaptive Card of text runs, which are not read as Markdown', async () => {
    const { posted, address } = await openReceiver(202, '');
    expect(await send({ name: 'ops', type: 'teams', address })).toMatchObject({ isTaken: true, answer: '202' });
    const document = JSON.parse(posted[0]?.body ?? '') as {
      type: string;
      attachments: { content: { body: object[] } }[];
    };
    expect(document.type).toBe('message');
    const [card] = document.attachments;
    expect(card).toMatchObject({ contentType: 'application/vnd.microsoft.card.adaptive', content: { version: '1.4' } });
    expect(new Set(card?.content.body.map((part) => (part as { type: string }).type))).toEqual(
      new Set(['RichTextBlock']),
    );
  });

  it.each(['slack', 'teams'] as const)('%s shows the link of a single event once', async (type) => {
    const { posted, address } = await openReceiver();
    const parts = MESSAGE.parts.slice(0, 1);
    await send({ name: 'ops', type, address }, { ...MESSAGE, parts, link: 'https://ops/1' });
    expect(posted[0]?.body.split('https://ops/1')).toHaveLength(2);
  });

  it("shortens long texts to the product's limit, without splitting characters", async () => {
    const long = '𝒳'.repeat(5_000);
    const part = {
      event: 'e',
      news: 'began',
      headline: long,
      lines: [long, long],
      data: null,
      link: 'https://ops/1',
    } as const;
    const message: Message = { ...MESSAGE, title: long, parts: Array.from({ length: 20 }, () => part) };
    const { posted, address } = await openReceiver();
    await send({ name: 'ops', type: 'slack', address }, message);
    await send({ name: 'ops', type: 'teams', address }, message);
    const [slack = '', teams = ''] = posted.map(({ body }) => body);
    const { blocks } = JSON.parse(slack) as {
      readonly blocks: readonly { readonly text?: { readonly text: string } }[];
    };
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const { text } of blocks) expect(text?.text.length ?? 0).toBeLessThanOrEqual(3_000);
    expect(blocks[0]?.text?.text.length).toBeLessThanOrEqual(150);
    expect(Buffer.byteLength(teams)).toBeLessThan(28_000);
    expect((JSON.parse(slack) as { readonly text: string }).text.length).toBeLessThan(4_000);
    expect(/\\ud[89ab]\w\w(?!\\ud[c-f])/i.exec(slack + teams)).toBeNull();
  });

  it('reports rejected and unreachable addresses without the address', async () => {
    const { address } = await openReceiver(404, 'no_service a-secret-path');
    const refused = await send({ name: 'ops', type: 'slack', address });
    expect(refused).toMatchObject({ isTaken: false, failure: 'answered 404' });
    const gone = await send({
      name: 'ops',
      type: 'slack',
      address: { ...address, url: new Secret('http://127.0.0.1:1/a-secret-path') },
    });
    expect(gone).toMatchObject({ isTaken: false, failure: 'not reached (ECONNREFUSED)' });
    expect(JSON.stringify([refused.failure, gone])).not.toContain('a-secret-path');
  });
});
