import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readDescribed, SyncError } from '../../base/errors.js';
import type { Preview } from '../../model/preview.js';
import type { PreviewOrder } from './preview-here.js';

/** Path of the program. The path is the same from this module in either build and from the sources. */
const PROGRAM = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
/** The hidden command that reads an order from stdin and writes its response to stdout. */
const APART_COMMAND = 'preview-apart';

/** Memory limit of the process. Rows are in files, so ordinary configurations need less memory. */
const MEMORY_MB = 512;

export interface PreviewBounds {
  readonly limitMs: number;
  /** The moment that counts as now. */
  readonly nowMs: number;
}

export type ApartAnswer = { readonly preview: Preview } | { readonly error: unknown };

/**
 * Derives a preview in a separate process.
 *
 * @throws SyncError the error of that process, or SYNC_PREVIEW_LIMIT
 */
export async function previewApart(order: PreviewOrder, { limitMs, nowMs }: PreviewBounds): Promise<Preview> {
  const argv = [...process.execArgv, `--max-old-space-size=${MEMORY_MB}`, PROGRAM, APART_COMMAND];
  const child = spawn(process.execPath, argv, {
    // The environment of the process contains no secret of the daemon.
    env: { TMPDIR: tmpdir() },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  // If the process ends while reading its order, its exit code shows the failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ ...order, nowMs }));
  const [answer, [exitCode, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]).finally(() =>
    process.off('exit', end),
  );
  if (signal !== null) throw refuseLimit(limitMs);
  if (exitCode !== 0) throw new Error(`the process of the preview ended with ${exitCode}`);
  const ended = JSON.parse(answer) as ApartAnswer;
  if ('error' in ended) throw readDescribed(ended);
  return ended.preview;
}

function refuseLimit(limitMs: number): SyncError {
  return new SyncError('SYNC_PREVIEW_LIMIT', {
    message: `The preview was cancelled: it took more than ${limitMs / 1_000} s or ${MEMORY_MB} MB.`,
    place: 'preview',
    remedy:
      'Look for an expression that is slow for each record, or run `talent-sync plan` on the machine of the state.',
  });
}
