import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listenOnLoopback } from '../loopback.js';

/** Answers instead of the real system, or returns false. */
export type Tamper = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Forwards to a real system everything that the tamper does not answer. */
export function openTamper(target: string, tamper: Tamper): Promise<string> {
  const server = createServer((incoming, response) => {
    if (tamper(incoming, response)) return;
    const url = new URL(incoming.url ?? '/', target);
    const passed = request(url, { method: incoming.method ?? 'GET', headers: { ...incoming.headers, host: url.host } });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  return listenOnLoopback(server);
}

/** A body of very many bytes that is small in transit: one piece, repeated, between a beginning and an end. */
export interface Bomb {
  readonly begin: string;
  /** The sender repeats it to about one MiB. */
  readonly piece: string;
  readonly end: string;
}

export const BOMBS: Readonly<Record<string, Bomb>> = {
  zeros: { begin: '', piece: '0', end: '' },
  'one giant text': { begin: '["', piece: 'x', end: '"]' },
  'lists in lists': { begin: '', piece: '[', end: '' },
  'objects in objects': { begin: '', piece: '{"a":', end: '' },
  'tiny objects': { begin: '[{}', piece: ',{}', end: ']' },
  'tiny lists in a list that is named': { begin: '{"rows":[[]', piece: ',[]', end: ']}' },
  blanks: { begin: '[', piece: ' ', end: ']' },
};

/** Sends 300 MiB of it, compressed: gzip allows consecutive members. */
export function sendBomb(response: ServerResponse, { begin, piece, end }: Bomb, mib = 300, status = 200): void {
  const member = gzipSync(piece.repeat(Math.ceil(1_048_576 / piece.length)));
  response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.on('error', () => undefined);
  if (begin !== '') response.write(gzipSync(begin));
  response.end(Buffer.concat([...Array.from({ length: mib }, () => member), ...(end === '' ? [] : [gzipSync(end)])]));
}
