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

/** The streams and the environment of a command. Tests pass their own. */
export interface Console {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Input for answers; absent if nobody can be asked. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** By default the system's clock. */
  readonly clock?: Clock;
  setExitCode(code: number): void;
  /** Ends the process immediately. Only a second signal does this. */
  exit(code: number): void;
}

/** The options of every command that works on a configuration. */
export interface CommonOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Options of commands that can also ask a remote daemon. */
export interface AskFlags extends CommonOptions {
  /** Address of the daemon's pages. Without it, the command uses the local state. */
  readonly daemon?: string;
  readonly tenant?: string;
}

export interface LockFlags extends CommonOptions {
  /** Waits until the holder releases the state, instead of failing immediately. */
  readonly wait?: boolean;
}

/** Common options of commands that plan or apply. */
export interface RunFlags extends LockFlags {
  readonly only?: string;
  readonly asOf?: string;
  readonly full?: boolean;
  /** Prints every change, not only the first few of each kind. */
  readonly all?: boolean;
  readonly reason?: string;
  readonly report?: readonly ReportTarget[];
  readonly ignoreQuietHours?: boolean;
  readonly duringPause?: boolean;
  /** Exit codes to replace by 0. */
  readonly completeOn?: readonly number[];
}

/** Output of a command: a document for machines, text for people, and the exit code. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** Defaults to 0. */
  readonly exitCode?: number;
}

/** null if the command has printed everything itself. */
type MaybeResult = CommandResult | null;

/** Context of commands that use the local state or ask a remote daemon. */
export interface AskingContext {
  readonly console: Console;
  readonly clock: Clock;
  /** Name of the person who decides, as in the audit log. */
  readonly by: string;
  /** True to print colours. */
  readonly color: boolean;
  /** Columns of the terminal on stdout, else null. */
  readonly width: number | null;
  readonly signal: AbortSignal;
  /** Performs an operation here, or on the daemon that `--daemon` names. */
  perform<Input, Document>(operation: TenantOperation<Input, Document>, input: Input): Promise<Document>;
}

export interface CommandContext extends AskingContext {
  readonly config: Config;
  /** Present if the state is in PostgreSQL. The command then holds the state, or works on a copy that is discarded. */
  readonly held?: HeldForCommand;
}

/** The lock and fence of a command that need not take the lock itself. */
export interface HeldForCommand {
  readonly lock: RunLock;
  /** Null if the command sends nothing. */
  readonly fence: Fence | null;
}

/** True if the command uses the local state. Rejects local options together with `--daemon`. */
export function isLocal(context: AskingContext): context is CommandContext {
  return 'config' in context;
}

/** The reason for a decision, as stored and shown. Secrets are hidden, in case someone pasted one. */
export function readReason({ reason }: { readonly reason?: string }): string {
  return hideSecrets(reason ?? '');
}

/** Name of the user who started this process, or the user id if the system has no name, as in many containers. */
export function nameOperator(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Describes the holder of the run lock to other processes: `sync, process 4711 on worker-1`. */
export function describeHolder(command: string): string {
  return `${command}, process ${process.pid} on ${hostname()}`;
}

/** The function of a command. The function receives the options, and the arguments by name. */
export type CommandWork<Flags> = (context: CommandContext, flags: Flags) => MaybeResult | Promise<MaybeResult>;

/** The function of a command that can ask a remote daemon. */
export type AskingWork<Flags> = (context: AskingContext, flags: Flags) => MaybeResult | Promise<MaybeResult>;

/**
 * How a command uses a state in PostgreSQL. `hold` holds the tenant as a daemon does, and `hold all` also holds its pushed
 * users. `look` reads a copy. `try` may change a copy, which is then discarded. `by itself` means that the command handles
 * the state on its own.
 */
export type States = 'hold' | 'hold all' | 'look' | 'try' | 'by itself';

/** True if a `daemon.yaml` is next to the configuration. Only then do commands look for a `backend:`. */
export function isNextToBackend(file: string): boolean {
  return existsSync(join(dirname(file), 'daemon.yaml'));
}

/** Runs work with the settings of the terminal, and stops it on signals. */
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

export function terminalLook({ color, width }: Pick<AskingContext, 'color' | 'width'>): TerminalLook {
  return { style: createStyle(color), width: chooseWidth(width) };
}

/** Follows the usual conventions: `FORCE_COLOR` first, then `NO_COLOR`, then the colour support of the terminal. */
export function wantsColor({ stdout, env }: Pick<Console, 'stdout' | 'env'>): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stdout.isTTY === true && !refused && terminal !== 'dumb';
}

/** True on a build server. The output of a build server is a log, even if the server provides a terminal. */
export function isInCi({ CI: ci }: NodeJS.ProcessEnv): boolean {
  return ci !== undefined && ci !== '' && ci !== '0' && ci !== 'false';
}

/** Prints the result of a command that needs no configuration, and sets the exit code. */
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

/** Prints text that is not part of the result, wrapped to the width of the terminal. */
export function printFitted(stream: Console['stdout'], text: string): Promise<void> {
  return print(stream, fitTo(widthOf(stream), text));
}

/** Columns of a terminal; null if the stream is not a terminal. */
export function widthOf({ isTTY, columns }: Console['stdout']): number | null {
  return isTTY === true ? (columns ?? null) : null;
}

/** @param width columns of the terminal; null to leave lines unwrapped */
export function formatError(error: SyncError, width: number | null = null): string {
  return fitTo(width, renderError(error));
}
