// Loaded before a measured program, because only the process itself knows its usage. A program writes its usage to a file
// when it exits. A server sends its usage on request, and then resets it.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchWaits } from './waits.mjs';

const isServer = process.channel !== undefined;
/** In a run of a few seconds, 10 ms give too few samples for the 99.9th percentile. */
const delay = monitorEventLoopDelay({ resolution: isServer ? 1 : 10 });
delay.enable();

/** Processor seconds, peak memory in MiB, and delays of the event loop in milliseconds. */
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
