import { readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IS_THOROUGH } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openFleet } from './fleet.js';

const { SOAK_OUT, SOAK_MINUTES = '0', SOAK_TENANTS = IS_THOROUGH ? '20' : '3' } = process.env;
const MINUTES = Number(SOAK_MINUTES);
const HOURS = IS_THOROUGH ? 24 : 3;
const MIB = 1_048_576;

interface Sample {
  readonly part: string;
  readonly hours: number;
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly handles: number;
  readonly descriptors: number;
}

/** What the process holds now; after a collection where `--expose-gc` allows one. */
function take(part: string, hours: number): Sample {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const [handles, descriptors] = [process.getActiveResourcesInfo().length, readdirSync('/proc/self/fd').length];
  return { part, hours, heapMiB: heapUsed / MIB, rssMiB: rss / MIB, handles, descriptors };
}

test('a daemon over many tenants holds after a day what it held in the morning', {
  timeout: 600_000 + MINUTES * 60_000,
}, async () => {
  const fleet = await openFleet('2026-03-02T00:00:30Z');
  const people = Array.from({ length: 20 }, (_, index) => person(`E${index}`));
  for (let index = 0; index < Number(SOAK_TENANTS); index++) {
    const tenant = await fleet.addTenant(`t${index}`, { schedule: { every: `${index % 60} * * * *` } });
    tenant.deliver(people);
  }
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  const samples: Sample[] = [];
  let hour = 0;
  const walkHour = async (): Promise<void> => {
    hour += 1;
    await fleet.walk(daemon, new Date(Date.UTC(2026, 2, 2, hour)).toISOString());
    // Lines of the log and calls that the test keeps are no growth of the daemon.
    fleet.forget();
  };
  while (hour < HOURS) {
    await walkHour();
    samples.push(take('simulated day', hour));
  }
  const beganMs = performance.now();
  for (let spentMs = 0; spentMs < MINUTES * 60_000; spentMs = performance.now() - beganMs) {
    await walkHour();
    samples.push(take('real time', spentMs / 3_600_000));
  }
  if (SOAK_OUT !== undefined) writeFileSync(SOAK_OUT, JSON.stringify(samples));
  const [early, late] = [samples[1], samples.at(-1)];
  // Sockets that are kept alive for a moment come and go; what leaks grows with each round.
  expect(late?.descriptors).toBeLessThan((early?.descriptors ?? 0) + 10);
  expect(late?.handles).toBeLessThan((early?.handles ?? 0) + 10);
});
