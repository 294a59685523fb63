import { createServer } from 'node:http';
import { listenOnLoopback } from '../../loopback.js';
import type { Yaml } from '../../scenarios/company.js';

export interface ReceivedEvent {
  readonly id: string;
  readonly news: string;
  readonly headline: string;
  readonly kind?: string;
  readonly count?: number;
}

export interface ReceivedMessage {
  readonly id: string;
  readonly tenant: string;
  readonly title: string;
  readonly link: string | null;
  readonly events: readonly ReceivedEvent[];
}

export interface Receiver {
  readonly url: string;
  /** All that came, also what was refused. */
  readonly tried: readonly ReceivedMessage[];
  /** What it answers from now on. */
  status: number;
  /** Addresses that were asked without a message, as of a watch. */
  readonly pings: readonly string[];
  /** `began 5 people to deactivate, …` since the last look. */
  take(): readonly string[];
  /** The configuration of a channel that leads here. */
  readonly channel: { readonly [key: string]: Yaml };
}

/** A status: it takes the message and does not answer. */
export const HANGS = 0;

/** A program that receives messages of a webhook. */
export async function openReceiver(): Promise<Receiver> {
  const tried: ReceivedMessage[] = [];
  const taken: ReceivedMessage[] = [];
  const pings: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      if (body === '') pings.push(`${request.method} ${request.url}`);
      else {
        const message = JSON.parse(body) as ReceivedMessage;
        tried.push(message);
        if (receiver.status === 200) taken.push(message);
      }
      if (receiver.status !== HANGS) response.writeHead(receiver.status).end();
    });
  });
  const url = await listenOnLoopback(server);
  const receiver = {
    url,
    tried,
    pings,
    status: 200,
    take: () => taken.splice(0).flatMap(({ events }) => events.map(({ news, headline }) => `${news} ${headline}`)),
    channel: { type: 'webhook', url: `${url}/hook`, secret: { env: 'TALENT_API_KEY' }, private_addresses: 'allowed' },
  };
  return receiver;
}
