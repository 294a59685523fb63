// Loaded before a program that is measured: what a process has used is known to itself alone. A program that ends writes it
// down as it leaves; a server says it when it is asked, and counts anew.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchWaits } from './waits.mjs';

const isServer = process.channel !== undefined;
/** Of a run of a few seconds ten milliseconds make too few samples for a percentile of 99.9. */
const delay = monitorEventLoopDelay({ resolution: isServer ? 1 : 10 });
delay.enable();

/** Seconds of the processor, peak memory in MiB, and how long the event loop waited, in milliseconds. */
function readUsage() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const waits = { p999: delay.percentile(99.9) / 1e6, longest: delay.max / 1e6 };
  return { cpu: (userCPUTime + systemCPUTime) / 1e6, mib: maxRSS / 1_024, ...waits };
}

if (isServer) {
  const waits = watchWaits();
  process.on('message', () => {
    process.send({ ...readUsage(), ...waits.read() });
    delay.reset();
    waits.reset();
  });
  process.channel.unref();
} else {
  const file = process.env.BENCH_USAGE;
  process.on('exit', () => writeFileSync(file, JSON.stringify(readUsage())));
}
