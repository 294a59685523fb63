import { once } from 'node:events';
import { expectMany } from '../base/clock.js';
import { SyncError } from '../base/errors.js';

export interface StopSignal {
  readonly signal: AbortSignal;
  release(): void;
}

export async function untilStopped({ signal }: StopSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

const STOP_SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

function stopped(signal: string): SyncError {
  return new SyncError('SYNC_STOPPED', {
    message: `Stopped by ${signal}, before there was anything to finish.`,
    remedy: 'Nothing is lost. The next run starts from the same point.',
  });
}

/**
 * The first signal aborts: the command finishes the calls in flight, writes their outcomes, and ends. A second signal ends
 * the process immediately. The process exits explicitly, because the kernel does not apply the default action to process 1
 * of a container.
 */
export function listenForStop(console: { exit(code: number): void }): StopSignal {
  const controller = new AbortController();
  expectMany(controller.signal);
  const stop = (signal: keyof typeof STOP_SIGNALS): void => {
    if (controller.signal.aborted) console.exit(128 + STOP_SIGNALS[signal]);
    else controller.abort(stopped(signal));
  };
  const names = Object.keys(STOP_SIGNALS) as readonly (keyof typeof STOP_SIGNALS)[];
  for (const name of names) process.on(name, stop);
  return { signal: controller.signal, release: () => names.forEach((name) => void process.off(name, stop)) };
}
