// Preloaded into a daemon under a soak test: the test sets its clock and reads what it holds.
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1_048_576;
/**
 * The test moves the clock by an hour as soon as all tenants have run, so timers of a few seconds must fire more often.
 */
const TIMES = 50;

const Real = Date;
let aheadMs = Number(process.env.CLOCK_OFFSET_MS);
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + aheadMs] : given));
  }
  static now() {
    return Real.now() + aheadMs;
  }
};
const every = setInterval;
globalThis.setInterval = (work, ms, ...given) => every(work, ms / TIMES, ...given);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** V8 returns memory to the system in the background, and most of it after a second collection. */
async function hold() {
  for (let times = 0; times < 2; times++) {
    collectGarbage();
    await pause(300);
  }
  const { heapUsed, rss } = process.memoryUsage();
  const [handles, descriptors] = [process.getActiveResourcesInfo().length, readdirSync('/proc/self/fd').length];
  return { heapMiB: heapUsed / MIB, rssMiB: rss / MIB, handles, descriptors };
}

process.on('message', ({ setClockMs }) => {
  if (setClockMs === undefined) void hold().then((held) => process.send(held));
  else aheadMs = setClockMs - Real.now();
});
// The channel must not keep the process running.
process.channel.unref();
