import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { SyncError } from '../errors.js';
import type { FixtureInput } from '../sandbox/fixture.js';
import type { SandboxOptions } from '../sandbox/sandbox.js';
import type { Console } from './context.js';
import { parsePort } from './parse-options.js';
import { print } from './print.js';

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly fixture?: string;
  readonly state?: string;
  readonly clock?: string;
  readonly importDir?: string;
  readonly rate?: { readonly requests: number; readonly per_seconds: number };
}

/** `talent-sync sandbox`: the talent service on this machine. The service itself is loaded only when it starts. */
export function sandboxCommand(console: Console): Command {
  return new Command('sandbox')
    .description('run the talent service in one process, for demos, tests and integrators without an account')
    .option('--port <number>', 'port to listen on; 0 takes any free one', parsePort, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--fixture <file>', 'JSON file with what the account holds at first')
    .option('--state <file>', 'SQLite file that keeps the account; without it everything is in memory')
    .option('--clock <time>', "ISO 8601 time from which the account's clock runs")
    .option('--rate <n/s>', 'rate limit: so many requests per so many seconds, like 10/1', parseRate)
    .option('--import-dir <folder>', 'folder whose CSV files are imported, as if they had come by SFTP')
    .addHelpText('after', '\nExample:\n  talent-sync sandbox --fixture config/sandbox.json --port 8080 --rate 10/1\n')
    .action((flags: Flags) => runSandbox(console, flags));
}

async function readOptions(flags: Flags): Promise<SandboxOptions> {
  return {
    port: flags.port,
    host: flags.host,
    ...(flags.fixture === undefined ? {} : { fixture: await readFixture(flags.fixture) }),
    ...(flags.state === undefined ? {} : { stateFile: flags.state }),
    ...(flags.clock === undefined ? {} : { clock: flags.clock }),
    ...(flags.rate === undefined ? {} : { rate: flags.rate }),
    ...(flags.importDir === undefined ? {} : { importDir: flags.importDir }),
  };
}

/** Prints one line of JSON once it listens, and stays until SIGTERM or SIGINT. */
async function runSandbox(console: Console, flags: Flags): Promise<void> {
  const { printing } = await import('./context.js');
  await printing(console, false, async () => {
    const { createSandbox } = await import('../sandbox/sandbox.js');
    const sandbox = await createSandbox(await readOptions(flags));
    const { url, keys, controlKey } = sandbox;
    void print(console.stdout, `${JSON.stringify({ url, pid: process.pid, keys, control_key: controlKey })}\n`);
    await new Promise<void>((resolve) => {
      process.once('SIGTERM', () => resolve());
      process.once('SIGINT', () => resolve());
    });
    await sandbox.close();
    return { json: null, text: '', exitCode: 0 };
  });
}

async function readFixture(file: string): Promise<FixtureInput> {
  try {
    // The form is checked where it is used, so that programs and files get the same messages.
    return JSON.parse(await readFile(file, 'utf8')) as FixtureInput;
  } catch (error) {
    throw new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: `The sandbox fixture cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      place: file,
      remedy: 'Give a JSON file; docs/sandbox.md shows its form.',
      cause: error,
    });
  }
}

function parseRate(text: string): { requests: number; per_seconds: number } {
  const match = /^(\d{1,7})\/(\d+(?:\.\d+)?)$/.exec(text);
  const [requests, per_seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || requests < 1 || per_seconds <= 0) {
    throw new InvalidArgumentError('a rate is requests/seconds, like 10/1');
  }
  return { requests, per_seconds };
}
