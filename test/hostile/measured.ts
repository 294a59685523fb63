import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Story } from '../scenarios/kit.js';
import { NOTE_PEAK, readPeak } from './note-peak.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
export interface Measured {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly peakMiB: number;
}

/** Runs the built program in its own process, and measures its peak memory. */
export async function runMeasured(
  story: Story,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Measured> {
  const peak = join(story.folder, `peak-${Date.now()}`);
  const child = spawn(
    process.execPath,
    ['--import', NOTE_PEAK, MAIN, ...command, '--json', '--config', story.configFile],
    { env: { ...process.env, ...story.env, PEAK_FILE: peak, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr, peakMiB: readPeak(peak) };
}
