import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.js';

export interface Gate {
  readonly url: string;
  /** The number of writes so far. */
  writes(): number;
}

/** Handles one write: `forward` sends the call on; the client gets an answer if this resolves to true. */
export type Meet = (forward: () => Promise<void>) => Promise<boolean>;

/** Forwards everything to the service; `meet` handles the write numbered `at` (1 for the first). */
export function openGate(target: string, at: number, meet: Meet): Promise<Gate> {
  return openServer(target, (body) => body, at, meet);
}

/** Forwards to the service, but silently drops a part of each body, as the service drops unknown fields. */
export function openSieve(target: string, strip: (body: string) => string): Promise<Gate> {
  return openServer(target, strip, 0, async () => true);
}

/** Forwards to the service, and reports every read: method, path, query and body. */
export function openRecorder(target: string, onRead: (read: string) => void): Promise<Gate> {
  const isRead = (method: string, path: string): boolean => method === 'GET' || path.startsWith('/api/v4/');
  return openServer(
    target,
    (body, method, path) => {
      if (isRead(method, path)) onRead([method, path, body].join(' ').trim());
      return body;
    },
    0,
    async () => true,
  );
}

/** Lists of the interface, and CVs, whose sections are lists. Every other answer is one object. */
const LISTS =
  /users\/(search|changes)|\/countries(\?|$)|custom_tag(_category)?(\?|$)|\/customers(\?|$)|\/projects\?|all_offers|\/v4\/|\/v3\/cvs\/[^/]+\/[^/?]+(\?|$)/;

/** Forwards to the service, but silently leaves objects out of its lists, with status 200. */
export function openShortener(target: string, isLeftOut: (id: string) => boolean, lists = LISTS): Promise<Gate> {
  const shorten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isObject(item) || !isLeftOut(idOf(item))).map(shorten);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part)]));
  };
  const hide = (body: string, path: string): string =>
    lists.test(path) && body !== '' ? JSON.stringify(shorten(JSON.parse(body))) : body;
  return openServer(
    target,
    (body) => body,
    0,
    async () => true,
    hide,
  );
}

function isObject(item: unknown): item is Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null;
}

function idOf({ id, _id, cv, reference }: Readonly<Record<string, unknown>>): string {
  const inner = (cv ?? reference) as { readonly id?: unknown } | undefined;
  return String(inner?.id ?? id ?? _id ?? '');
}

/** Forwards to the service, but leaves a part out of the answers to reads; answers to writes show everything. */
export function openVeil(target: string, hide: (body: string) => string): Promise<Gate> {
  return openServer(
    target,
    (body) => body,
    0,
    async () => true,
    hide,
  );
}

/** The same, but answers to writes leave it out too. */
export function openThickVeil(target: string, hide: (body: string) => string): Promise<Gate> {
  return openServer(
    target,
    (body) => body,
    0,
    async () => true,
    hide,
    true,
  );
}

async function openServer(
  target: string,
  edit: (body: string, method: string, path: string) => string,
  at: number,
  meet: Meet,
  hide: (body: string, path: string) => string = (body) => body,
  hidesOfWrites = false,
): Promise<Gate> {
  let writes = 0;
  const server = createServer(async (request, response) => {
    const body = edit(await readBody(request), request.method ?? 'GET', request.url ?? '');
    const call = callOnce(() => pass(target, request, body));
    // The searches of /api/v4 are POSTs that change nothing.
    const isWrite = request.method !== 'GET' && request.url?.startsWith('/api/v4/') !== true;
    if (isWrite) writes += 1;
    const isMet = isWrite && writes === at;
    const isAnswered = isMet ? await meet(async () => void (await call())) : true;
    const path = request.url ?? '';
    const passed = isAnswered ? await call().catch(() => null) : null;
    if (passed !== null)
      await answer(response, passed, (text) => (isWrite && !hidesOfWrites ? text : hide(text, path)));
    else request.socket.destroy();
  });
  return { url: await listenOnLoopback(server), writes: () => writes };
}

function callOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= work();
    return made;
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function pass(target: string, request: IncomingMessage, body: string): Promise<Response> {
  const { authorization = '', 'content-type': type } = request.headers;
  return fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === '' ? {} : { body }),
  });
}

async function answer(response: ServerResponse, passed: Response, edit: (body: string) => string): Promise<void> {
  const body = edit(await passed.text());
  const kept = ['content-type', 'x-request-id', 'date', 'retry-after'];
  for (const name of kept) {
    const value = passed.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(passed.status).end(body);
}
