// A daemon on an empty disk that takes over the tenant of a folder and runs it twice. The second run has nothing to do. Prints
// the duration of the first run, and the data that the second run sent to PostgreSQL. The daemon's clock is ahead by DAYS. With
// 0, the tenant is new and its schedule starts now.
// Usage: node held-runs.mjs FOLDER DAYS
import pg from 'pg';
import { systemClock } from '../../dist/base/clock.js';
import { createLogger } from '../../dist/base/logger.js';
import { loadBackend } from '../../dist/config/load-backend.js';
import { Daemon } from '../../dist/daemon/daemon.js';
import { openBackend } from '../../dist/daemon/tenants/backend.js';
import { createMetrics } from '../../dist/daemon/web/metrics.js';

const DAY_MS = 86_400_000;
/** The statement that reads the rows of all tenants does not belong to a run. */
const OF_ALL = 't.erased_at';

const [target, days] = process.argv.slice(2);
const { env } = process;
let aheadMs = Number(days) * DAY_MS;
const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
let results = [];
const logger = createLogger('info', {
  write(line) {
    const { msg, exit_code } = JSON.parse(line);
    if (msg === 'run ended' || msg === 'run failed') results.push(exit_code);
  },
});
const backend = openBackend({
  ...{ settings: loadBackend(target, env), holder: 'bench', logger },
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
});
const { watcher } = createMetrics({ clock, version: '0', list: async () => [] });
const daemon = new Daemon({ target, env, clock, logger, holder: 'bench', watcher, parallel: 1, wait: true, backend });
const administrator = new pg.Client(env.DATABASE_URL);
await administrator.connect();

/** Makes the next slot due, and claims the tenant. */
async function claimNext() {
  aheadMs += DAY_MS;
  await administrator.query("UPDATE tenant SET next_slot = now() - interval '1 h', last_holder = NULL");
  results = [];
  const startedMs = performance.now();
  await daemon.claim();
  await daemon.idle();
  return { seconds: (performance.now() - startedMs) / 1_000 };
}

async function runNext() {
  const taken = await claimNext();
  if (results.join() !== '0') throw new Error(`one good run was expected, not "${results}"`);
  return taken;
}

function countSent() {
  const { query } = pg.Client.prototype;
  const sent = { statements: 0, bytes: 0 };
  pg.Client.prototype.query = function (text, values, ...more) {
    if (this !== administrator && !String(text).includes(OF_ALL)) {
      sent.statements += 1;
      for (const value of [values].flat(2))
        sent.bytes += Buffer.byteLength(Buffer.isBuffer(value) ? value : String(value));
    }
    return query.call(this, text, values, ...more);
  };
  return sent;
}

await daemon.start();
if (aheadMs === 0) await claimNext();
const takeover = await runNext();
const sent = countSent();
await runNext();
const quiet = { ...sent };
await daemon.stop();
await backend.close();
await administrator.end();
process.stdout.write(JSON.stringify({ takeover, quiet }));
