import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type DaemonProcess, settleIn, startDaemon, waitUntil } from '../daemon/daemon-process.js';
import { person, type Yaml } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';

export const TOKEN = 'the-right-token';
export const MIB = 1024 * 1024;

export interface ScimDaemon {
  readonly daemon: DaemonProcess;
  readonly port: number;
  /** Peak memory of the process, in MiB. */
  peak(): number;
  /** Sends a request with the right token. @returns status, body and duration */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>>; readonly ms: number }>;
  /** Opens a connection for single bytes. */
  dial(): Wire;
}

export interface Wire {
  readonly socket: Socket;
  text(): string;
  /** Milliseconds from its start to its end. */
  readonly ended: Promise<number>;
  isOpen(): boolean;
}

/** The real daemon as a process, with a source that takes pushes. */
export async function startScim(
  source: { readonly [key: string]: Yaml } = {},
  prepare: (folder: string) => void = () => undefined,
): Promise<ScimDaemon> {
  const story = await openStory();
  story.env.IDP_TOKEN = TOKEN;
  story.deliver([person('E1')]);
  await settleIn(story, {
    sources: { entra: { type: 'scim-push', tokens: [{ env: 'IDP_TOKEN' }], empty: 'allowed', ...source } },
  });
  prepare(story.folder);
  const daemon = startDaemon(story);
  const url = await daemon.url();
  const port = Number(new URL(url).port);
  await waitUntil('the state is open', async () => (await daemon.get('/readyz')).status === 200);

  const ask: ScimDaemon['ask'] = async (method, path, body, headers = {}) => {
    const startedMs = performance.now();
    const response = await fetch(`${url}/scim/v2/entra${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    return { status: response.status, json, ms: performance.now() - startedMs };
  };
  return { daemon, port, ask, peak: () => peakOf(daemon.pid), dial: () => dial(port) };
}

export function peakOf(pid: number): number {
  const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

function dial(port: number): Wire {
  const startedMs = performance.now();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let open = true;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    socket.once('close', () => {
      open = false;
      resolve(performance.now() - startedMs);
    });
  });
  return { socket, text: () => text, ended, isOpen: () => open };
}

/** The head of a request; `more` has additional lines. */
export function head(method: string, path: string, ...more: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: sync.example.com', ...more, '', ''].join('\r\n');
}

export function bearer(token: string): string {
  return `Authorization: Bearer ${token}`;
}
