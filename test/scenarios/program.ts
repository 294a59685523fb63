import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Gate, openGate } from './gate.js';
import type { Story } from './kit.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Runs the built program in its own process, on a story's configuration. */
export function startProgram(
  story: Story,
  command: readonly string[] = ['sync'],
  node: {
    readonly args?: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
    /** The largest file that it can write, in KiB: at that size its disk is full. */
    readonly diskKiB?: number;
    /** Its output goes through a pipe; otherwise nobody reads it. */
    readonly isHeard?: boolean;
  } = {},
): ChildProcess {
  const words = [...(node.args ?? []), MAIN, ...command, '--json', '--config', story.configFile];
  const [program, ...args] =
    node.diskKiB === undefined
      ? [process.execPath, ...words]
      : ['bash', '-c', 'ulimit -f "$0" && exec "$@"', String(node.diskKiB), process.execPath, ...words];
  return spawn(program, args, {
    env: { ...process.env, ...story.env, LOG_LEVEL: 'silent', ...node.env },
    stdio: node.isHeard === true ? ['ignore', 'pipe', 'pipe'] : 'ignore',
  });
}

/** Kills the program at its write numbered `at`, before or after the service receives it. The gate stays in between. */
export async function killAtWrite(
  story: Story,
  at: number,
  moment: 'before' | 'after',
  command?: readonly string[],
): Promise<Gate> {
  let child: ChildProcess | undefined;
  const gate = await openGate(story.sandbox.url, at, async (forward) => {
    if (moment === 'after') await forward();
    child?.kill('SIGKILL');
    return false;
  });
  story.configure({ service: { base_url: gate.url } });
  child = startProgram(story, command);
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  return gate;
}
