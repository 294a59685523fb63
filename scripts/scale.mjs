// `npm run scale [-- TENANTS] [--people 100] [--every 10] [--slots 2]`: runs one daemon with this number of tenants. Prints
// the cost of a tenant at the start, in its first run and in a run without changes. Also prints the response times of /livez and
// /metrics, and the number of lost and doubled slots. Exits with 1 if slots were lost or doubled. Also prints the delays of the
// event loop, where `own` excludes waits for a core that other programs used. For comparison, it prints the delays of an idle
// process: of its event loop, and of writing one page to the same disk.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildConfig, writeRows } from './bench/company.mjs';
import { main, startLeanService, startMeasured } from './bench/measure.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: 'string', default: '100' },
    every: { type: 'string', default: '10' },
    slots: { type: 'string', default: '2' },
    parallel: { type: 'string', default: '4' },
  },
});
const tenants = Number(positionals[0] ?? 1_000);
const [people, everyMinutes, slots] = [values.people, values.every, values.slots].map(Number);
const PORT = 18_474;
const MINUTE_MS = 60_000;
/** Kubernetes gives up on a probe after five. */
const PROBE_EVERY_MS = 1_000;
/** Prometheus gives up after ten. */
const SCRAPE_EVERY_MS = 15_000;
const keyOf = (number) => `API_KEY_${number}`;

const folder = mkdtempSync(join(tmpdir(), 'talent-sync-scale-'));

async function prepare(service) {
  for (const name of ['tenants', 'state', 'drop']) mkdirSync(join(folder, name));
  await pipeline(Readable.from(writeRows(people)), createWriteStream(join(folder, 'drop', 'employees-1.csv')));
  const one = buildConfig(service.url).replaceAll('./', '../');
  for (let number = 0; number < tenants; number += 1) {
    const own = one
      .replace(/^state: .*$/m, `state: ../state/t${number}`)
      .replace('env: API_KEY', `env: ${keyOf(number)}`);
    writeFileSync(
      join(folder, 'tenants', `t${number}.yaml`),
      `${own}schedule: { every: "*/${everyMinutes} * * * *" }\n`,
    );
  }
}

/** Requests a page repeatedly: the milliseconds of each answer, null if there was none. */
function probe(path, everyMs) {
  const took = [];
  const timer = setInterval(async () => {
    const startedMs = performance.now();
    const isAnswered = await fetch(`http://127.0.0.1:${PORT}${path}`).then(
      async (answer) => (await answer.text()) !== '' && answer.ok,
      () => false,
    );
    took.push(isAnswered ? performance.now() - startedMs : null);
  }, everyMs);
  return {
    read() {
      const answered = took.filter((ms) => ms !== null).toSorted((a, b) => a - b);
      const [median, longest] = [answered[answered.length >> 1] ?? 0, answered.at(-1) ?? 0];
      return { asked: answered.length, median_ms: round(median, 0), longest_ms: round(longest, 0) };
    },
    stop: () => clearInterval(timer),
  };
}

const rssOf = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
const round = (number, digits = 1) => Number(number.toFixed(digits));

/** Counts lost and doubled slots. `starts` has the slot of each run, in the order of the starts. */
function judge(starts, due) {
  const runs = new Map();
  for (const { tenant, slot } of starts) runs.set(`${tenant} ${slot}`, (runs.get(`${tenant} ${slot}`) ?? 0) + 1);
  const lost = due
    .flatMap((slot) => Array.from({ length: tenants }, (_, at) => `t${at} ${slot}`))
    .filter((key) => !runs.has(key));
  const doubled = [...runs.values()].filter((times) => times > 1);
  return { lost: lost.length, doubled: doubled.length };
}

/** The event loop delays of the daemon and of an idle process since the previous call. */
async function readWaits(daemon, beside) {
  const { cpu, ...waits } = await daemon.readUsage();
  beside.send('usage');
  const [idle] = await once(beside, 'message');
  const rounded = (values) => Object.fromEntries(Object.entries(values).map(([name, ms]) => [name, round(ms)]));
  return {
    cpu,
    loop: {
      ...rounded({ p999_ms: waits.p999, longest_ms: waits.longest, own_p999_ms: waits.own_p999 }),
      ...{ longest: rounded(waits.longest_wait), longest_own: rounded(waits.longest_own), beside: rounded(idle) },
    },
  };
}

