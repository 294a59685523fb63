// Measures the time from a complete file with one changed person to the call that writes it, by a signalled daemon.
import { main, startMeasured } from './measure.mjs';
import { LATENCY_MS } from './rounds.mjs';

/** Minimum time between runs that signals start. */
const APART_MS = 10_500;
/** Shares no factor with the number of people. */
const OTHER_ORDER = 7_919;
const TIMES = 5;
const LOOK_MS = 10;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns seconds to the call and number of reads, for each time; for files in the same order and in another order */
export async function measureSignals(company, people) {
  const { service } = company;
  await company.deliver({ changedEvery: people, edition: 4_999 });
  await company.work(['sync']);
  await service.control({ reset: true, delayMs: LATENCY_MS });
  const daemon = startMeasured([main, 'daemon', '--config', company.signalled, '--port', '0']);
  try {
    await daemon.until(({ msg }) => msg === 'tenant ready');
    // Waits, because the existing file belongs to the schedule.
    await sleep(3_000);
    const taken = { same: [], reordered: [] };
    for (let time = 0; time < TIMES; time += 1) {
      for (const [order, step] of [
        ['same', 1],
        ['reordered', OTHER_ORDER],
      ]) {
        await service.control({ reset: true });
        await company.deliver({ changedEvery: people, edition: 5_000 + 2 * time + (step === 1 ? 0 : 1), step });
        const startedMs = performance.now();
        while ((await (await service.control({})).json()).changed === 0) await sleep(LOOK_MS);
        const seconds = (performance.now() - startedMs) / 1_000;
        const { calls } = await daemon.until(({ msg }) => msg === 'run ended');
        if (calls.writes !== 1) throw new Error(`${calls.writes} writes in a signalled run, expected 1`);
        taken[order].push({ seconds, reads: calls.reads });
        await sleep(APART_MS);
      }
    }
    return taken;
  } finally {
    await daemon.close();
    await service.control({ delayMs: 0 });
  }
}
