import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.js';
import { asSyncError, describeError, type SyncError } from '../base/errors.js';
import type { Fence } from '../base/fence.js';
import { hideSecrets } from '../base/secrets/secret.js';
import type { Config } from '../config/config.js';
import type { TenantOperation } from '../operations/operation.js';
import { renderError } from '../report/texts/error-text.js';
import { foldLines } from '../report/writers/fold-lines.js';
import { chooseWidth, createStyle, type TerminalLook } from '../report/writers/style.js';
import type { RunLock } from '../store/run-lock.js';
import { print, printJson } from './print.js';
import type { ReportTarget } from './report-target.js';
import { listenForStop } from './stop-signal.js';

/** What a command may print to and read from; tests give their own. */
export interface Console {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Where answers come from; none where nobody can be asked. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** The system's, unless given. */
  readonly clock?: Clock;
  setExitCode(code: number): void;
  /** Ends the process at once: only for a second signal. */
  exit(code: number): void;
}

/** The options of every command that works on a configuration. */
export interface CommonOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Of commands that also ask a daemon elsewhere. */
export interface AskFlags extends CommonOptions {
  /** Address of its pages; without it the state is here. */
  readonly daemon?: string;
  readonly tenant?: string;
}

export interface LockFlags extends CommonOptions {
  /** Waits for the holder of the state, instead of leaving at once. */
  readonly wait?: boolean;
}

/** The options that commands which plan or apply share. */
export interface RunFlags extends LockFlags {
  readonly only?: string;
  readonly asOf?: string;
  readonly full?: boolean;
  /** Every change is printed, not the first few of each kind. */
  readonly all?: boolean;
  readonly reason?: string;
  readonly report?: readonly ReportTarget[];
  readonly ignoreQuietHours?: boolean;
  readonly duringPause?: boolean;
  /** Exit codes that become 0. */
  readonly completeOn?: readonly number[];
}

/** What a command has to say: a document for machines, text for people, and how the process ends. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** 0 without it. */
  readonly exitCode?: number;
}

/** null where the command has printed everything itself. */
type MaybeResult = CommandResult | null;

/** What commands work with that ask: beside the state, or a daemon elsewhere. */
export interface AskingContext {
  readonly console: Console;
  readonly clock: Clock;
  /** Who decides, as the audit tells it. */
  readonly by: string;
  /** Colours where stdout is a terminal that wants them. */
  readonly color: boolean;
  /** Columns of stdout where it is a terminal, else null. */
  readonly width: number | null;
  readonly signal: AbortSignal;
  /** Here, or by the daemon that `--daemon` names. */
  perform<Input, Document>(operation: TenantOperation<Input, Document>, input: Input): Promise<Document>;
}

export interface CommandContext extends AskingContext {
  readonly config: Config;
  /** The state is in PostgreSQL, and is held for this command, or it only tries something with a copy. */
  readonly held?: HeldForCommand;
}

/** A command works with these instead of taking the lock. */
export interface HeldForCommand {
  readonly lock: RunLock;
  /** null: nothing is sent. */
  readonly fence: Fence | null;
}

/** Whether the command works beside the state; options for it are refused with `--daemon`. */
export function isLocal(context: AskingContext): context is CommandContext {
  return 'config' in context;
}

/** Why an operator did it, as it is kept and told: nobody's key, should one have been pasted there. */
export function readReason({ reason }: { readonly reason?: string }): string {
  return hideSecrets(reason ?? '');
}

/** The account that started this process; its number where the system has no name for it, as in many containers. */
export function nameOperator(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Who holds the run lock, as whoever finds it taken reads it: `sync, process 4711 on worker-1`. */
export function describeHolder(command: string): string {
  return `${command}, process ${process.pid} on ${hostname()}`;
}

/** What a command does, with its options and its arguments by name. */
export type CommandWork<Flags> = (context: CommandContext, flags: Flags) => MaybeResult | Promise<MaybeResult>;

/** The same where a daemon elsewhere may be asked. */
export type AskingWork<Flags> = (context: AskingContext, flags: Flags) => MaybeResult | Promise<MaybeResult>;

/**
 * How a command works with a state that is in PostgreSQL: it holds the tenant as a daemon does, or also what is pushed into it; it
 * looks at a copy, or tries something with one; or it sees to it by itself.
 */
export type States = 'hold' | 'hold all' | 'look' | 'try' | 'by itself';

/** True if a `daemon.yaml` is next to a configuration. Only then a command looks for a `backend:`. */
export function isNextToBackend(file: string): boolean {
  return existsSync(join(dirname(file), 'daemon.yaml'));
}

/** With what the terminal gives, and ended by its signals. */
export async function attending<T>(
  console: Console,
  work: (attended: Omit<AskingContext, 'perform'>) => T | Promise<T>,
): Promise<T> {
  const { signal, release } = listenForStop(console);
  try {
    const { clock = systemClock } = console;
    const look = { color: wantsColor(console), width: widthOf(console.stdout) };
    return await work({ console, clock, by: nameOperator(), ...look, signal });
  } finally {
    release();
  }
}

/** How text is put on the terminal of a command. */
export function terminalLook({ color, width }: Pick<AskingContext, 'color' | 'width'>): TerminalLook {
  return { style: createStyle(color), width: chooseWidth(width) };
}

/** By the usual conventions: `FORCE_COLOR` decides, then `NO_COLOR`, then whether it is a terminal that can show any. */
export function wantsColor({ stdout, env }: Pick<Console, 'stdout' | 'env'>): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stdout.isTTY === true && !refused && terminal !== 'dumb';
}

/** A build server: what it shows is a log, even where it gives a terminal. */
export function isInCi({ CI: ci }: NodeJS.ProcessEnv): boolean {
  return ci !== undefined && ci !== '' && ci !== '0' && ci !== 'false';
}

/** The same without a configuration. */
export async function printing(console: Console, json: boolean, command: () => Promise<MaybeResult>): Promise<void> {
  try {
    const { json: document, text, exitCode = 0 } = (await command()) ?? { json: null, text: '' };
    if (json) await printJson(console.stdout, document);
    else await print(console.stdout, fitTo(widthOf(console.stdout), text));
    console.setExitCode(exitCode);
  } catch (thrown) {
    const error = asSyncError(thrown);
    if (json) await printJson(console.stdout, describeError(error));
    await print(console.stderr, formatError(error, widthOf(console.stderr)));
    if (error.code === 'SYNC_INTERNAL' && console.env.LOG_LEVEL === 'debug') {
      await print(console.stderr, `${(error.cause as Error | undefined)?.stack ?? ''}\n`);
    }
    console.setExitCode(1);
  }
}

export function fitTo(width: number | null, text: string): string {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return width === null ? whole : foldLines(whole, chooseWidth(width));
}

/** Text for people beside the report, no wider than their terminal. */
export function printFitted(stream: Console['stdout'], text: string): Promise<void> {
  return print(stream, fitTo(widthOf(stream), text));
}

/** Columns of a terminal; null where it is none. */
export function widthOf({ isTTY, columns }: Console['stdout']): number | null {
  return isTTY === true ? (columns ?? null) : null;
}

/** @param width columns of the terminal; null where lines are as long as they are */
export function formatError(error: SyncError, width: number | null = null): string {
  return fitTo(width, renderError(error));
}
