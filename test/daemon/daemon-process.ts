import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { closeAfterTest } from '../closing.js';
import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Due once a year, so that a minute beginning during a test adds no run. */
export const YEARLY = { every: '0 0 1 1 *', timezone: 'UTC' };

export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly time: string;
  readonly tenant?: string;
  readonly [key: string]: unknown;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A separate process, as an operator or a platform starts it. */
export interface Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  isRunning(): boolean;
  stdout(): string;
  stderr(): string;
  /** Closes the reading end of the log. */
  closeStderr(): void;
  send(signal: NodeJS.Signals): void;
}

export interface DaemonProcess extends Program {
  /** All lines of stderr that are JSON. */
  log(): readonly LogLine[];
  /** Waits for a line with this message, by default the first one, and returns it. */
  logged(msg: string, nth?: number, withinMs?: number): Promise<LogLine>;
  /** The address in the log, once the configurations are loaded. */
  url(): Promise<string>;
  get(path: string, token?: string): Promise<{ readonly status: number; readonly text: string }>;
  /** A sample of `/metrics`, as `talent_sync_config_good{tenant="acme"}`; null when there is none. */
  metric(sample: string): Promise<number | null>;
}

export interface DaemonFlags {
  /** By default the story's own configuration. */
  readonly target?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Moves the process's clock so that a minute begins this long after its start. */
  readonly minuteInMs?: number;
}

/** Polls until the condition is met. Only a hanging test reaches the time limit. */
export async function waitUntil(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 50_000,
): Promise<void> {
  const deadlineMs = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error(`Waited in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function startProgram(
  story: Story,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  nodeArgs: readonly string[] = [],
): Program {
  const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], {
    env: { ...process.env, LOG_LEVEL: undefined, TALENT_SYNC_METRICS_TOKEN: undefined, ...story.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  let isRunning = true;
  const program: Program = {
    pid: child.pid ?? 0,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        isRunning = false;
        resolve({ code, signal });
      });
    }),
    isRunning: () => isRunning,
    stdout,
    stderr,
    closeStderr: () => void child.stderr?.destroy(),
    send: (signal) => void child.kill(signal),
  };
  // This is closed before the story's folder, so that the process cannot write into a folder that is being removed.
  closeAfterTest({
    close() {
      if (isRunning) program.send('SIGKILL');
      return program.ended;
    },
  });
  return program;
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

export function startDaemon(story: Story, flags: DaemonFlags = {}): DaemonProcess {
  const { target = story.configFile, args = [], env = {}, minuteInMs } = flags;
  const preload = minuteInMs === undefined ? [] : ['--import', moveClock(minuteInMs)];
  const program = startProgram(story, ['daemon', '--config', target, '--port', '0', ...args], env, preload);

  function log(): readonly LogLine[] {
    const lines = program.stderr().split('\n');
    return lines.flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line) as LogLine] : []));
  }

  async function logged(msg: string, nth = 1, withinMs?: number): Promise<LogLine> {
    const find = (): LogLine | undefined => log().filter((line) => line.msg === msg)[nth - 1];
    const isOver = (): boolean => find() !== undefined || !program.isRunning();
    await waitUntil(`"${msg}" is logged`, isOver, withinMs).catch(() => undefined);
    const found = find();
    if (found === undefined) throw new Error(`No line ${nth} of "${msg}" in the log:\n${program.stderr()}`);
    return found;
  }

  async function url(): Promise<string> {
    await logged('daemon started');
    return String((await logged('listening')).url);
  }

  async function get(path: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch((await url()) + path, { headers });
    return { status: response.status, text: await response.text() };
  }

  return {
    ...program,
    log,
    logged,
    url,
    get,
    async metric(sample) {
      const { text } = await get('/metrics');
      const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
      return line === undefined ? null : Number(line.slice(sample.length));
    },
  };
}

/** A module for `--import` that sets the clock to just before a full minute. */
function moveClock(minuteInMs: number): string {
  const code = `
    const Real = Date;
    const offsetMs = 60_000 - (Real.now() % 60_000) - ${minuteInMs};
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + offsetMs) : super(...given); }
      static now() { return Real.now() + offsetMs; }
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Runs a command to its end, with `--json`, on the story's configuration unless another one is named. */
export async function runProgram<T>(
  story: Story,
  ...args: readonly string[]
): Promise<{ code: number | null; json: T }> {
  const program = startProgram(story, [...args, '--json', '--config', story.configFile]);
  const { code } = await program.ended;
  if (program.stdout() === '') throw new Error(`${args.join(' ')} ended with ${code}:\n${program.stderr()}`);
  return { code, json: JSON.parse(program.stdout()) as T };
}

/** Makes a run due immediately, as if the daemon had been stopped since before the last slots. */
export function oweRun(story: Story, schedule: { readonly every: string; readonly timezone: string } = YEARLY): void {
  const anchor = { ...schedule, atMs: Date.now() - 1_000 * 86_400_000 };
  const state = openState(story);
  try {
    state.prepare("INSERT OR REPLACE INTO facts VALUES ('schedule', ?)").run(JSON.stringify(anchor));
  } finally {
    state.close();
  }
}

/** All runs in the history, oldest first, as `daemon 0`; `daemon -` has not ended. */
export function listRuns(story: Story): readonly string[] {
  const state = openState(story);
  try {
    return state
      .prepare<[], string>("SELECT command || ' ' || coalesce(exit_code, '-') FROM runs ORDER BY rowid")
      .pluck()
      .all();
  } finally {
    state.close();
  }
}

function openState({ folder }: Story): Database.Database {
  const state = new Database(join(folder, 'var', 'state.db'), { fileMustExist: true });
  state.pragma('busy_timeout = 10000');
  return state;
}

/**
 * Puts the schedule into the configuration and runs a first `sync`, which creates the state. The next delivery is still
 * to come.
 */
export async function settleIn(story: Story, patch: { readonly [key: string]: Yaml } = {}): Promise<void> {
  story.configure({ schedule: YEARLY, ...patch });
  const { code, error } = await story.sync();
  if (code !== 0 || !existsSync(join(story.folder, 'var', 'state.db'))) {
    throw new Error(`The first sync ended with ${code}: ${error?.message ?? ''}`);
  }
  story.takeWrites();
}
