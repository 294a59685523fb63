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
  /** Everything received, including rejected messages. */
  readonly tried: readonly ReceivedMessage[];
  /** Its answer from now on. */
  status: number;
  /** Requests without a message, as a watch gets them. */
  readonly pings: readonly string[];
  /** The messages since the last look, such as `began 5 people to deactivate, …`. */
  take(): readonly string[];
  /** The configuration of a channel to this receiver. */
  readonly channel: { readonly [key: string]: Yaml };
}

/** A status for which it accepts the message and never answers. */
export const HANGS = 0;

/** A program that receives webhook messages. */
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
