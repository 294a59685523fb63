import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.js';

/** The possible faults of a call. `after`: the service has done the work. */
export const FAULT_KINDS = [
  'reset before',
  'reset after',
  'hang before',
  'hang after',
  'half a body',
  'html page',
  '429 with Retry-After',
  '429',
  '500 before',
  '500 after',
  '503',
  'empty list',
  'short list',
  'kill before',
  'kill after',
  'power cut before',
  'power cut after',
  'disk full',
  'two at the same time',
  'two daemons',
  'two daemons, one killed',
  'torn file',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The systems that the worker calls. */
export const SYSTEM_NAMES = ['service', 'identity provider', 'CRM'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The system whose calls meet it. */
  readonly system: SystemName;
  /** The calls that are counted. */
  readonly of: 'calls' | 'writes';
  /** Its place among them, as a fraction of their number: from 0 up to 1. */
  readonly at: number;
  /** Every repetition of that call in the run meets it too. */
  readonly lasts: boolean;
  /** The clock is set forward or back by this before the run. */
  readonly jumpHours?: number;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly isWrite: boolean;
  /** The request id of an answer that the worker may have seen. */
  readonly requestId: string | null;
  /** The call's id in the service's own log; null if it never arrived. */
  readonly arrived: string | null;
  /** True if it asks the service to e-mail a person. */
  readonly asksMail: boolean;
  /** The fault that the door added. */
  readonly fault: FaultKind | null;
}

/** Forwards calls of the worker to another system. */
export interface Door {
  readonly url: string;
  /** Lets the call with that number (1 for the first) meet the fault. */
  arm(fault: Fault, number: number, kill: () => void): void;
  /** The calls since the last look; from now on without a fault. */
  take(): readonly Call[];
}

/** The searches of /api/v4 are POSTs that change nothing. */
export function isWrite(method: string, path: string): boolean {
  return method !== 'GET' && !path.startsWith('/api/v4/');
}

interface Armed {
  readonly fault: Fault;
  readonly number: number;
  readonly kill: () => void;
  /** The call that met the fault. */
  met: string | null;
}

export async function openDoor(target: string): Promise<Door> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);
  let calls: Call[] = [];
  let counted = 0;
  let armed: Armed | null = null;

  function choose(method: string, path: string): Armed | null {
    if (armed === null) return null;
    if (armed.fault.of === 'calls' || isWrite(method, path)) counted += 1;
    else return null;
    const name = `${method} ${path}`;
    if (armed.met === null && counted >= armed.number && suits(armed.fault.kind, method, path)) armed.met = name;
    else if (!armed.fault.lasts || armed.met !== name) return null;
    return armed;
  }

  async function pass(request: IncomingMessage, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { agent, hostname, port, path: request.url, method: request.method, headers: request.headers };
      const sent = ask(options, (answer) => {
        readAll(answer).then(
          (all) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: all }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await readAll(request);
    const meets = choose(method, url);
    const kind = meets?.fault.kind ?? null;
    const asksMail = /"(send_email|notify_by_email)":true/.test(body.toString('utf8'));
    const place = { method, path: url, isWrite: isWrite(method, url), asksMail, fault: kind };
    if (meets !== null && kind !== null && BEFORE.has(kind)) {
      calls.push({ ...place, requestId: null, arrived: null });
      spoil(kind, meets, request, response);
      return;
    }
    const answer = await pass(request, body);
    // A worker killed in the meantime reads no answer.
    const arrived = String(answer.headers['x-request-id'] ?? '');
    calls.push({ ...place, requestId: request.socket.destroyed ? null : arrived, arrived });
    if (meets === null || kind === null) send(response, answer, answer.body);
    else if (kind === 'empty list' || kind === 'short list') {
      send(response, answer, Buffer.from(JSON.stringify(shorten(answer.body, kind === 'empty list'))));
    } else if (kind === 'half a body') {
      response.writeHead(answer.status, { ...kept(answer), 'content-length': String(Math.max(answer.body.length, 2)) });
      response.write(answer.body.subarray(0, answer.body.length / 2), () => request.socket.destroy());
    } else if (kind === '500 after') {
      send(response, { ...answer, status: 500 }, Buffer.from(sayKey(request)));
    } else spoil(kind, meets, request, response);
  }

  const server = createServer((request, response) => {
    // A killed worker reads no answer.
    serve(request, response).catch(() => request.socket.destroy());
  });
  return {
    url: await listenOnLoopback(server),
    arm(fault, number, kill) {
      counted = 0;
      armed = { fault, number, kill, met: null };
    },
    take() {
      const taken = calls;
      calls = [];
      armed = null;
      return taken;
    },
  };
}

const BEFORE: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'reset before',
  'hang before',
  'html page',
  '429 with Retry-After',
  '429',
  '500 before',
  '503',
  'kill before',
  'power cut before',
]);

/** True if the answer quotes the request. */
export const saysKey = (kind: FaultKind): boolean => /^(html|429|50)/.test(kind);
/** True if it ends the process at the call that meets it. */
export const isKill = (kind: FaultKind): boolean => /^(kill|power cut)|one killed$/.test(kind);
/** True if it affects the process or a file instead of a call. */
export const spareCalls = (kind: FaultKind): boolean =>
  ['disk full', 'two at the same time', 'two daemons', 'torn file'].includes(kind);

/** A fault that changes lists waits for the next call that answers one. */
function suits(kind: FaultKind, method: string, path: string): boolean {
  return (kind !== 'empty list' && kind !== 'short list') || !isWrite(method, path);
}

/** Systems quote the request in their errors, and some have included the key. */
function spoil(kind: FaultKind, { kill }: Armed, request: IncomingMessage, response: ServerResponse): void {
  if (isKill(kind)) kill();
  if (kind.startsWith('hang')) return;
  if (kind.startsWith('reset') || isKill(kind)) {
    request.socket.resetAndDestroy();
    return;
  }
  if (kind === 'html page') {
    const page = `<html><body><h1>Bad gateway</h1><p>${request.headers.authorization}</p></body></html>`;
    response.writeHead(502, { 'content-type': 'text/html' }).end(page);
    return;
  }
  const status = Number(kind.slice(0, 3));
  const wait = kind === '429 with Retry-After' ? { 'retry-after': '3' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(sayKey(request));
}

function sayKey({ headers }: IncomingMessage): string {
  return JSON.stringify({ error: `injected fault of ${headers.authorization}`, sent: headers.authorization });
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

function kept({ headers }: Answer): Record<string, string> {
  const names = ['content-type', 'x-request-id', 'date', 'retry-after'];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

function send(response: ServerResponse, answer: Answer, body: Buffer): void {
  response.writeHead(answer.status, kept(answer)).end(body);
}

/** Leaves out the list or every second entry, whether the answer is the list or has it in a field. */
function shorten(body: Buffer, isEmpty: boolean): unknown {
  const cut = (list: readonly unknown[]): unknown => list.filter((_, index) => !isEmpty && index % 2 === 1);
  const json = JSON.parse(body.toString('utf8')) as unknown;
  if (Array.isArray(json)) return cut(json);
  if (typeof json !== 'object' || json === null || 'id' in json || '_id' in json) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, Array.isArray(value) ? cut(value) : value]),
  );
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
