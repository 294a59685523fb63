// Loaded before a daemon that is soaked: its clock is set from outside, and what it holds is known to itself alone.
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MIB = 1_048_576;
/** The clock goes on by an hour as soon as all have run: whoever looks at it every few seconds must look more often. */
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

/** V8 gives memory back to the system beside the work, and most of it after a second collection. */
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
// No reason to stay: it ends as it would by itself.
process.channel.unref();
