import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { findTool } from '../tools.js';

/** A message of the DevTools protocol in the pipe: JSON followed by a NUL. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}
type Result = Readonly<Record<string, unknown>>;

export interface Page {
  /** Returns the value of an expression on the page; awaits promises. */
  evaluate<T>(expression: string): Promise<T>;
  open(url: string): Promise<void>;
  /** Presses a key by its name: `Tab`, `Enter`, `/`, `ArrowDown`. */
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  send(method: string, params?: object): Promise<Result>;
  /** Uncaught errors, console errors, and violations of the policy. */
  readonly errors: readonly string[];
  /** The requested addresses. */
  readonly requests: readonly string[];
}

export interface Browser {
  /** `apart` gives the page its own cookies. */
  newPage(apart?: 'apart'): Promise<Page>;
  close(): Promise<void>;
}

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run --remote-debugging-pipe';

/** A real browser with its own profile, driven over a pipe. It needs no port and no library. */
export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'talent-sync-chromium-'));
  const child = spawn(findTool('chromium'), [...FLAGS.split(' '), `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const link = linkTo(child);
  await link.send('Browser.getVersion');
  return {
    newPage: (apart) => newPage(link, apart === 'apart'),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await link.send('Browser.close').catch(() => child.kill());
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Link {
  send(method: string, params?: object, sessionId?: string): Promise<Result>;
  listen(sessionId: string, take: (method: string, params: Result) => void): void;
}

function linkTo(child: ChildProcess): Link {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
  const listeners = new Map<string, (method: string, params: Result) => void>();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) take(JSON.parse(part) as Message);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium has ended.'));
  });

  function take({ id, method, params, result, error, sessionId }: Message): void {
    if (id === undefined) {
      if (method !== undefined) listeners.get(sessionId ?? '')?.(method, params ?? {});
      return;
    }
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error !== undefined) waiter?.reject(new Error(error.message));
    else waiter?.resolve(result ?? {});
  }

  return {
    send(method, params = {}, sessionId) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      });
    },
    listen: (sessionId, listener) => void listeners.set(sessionId, listener),
  };
}

const KEYS: Readonly<Record<string, { readonly code: number; readonly text?: string }>> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: '\r' },
  ArrowDown: { code: 40 },
  ArrowUp: { code: 38 },
  '/': { code: 191, text: '/' },
  ' ': { code: 32, text: ' ' },
};

async function newPage(link: Link, isApart: boolean): Promise<Page> {
  const context = isApart ? await link.send('Target.createBrowserContext') : {};
  const { targetId } = await link.send('Target.createTarget', { url: 'about:blank', ...context });
  const { sessionId } = await link.send('Target.attachToTarget', { targetId, flatten: true });
  const session = String(sessionId);
  const errors: string[] = [];
  const requests: string[] = [];
  // Counts only the loaded document, because the previous page may finish loading only now.
  const loaded = new Set<unknown>();
  let tellLoaded: () => void = () => undefined;
  link.listen(session, (method, params) => {
    if (method === 'Page.lifecycleEvent' && params.name === 'load') {
      loaded.add(params.loaderId);
      tellLoaded();
    }
    if (method === 'Network.requestWillBeSent') requests.push((params.request as { readonly url: string }).url);
    else if (method === 'Runtime.exceptionThrown') errors.push(JSON.stringify(params.exceptionDetails));
    else if (method === 'Log.entryAdded') errors.push(JSON.stringify(params.entry));
    else if (method === 'Runtime.consoleAPICalled') errors.push(JSON.stringify(params.args));
  });
  const send = (method: string, params: object = {}): Promise<Result> => link.send(method, params, session);
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(`${domain}.enable`);
  await send('Page.setLifecycleEventsEnabled', { enabled: true });
  // Sends keys to the focused element, even while another page of this browser is in front.
  await send('Emulation.setFocusEmulationEnabled', { enabled: true });
  return {
    errors,
    requests,
    send,
    async open(url) {
      const { loaderId } = await send('Page.navigate', { url });
      while (loaderId !== undefined && !loaded.has(loaderId)) {
        await new Promise<void>((resolve) => {
          tellLoaded = resolve;
        });
      }
    },
    async evaluate<T>(expression: string): Promise<T> {
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { readonly value: T }).value;
    },
    async press(key) {
      const { code, text } = KEYS[key] ?? { code: 0 };
      const event = { key, windowsVirtualKeyCode: code, ...(text === undefined ? {} : { text }) };
      await send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...event });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    type: async (text) => void (await send('Input.insertText', { text })),
  };
}
