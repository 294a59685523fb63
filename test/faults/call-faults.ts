import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Json } from '../../src/model/json.js';

/** An answer of the honest system. */
export interface Honest {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Meeting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly honest: Honest;
  /** The target of redirects, which no call may reach. */
  readonly elsewhere: string;
}

/**
 * The knowledge about a call that met the fault. `unsent` and `refused`: it was not carried out · `limited`: it was
 * not, and may be
 * sent again later · `open`: unknown · `answer`: it was answered, perhaps wrongly.
 */
export type Stage = 'unsent' | 'refused' | 'limited' | 'open' | 'answer';

export interface CallFault {
  readonly name: string;
  readonly stage: Stage;
  /** null: no server ever sees the call. */
  readonly answer: ((meeting: Meeting) => void) | null;
  /** True if the call takes its full time limit. */
  readonly isSlow?: boolean;
}

/** The time limit of a call in tests of the limit. */
export const PATIENCE_MS = 120;
/** The limit in all other tests: other processes take their time too. */
export const MUCH_PATIENCE_MS = 20_000;
/** The longest accepted answer. */
export const MOST_BYTES = 1_048_576;

const bomb = gzipSync(Buffer.alloc(4 * MOST_BYTES, ' '));
const PAGE = '<!doctype html><html><body><form>Sign in</form></body></html>';

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): CallFault['answer'] {
  return ({ response }) => void response.writeHead(status, headers).end('{"message":"no"}');
}

function say(change: (honest: Honest) => string, type = 'application/json'): CallFault['answer'] {
  return ({ response, honest }) =>
    void response.writeHead(200, { ...honest.headers, 'content-type': type }).end(change(honest));
}

/** Sends one byte at a time, for longer than the call may take. */
function drip({ response, honest }: Meeting): void {
  response.writeHead(200, honest.headers);
  const timer = setInterval(() => response.write(' '), PATIENCE_MS / 4);
  response.on('close', () => clearInterval(timer));
  setTimeout(() => response.destroy(), PATIENCE_MS * 3).unref();
}

/** Leaves out all rows of a list, or every second one, whether the answer is the list or has it in a field. */
function shorten(text: string, isEmpty: boolean): string {
  if (!/^[[{]/.test(text)) return '';
  const json = JSON.parse(text) as Json;
  const cut = (list: readonly Json[]): readonly Json[] => list.filter((_, index) => !isEmpty && index % 2 === 1);
  if (Array.isArray(json)) return JSON.stringify(cut(json as readonly Json[]));
  const cells = Object.entries(json as Readonly<Record<string, Json>>);
  return JSON.stringify(
    Object.fromEntries(cells.map(([name, value]) => [name, Array.isArray(value) ? cut(value) : value])),
  );
}

/** All possible faults of a call, from any caller. */
export const CALL_FAULTS: readonly CallFault[] = [
  { name: 'unknown host', stage: 'unsent', answer: null },
  { name: 'expired certificate', stage: 'unsent', answer: null },
  { name: 'reset before', stage: 'open', answer: ({ request }) => void request.socket.resetAndDestroy() },
  {
    name: 'reset after',
    stage: 'open',
    answer: ({ request, response, honest }) => {
      response.writeHead(honest.status === 204 ? 200 : honest.status, { ...honest.headers, 'content-length': '4096' });
      response.write(honest.text.slice(0, 5), () => request.socket.resetAndDestroy());
    },
  },
  { name: 'hang', stage: 'open', answer: () => undefined, isSlow: true },
  { name: 'slow body', stage: 'open', answer: drip, isSlow: true },
  { name: '400', stage: 'refused', answer: refuse(400) },
  { name: '403', stage: 'refused', answer: refuse(403) },
  { name: '500', stage: 'open', answer: refuse(500) },
  { name: '503', stage: 'open', answer: refuse(503) },
  { name: '429', stage: 'limited', answer: refuse(429) },
  { name: '429, retry in 2 s', stage: 'limited', answer: refuse(429, { 'retry-after': '2' }) },
  { name: '429, retry in an hour', stage: 'refused', answer: refuse(429, { 'retry-after': '3600' }) },
  {
    name: 'redirect',
    stage: 'refused',
    answer: ({ response, elsewhere }) => void response.writeHead(302, { location: `${elsewhere}/login` }).end(),
  },
  { name: 'wrong type', stage: 'answer', answer: say(() => '7') },
  { name: 'login page with 200', stage: 'answer', answer: say(() => PAGE, 'text/html') },
  {
    name: 'gzip bomb',
    stage: 'answer',
    answer: ({ response, honest }) =>
      void response.writeHead(200, { ...honest.headers, 'content-encoding': 'gzip' }).end(bomb),
  },
  { name: 'empty page', stage: 'answer', answer: say(({ text }) => shorten(text, true)) },
  { name: 'short page', stage: 'answer', answer: say(({ text }) => shorten(text, false)) },
];
