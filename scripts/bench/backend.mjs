// Compares a state in PostgreSQL with a state in a folder, for the same company. It measures the creation of all people, a
// takeover by another machine, and a run without changes. PostgreSQL runs on this machine, and waits for the disk as SQLite does.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startOwnPostgres } from '../../dist/cli/demo/own-postgres.js';
import { buildConfig, writeRows } from './company.mjs';
import { main, measure, startLeanService } from './measure.mjs';
import { LATENCY_MS } from './rounds.mjs';
import { BACKEND } from './rows.mjs';

const heldRuns = new URL('held-runs.mjs', import.meta.url).pathname;
const DAEMON = 'backend: { postgres: { url: { env: DATABASE_URL }, tls: off } }\n';

/** null if this machine has no PostgreSQL; prints the reason. */
export async function openBackendBench(say) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-bench-'));
  const server = await startOwnPostgres(folder, process.env, 'on').catch((error) => {
    rmSync(folder, { recursive: true, force: true });
    say(`the rows with PostgreSQL are left out: ${error.message}`);
    return null;
  });
  if (server === null) return null;
  const env = { DATABASE_URL: server.url };

  /** A machine with the configuration of one tenant and an empty disk. @returns its folder of configurations */
  function addMachine(name, tenant, service, isRemote) {
    const configs = join(folder, name);
    mkdirSync(configs);
    if (isRemote) writeFileSync(join(configs, 'daemon.yaml'), DAEMON);
    const config = buildConfig(service.url)
      .replace('./drop', `../drop-${tenant}`)
      .replace('update: off', 'update: off, create: off');
    // A complete nightly read would renew the lease several times, so it would not count as a run without changes.
    const schedule = `schedule: { every: "0 3 * * *", timezone: UTC, full_read: "0 5 1 1 *" }\n`;
    writeFileSync(join(configs, `${tenant}.yaml`), config + schedule);
    return configs;
  }
  async function deliver(tenant, people) {
    const drop = join(folder, `drop-${tenant}`);
    mkdirSync(drop);
    await pipeline(Readable.from(writeRows(people)), createWriteStream(join(drop, 'employees-1.csv')));
  }

  /** Creates all people in an empty service. */
  async function create(tenant, people, isRemote) {
    const service = await startLeanService(0);
    try {
      await service.control({ delayMs: LATENCY_MS });
      const configs = addMachine(`${tenant}-${isRemote}`, tenant, service, isRemote);
      const measured = await measure(folder, [main, 'sync', '--config', join(configs, `${tenant}.yaml`)], { env });
      const { changed } = await (await service.control({})).json();
      if (changed !== people) throw new Error(`${changed} people were created, expected ${people}`);
      return measured;
    } finally {
      service.close();
    }
  }

  /** One machine runs the tenant, then another machine takes it over. */
  async function takeOver(tenant, people) {
    const service = await startLeanService(people);
    try {
      const runOn = (name, days) =>
        measure(folder, [heldRuns, addMachine(`${tenant}-${name}`, tenant, service, true), days], { env });
      await runOn('first', '0');
      return JSON.parse((await runOn('next', '9')).text);
    } finally {
      service.close();
    }
  }

  await measure(folder, [main, 'fleet', 'prepare', '--config', addMachine('prepare', 'none', { url: '' }, true)], {
    env,
  });
  return {
    async run(people, round) {
      const created = Math.min(BACKEND.creates, people);
      const [creates, taken] = [`creates-${round}`, `taken-${round}`];
      await deliver(creates, created);
      await deliver(taken, people);
      const local = await create(creates, created, false);
      const remote = await create(creates, created, true);
      return { local, remote, ...(await takeOver(taken, people)) };
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
