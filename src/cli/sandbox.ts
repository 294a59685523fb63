import { createSandbox, type SandboxOptions } from '../sandbox/sandbox.js';
import { type Console, printing } from './context.js';
import { print } from './print.js';
import { listenForStop, untilStopped } from './stop-signal.js';

export interface SandboxFlags {
  readonly port: number;
  readonly host: string;
  readonly fixture?: string;
  readonly state?: string;
  readonly clock?: string;
  readonly importDir?: string;
  readonly controlKey?: string;
  readonly rate?: { readonly requests: number; readonly per_seconds: number };
}

function readOptions(flags: SandboxFlags): SandboxOptions {
  return {
    port: flags.port,
    host: flags.host,
    ...(flags.fixture === undefined ? {} : { fixtureFile: flags.fixture }),
    ...(flags.state === undefined ? {} : { stateFile: flags.state }),
    ...(flags.clock === undefined ? {} : { clock: flags.clock }),
    ...(flags.rate === undefined ? {} : { rate: flags.rate }),
    ...(flags.importDir === undefined ? {} : { importDir: flags.importDir }),
    ...(flags.controlKey === undefined ? {} : { controlKey: flags.controlKey }),
  };
}

/** `sandbox`: the talent service on this machine. Prints one line of JSON once it listens, and where its pages are, and stays until SIGTERM or SIGINT. */
export async function runSandbox(console: Console, flags: SandboxFlags): Promise<void> {
  await printing(console, false, async () => {
    const sandbox = await createSandbox(readOptions(flags));
    const { url, keys, controlKey } = sandbox;
    void print(console.stdout, `${JSON.stringify({ url, pid: process.pid, keys, control_key: controlKey })}\n`);
    // Beside the line for programs, which is all that is on stdout.
    void print(console.stderr, `The account's pages: ${toVisit(url)}/\n`);
    await untilStopped(listenForStop(console));
    await sandbox.close();
    return null;
  });
}

/** Where it listens at every address of the machine, one that a browser can open. */
function toVisit(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
