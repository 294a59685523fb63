import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { listenForStop } from '../../src/cli/stop-signal.js';
import { Limiter } from '../../src/service/limiter.js';
import { createTalentService } from '../../src/service/talent-service.js';
import { oneIn, sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';

/** The warnings that Node would print on stderr during the work. */
async function warningsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
  process.on('warning', note);
  try {
    await work();
    // Node emits warnings one tick later.
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('warning', note);
  }
  return warnings;
}

/** A stop from commands and the daemon, and one from a program that brings its own. */
const STOPS: readonly (readonly [string, () => { readonly signal: AbortSignal; release(): void }])[] = [
  ['a command', () => listenForStop({ exit: () => undefined })],
  ['another program', () => ({ signal: new AbortController().signal, release: () => undefined })],
];

sweep.each(oneIn(1, STOPS))(
  'prints no leak warning for hundreds of calls that wait for one stop: %s',
  async (_, openStop) => {
    const { signal, release } = openStop();
    const server = createServer((_request, response) => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'), 5);
    });
    const rateLimit = { requestsPerSecond: 2_000, perMinute: null, concurrency: 32 };
    const service = createTalentService({
      ...{ baseUrl: await listenOnLoopback(server), apiKey: 'key', timeoutMs: 2_000, rateLimit, clock: systemClock },
      onCall: () => undefined,
    });
    const warnings = await warningsOf(() =>
      Promise.all(Array.from({ length: 300 }, () => service.reader.countries.list(signal))),
    );
    await service.close();
    release();
    expect(warnings).toEqual([]);
  },
);

test.each(oneIn(1, STOPS, 1))('prints no leak warning for hundreds of turns and pauses: %s', async (_, openStop) => {
  const { signal, release } = openStop();
  const rateLimit = { requestsPerSecond: 5_000, perMinute: null, concurrency: 200 };
  const limiter = new Limiter({ rateLimit, clock: systemClock, readLimited: () => null });
  const pause = (): Promise<void> => systemClock.sleep(5, signal);
  const warnings = await warningsOf(() =>
    Promise.all(Array.from({ length: 300 }, () => limiter.run(pause, signal).then(pause))),
  );
  release();
  expect(warnings).toEqual([]);
});