async function measureSlot(daemon, beside, wanted, starts) {
  const before = await readWaits(daemon, beside);
  for (let ended = 0; ended < tenants; ) {
    const line = await daemon.until(({ msg }) => ['run starts', 'run ended', 'run failed'].includes(msg));
    if (line.msg === 'run starts') starts.push(line);
    else ended += 1;
    if (line.msg === 'run failed' || (line.msg === 'run ended' && line.exit_code !== 0))
      throw new Error(JSON.stringify(line));
  }
  const after = await readWaits(daemon, beside);
  return {
    slot: wanted,
    cpu_ms_per_run: round(((after.cpu - before.cpu) * 1_000) / tenants),
    rss_mib: round(rssOf(daemon.pid), 0),
    loop: after.loop,
  };
}

/** A slot during the loading of configurations and states would count for some tenants, but not for others. */
async function waitForQuiet() {
  const leftMs = everyMinutes * MINUTE_MS - (Date.now() % (everyMinutes * MINUTE_MS));
  // The starts of a slot are spread over a tenth of the interval. A tenant that is loaded within that time still runs.
  const spreadMs = everyMinutes * MINUTE_MS * 0.1;
  if (leftMs < 20_000 + tenants * 60) await setTimeout(leftMs + spreadMs);
}

async function measureScale(service) {
  await prepare(service);
  await waitForQuiet();
  const startedMs = performance.now();
  const args = ['daemon', '--config', join(folder, 'tenants'), '--port', String(PORT), '--parallel', values.parallel];
  const keys = Array.from({ length: tenants }, (_, at) => [keyOf(at), `bench-${randomBytes(16).toString('hex')}`]);
  const daemon = startMeasured([main, ...args], { LOG_LEVEL: 'debug', TZ: 'UTC', ...Object.fromEntries(keys) });
  const beside = fork(new URL('bench/beside.mjs', import.meta.url), [folder]);
  const probes = [probe('/livez', PROBE_EVERY_MS), probe('/metrics', SCRAPE_EVERY_MS)];
  try {
    await daemon.until(({ msg }) => msg === 'listening');
    const listeningMs = performance.now() - startedMs;
    const idle = rssOf(daemon.pid);
    // Before the port answers, delays of the event loop affect nobody.
    const listening = await readWaits(daemon, beside);
    await daemon.until(({ msg }) => msg === 'daemon started');
    const loaded = await readWaits(daemon, beside);
    const start = {
      listening_s: round(listeningMs / 1_000),
      loaded_s: round((performance.now() - startedMs) / 1_000),
      cpu_ms_per_tenant: round(((loaded.cpu - listening.cpu) * 1_000) / tenants),
      rss_mib: round(rssOf(daemon.pid), 0),
      rss_mib_without_tenants: round(idle, 0),
      loop: loaded.loop,
    };
    const [starts, found, due] = [[], [], []];
    const firstMs = Math.floor(Date.now() / MINUTE_MS / everyMinutes + 1) * everyMinutes * MINUTE_MS;
    for (let at = 0; at < slots; at += 1) {
      const slot = new Date(firstMs + at * everyMinutes * MINUTE_MS).toISOString();
      due.push(slot);
      found.push(await measureSlot(daemon, beside, slot, starts));
      process.stderr.write(`${JSON.stringify(found.at(-1))}\n`);
    }
    const askedMs = performance.now();
    const metrics = await (await fetch(`http://127.0.0.1:${PORT}/metrics`)).text();
    const metricsMs = performance.now() - askedMs;
    const { loop } = await readWaits(daemon, beside);
    const [livez, scrapes] = probes.map((one) => one.read());
    return {
      tenants,
      people,
      start,
      slots: found,
      ...judge(starts, due),
      livez,
      scrapes,
      metrics: {
        kib: round(metrics.length / 1_024, 0),
        kib_gzip: round(gzipSync(metrics).length / 1_024, 0),
        series: metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
        answer_ms: round(metricsMs, 0),
        loop,
      },
    };
  } finally {
    for (const one of probes) one.stop();
    beside.disconnect();
    await daemon.close();
  }
}

const service = await startLeanService(people);
try {
  const measured = await measureScale(service);
  process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
  if (measured.lost + measured.doubled > 0) process.exitCode = 1;
} finally {
  service.close();
  rmSync(folder, { recursive: true, force: true });
}
