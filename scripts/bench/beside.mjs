// An idle process that runs next to a measured process. The machine causes its delays, so they affect every process. It writes a
// page to a file and waits for the disk ten times a second. Usage: `fork(beside.mjs, [FOLDER])`; it answers each message with the
// delays since the last message, in milliseconds.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const syncs = createHistogram();
const file = await open(join(process.argv[2], 'beside'), 'w');
const page = Buffer.alloc(4_096);

async function write() {
  const startedMs = performance.now();
  await file.write(page, 0, page.length, 0);
  await file.datasync();
  syncs.record(Math.max(1, Math.round((performance.now() - startedMs) * 1_000)));
  setTimeout(write, 100);
}

process.on('message', () => {
  const loop = { p999_ms: delay.percentile(99.9) / 1e6, longest_ms: delay.max / 1e6 };
  process.send({ ...loop, sync_median_ms: syncs.percentile(50) / 1e3, sync_longest_ms: syncs.max / 1e3 });
  delay.reset();
  syncs.reset();
});
process.on('disconnect', () => process.exit());
void write();
