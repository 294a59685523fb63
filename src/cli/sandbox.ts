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

/**
 * `sandbox`: runs the talent service on this machine until SIGTERM or SIGINT. Once it listens, it prints one line of JSON,
 * and the address of its pages.
 */
export async function runSandbox(console: Console, flags: SandboxFlags): Promise<void> {
  await printing(console, false, async () => {
    const sandbox = await createSandbox(readOptions(flags));
    const { url, keys, controlKey } = sandbox;
    void print(console.stdout, `${JSON.stringify({ url, pid: process.pid, keys, control_key: controlKey })}\n`);
    // Printed to stderr, because stdout has only the line for programs.
    void print(console.stderr, `The account's pages: ${toVisit(url)}/\n`);
    await untilStopped(listenForStop(console));
    await sandbox.close();
    return null;
  });
}

/** An address that a browser can open, if the server listens on all addresses. */
function toVisit(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
