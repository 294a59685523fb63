import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A daemon of the fleet, as if on its own machine, with a folder of configurations and an empty cache. */
export interface FleetDaemon {
  readonly name: string;
  /** Kills the process and removes its folder, as if the machine died. */
  lose(): Promise<void>;
}

export interface FleetEvent {
  readonly daemon: string;
  readonly msg: string;
  readonly tenant: string;
  readonly done: number;
}

export interface FleetDaemonOptions {
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  /** File name → its text. */
  readonly files: Readonly<Record<string, string>>;
  readonly onEvent: (event: FleetEvent) => void;
}

/** Starts a daemon. Resolves once it has read its configurations. */
export async function startFleetDaemon(options: FleetDaemonOptions): Promise<FleetDaemon> {
  const { name, folder, command, env, files, onEvent } = options;
  const tenants = join(folder, 'tenants');
  await mkdir(tenants, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(tenants, file), text);
  // Two tenants at a time, so that each daemon gets some tenants.
  const daemon = spawn(command, ['daemon', '--config', tenants, '--port', '0', '--parallel', '2'], {
    ...{ env: { ...env, LOG_LEVEL: 'debug' }, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  const ended = once(daemon, 'exit');
  await new Promise<void>((resolve) => {
    void ended.then(() => resolve());
    createInterface({ input: daemon.stderr as NonNullable<ChildProcess['stderr']> }).on('line', (line) => {
      const { msg, tenant, done = 0 } = parseLine(line);
      if (msg === 'daemon started') resolve();
      if (tenant !== undefined) onEvent({ daemon: name, msg, tenant, done });
    });
  });
  return {
    name,
    async lose() {
      daemon.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface DaemonLine {
  readonly msg: string;
  readonly tenant?: string;
  readonly done?: number;
}

/** A kill may truncate the last log line. */
function parseLine(line: string): DaemonLine {
  try {
    return JSON.parse(line) as DaemonLine;
  } catch {
    return { msg: line };
  }
}
