// Measures some of the operator pages over HTTP: the server's processor time, compared with reading the same rows from SQLite.
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, startMeasured } from './measure.mjs';

export const PLANNED = 10_000;
export const TIMES = { changes: 10, tenants: 100 };
/** Requests before the measurement, until V8 has compiled the most used functions. */
const WARM = 10;
const program = (name) => new URL(name, import.meta.url).pathname;

/** Measures the pages of the tenant with this configuration, which has a plan of 10,000 changes. */
export async function measurePages({ config, plan }) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-pages-'));
  const server = startMeasured([program('serve-pages.mjs'), config, folder]);
  try {
    const { url } = await server.until((line) => line.url !== undefined);
    const ask = async (path, times) => {
      for (let i = 0; i < WARM; i += 1) await load(url + path);
      const [before, startedMs] = [(await server.readUsage()).cpu, performance.now()];
      for (let i = 0; i < times; i += 1) await load(url + path);
      const seconds = (performance.now() - startedMs) / 1_000;
      return { seconds, cpu: (await server.readUsage()).cpu - before };
    };
    const firstView = await viewFirst(`${url}/tenants/tenant-000/plans/newest`);
    const read = async (what) =>
      JSON.parse((await measure(folder, [program('read-rows.mjs'), plan, what, String(TIMES[what])])).text);
    const changes = await read('changes');
    if (changes.rows !== PLANNED * TIMES.changes) throw new Error(`${changes.rows} rows read`);
    return {
      changes,
      firstView,
      tenants: await read('tenants'),
      planPage: await ask('/tenants/tenant-000/plans/newest', TIMES.changes),
      overview: await ask('/', TIMES.tenants),
      inbox: await ask('/inbox', TIMES.tenants),
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds and sent KB of the page, for the first request to a server. */
async function viewFirst(url) {
  const startedMs = performance.now();
  const bytes = await new Promise((resolve, reject) => {
    get(url, { headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' } }, (answer) => {
      let sent = 0;
      answer.on('data', (chunk) => {
        sent += chunk.length;
      });
      answer.on('end', () => resolve(sent));
    }).on('error', reject);
  });
  return { ms: performance.now() - startedMs, kb: bytes / 1_000 };
}

async function load(url) {
  const answer = await fetch(url);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
}
