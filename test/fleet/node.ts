import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { KEY } from '../scenarios/company.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly time: string;
  readonly tenant?: string;
  readonly [key: string]: unknown;
}

/** A daemon on its own machine: the configurations, and an empty disk. */
export interface Node {
  readonly name: string;
  isRunning(): boolean;
  /** The end of its log if it ended by itself; otherwise null. */
  crash(): string | null;
  isPaused(): boolean;
  /** Its log so far, without calls and stages. */
  log(): readonly LogLine[];
  /** True once it is ready for requests. */
  isServing(): boolean;
  /** Resolves once it is ready for requests. */
  ready(): Promise<void>;
  /** Its operator pages, with this machine as an operator. */
  read(path: string): Promise<Answer>;
  decide(path: string, body: object): Promise<Answer>;
  /** Submits a form of the pages, such as `Run now`. */
  post(path: string): Promise<Answer>;
  /** Its own port: metrics, and pushes of identity providers. */
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  pause(): void;
  resume(): void;
  /** Kills the process and removes its disk. */
  lose(): Promise<void>;
  /** Stops it with SIGTERM. */
  stop(): Promise<void>;
}

export interface Answer {
  /** 0 without an answer. */
  readonly status: number;
  readonly text: string;
}

export interface NodeOptions {
  readonly folder: string;
  readonly name: string;
  readonly postgresUrl: string;
  /** Tenant name → its configuration. */
  readonly configs: ReadonlyMap<string, string>;
  readonly parallel?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const DAEMON = `backend: { postgres: { url: { env: DATABASE_URL }, tls: off } }
web: { listen: "127.0.0.1:0", public_url: "http://127.0.0.1", state: ../web }
`;
const DEBUG = /^\{"level":"debug"/;
/** A request without an answer by then has none. */
const ANSWER_MS = 30_000;

export function startNode({ folder, name, postgresUrl, configs, parallel = 4, env = {} }: NodeOptions): Node {
  const disk = join(folder, name);
  mkdirSync(join(disk, 'tenants'), { recursive: true });
  for (const [tenant, text] of configs) writeFileSync(join(disk, 'tenants', `${tenant}.yaml`), text);
  writeFileSync(join(disk, 'tenants', 'daemon.yaml'), DAEMON);
  // A file keeps each line that was written before a kill.
  const logFile = join(folder, `${name}.log`);
  const output = openSync(logFile, 'w');
  const flags = ['--config', join(disk, 'tenants'), '--port', '0', '--parallel', String(parallel)];
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'daemon', ...flags, '--insecure-loopback'], {
    env: { ...process.env, TALENT_API_KEY: KEY, DATABASE_URL: postgresUrl, LOG_LEVEL: 'debug', ...env },
    stdio: ['ignore', 'ignore', output],
  });
  closeSync(output);
  const ended = once(child, 'close');
  let [isRunning, isPaused, isEnding] = [true, false, false];
  let crash: string | null = null;
  void ended.then(() => {
    isRunning = false;
    if (!isEnding) crash = readFileSync(logFile, 'utf8').slice(-2_000);
  });
  let login: { readonly csrf: string; readonly cookie: string } | null = null;

  const log = (): readonly LogLine[] => {
    const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n') : [];
    // Most lines are calls and stages.
    const some = lines.filter((line) => line.endsWith('}') && (!DEBUG.test(line) || line.includes('"run starts"')));
    return some.map((line) => JSON.parse(line) as LogLine);
  };
  let [own, pages] = ['', ''];
  const isListening = (): boolean => {
    if (own === '') {
      const lines = log();
      // It listens before it knows its tenants; a platform sends it nothing until then.
      if (!lines.some(({ msg }) => msg === 'daemon started')) return false;
      const found = lines.find(({ msg }) => msg === 'listening');
      [own, pages] = [String(found?.url ?? ''), String(found?.pages ?? '')];
    }
    return own !== '';
  };

  async function ask(address: string, init: RequestInit = {}): Promise<Answer & { readonly headers: Headers }> {
    const none = { status: 0, text: '', headers: new Headers() };
    if (!isListening()) return none;
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const base = address.startsWith('/own') ? own : pages;
      const response = await fetch(base + address.replace(/^\/own/, ''), { redirect: 'manual', ...init, signal });
      return { status: response.status, text: await response.text(), headers: response.headers };
    } catch {
      return none;
    }
  }

  async function proof(): Promise<{ readonly csrf: string; readonly cookie: string } | null> {
    if (login !== null) return login;
    const { status, text, headers } = await ask('/api/session');
    if (status !== 200) return null;
    const cookie = headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
    login = { csrf: (JSON.parse(text) as { readonly csrf: string }).csrf, cookie: cookie.join('; ') };
    return login;
  }

  async function send(path: string, type: string, body: string): Promise<Answer> {
    const own = await proof();
    if (own === null) return { status: 0, text: '' };
    const headers = { 'x-csrf-token': own.csrf, cookie: own.cookie, 'content-type': type };
    return ask(path, { method: 'POST', headers, body });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    isEnding = true;
    if (!isRunning) return;
    child.kill(signal);
    if (isPaused) child.kill('SIGCONT');
    await ended;
  }

  return {
    name,
    isRunning: () => isRunning,
    crash: () => crash,
    isPaused: () => isPaused,
    log,
    isServing: () => isRunning && isListening(),
    async ready() {
      while (!isListening()) {
        if (!isRunning) throw new Error(`${name} did not start: ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
        await setTimeout(50);
      }
    },
    read: (path) => ask(path),
    decide: (path, body) => send(path, 'application/json', JSON.stringify(body)),
    post: (path) => send(path, 'application/x-www-form-urlencoded', ''),
    fetch: (path, init) => ask(`/own${path}`, init),
    pause() {
      isPaused = true;
      child.kill('SIGSTOP');
    },
    resume() {
      isPaused = false;
      child.kill('SIGCONT');
    },
    async lose() {
      await end('SIGKILL');
      rmSync(disk, { recursive: true, force: true, maxRetries: 10 });
    },
    stop: () => end('SIGTERM'),
  };
}
