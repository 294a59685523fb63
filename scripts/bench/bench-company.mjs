// A company in its own folder, its service, and the programs to run for it.
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { buildConfig, writeRows } from './company.mjs';
import { main, measure, readSizeOfTables, startLeanService, startMeasured } from './measure.mjs';
import { measurePages } from './pages.mjs';

const program = (name) => new URL(name, import.meta.url).pathname;
/** The only slot of the year. The daemon finds that it was missed, and runs immediately. */
const SCHEDULE = { every: '0 3 1 1 *', timezone: 'UTC' };
const YEAR_MS = 366 * 86_400_000;

export async function openCompany(people) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-bench-'));
  const state = join(folder, 'state');
  mkdirSync(join(folder, 'drop'));
  const service = await startLeanService(people);
  const configs = {
    ...{ usual: join(folder, 'bench.yaml'), edited: join(folder, 'edited.yaml') },
    signalled: join(folder, 'signalled.yaml'),
    short: join(folder, 'short.yaml'),
  };
  const schedule = `schedule: { every: "${SCHEDULE.every}", timezone: ${SCHEDULE.timezone} }\n`;
  writeFileSync(configs.usual, buildConfig(service.url) + schedule);
  // The same names from a different expression.
  writeFileSync(
    configs.edited,
    buildConfig(service.url, { name: '[record.first_name, record.last_name].join(" ")' }) + schedule,
  );
  writeFileSync(configs.signalled, buildConfig(service.url) + schedule.replace(' }', ', on_change: true }'));
  // A separate state, so that the first run knows nothing.
  const shortState = join(folder, 'short-state');
  const short = buildConfig(service.url, { isShort: true }).replace('./state', './short-state');
  writeFileSync(configs.short, short + schedule);
  let delivered = 0;
  const file = (number) => join(folder, 'drop', `employees-${number}.csv`);
  const run = (config, args, options) => measure(folder, [main, ...args, '--config', config, '--json'], options);
  const newestPlan = () => {
    const plans = readdirSync(join(state, 'plans')).filter((name) => !name.endsWith('-run.json'));
    return join(state, 'plans', plans.sort().at(-1));
  };
  return {
    folder,
    service,
    signalled: configs.signalled,
    stateDb: join(state, 'state.db'),
    async deliver(options) {
      delivered += 1;
      const draft = join(folder, 'draft.csv');
      await pipeline(Readable.from(writeRows(people, options)), createWriteStream(draft));
      renameSync(draft, file(delivered));
    },
    work: (args, options) => run(configs.usual, args, options),
    workEdited: (args) => run(configs.edited, args),
    /** A first run that compares only four attributes. */
    async workShort() {
      rmSync(shortState, { recursive: true, force: true });
      return await run(configs.short, ['sync']);
    },
    runScript: () =>
      measure(folder, [program('naive-script.mjs')], { env: { BASE_URL: service.url, CSV_FILE: file(delivered) } }),
    runFloor: () => measure(folder, [program('floor.mjs'), file(delivered), join(state, 'mirror.db')]),
    runFirstFloor: () =>
      measure(folder, [program('first-floor.mjs'), file(delivered), state], { env: { BASE_URL: service.url } }),
    runReadsFloor: () =>
      measure(folder, [program('reads-floor.mjs'), file(delivered), join(state, 'mirror.db')], {
        env: { BASE_URL: service.url },
      }),
    async runExcept() {
      const { text } = await measure(folder, [program('except.mjs'), file(delivered - 1), file(delivered)]);
      return JSON.parse(text);
    },
    runJson: () => measure(folder, [program('json-of-plan.mjs'), newestPlan(), join(folder, 'plan.ndjson')]),
    runPages: () => measurePages({ config: configs.usual, plan: newestPlan() }),
    /** One run of a daemon, and the delays of its event loop from its first line to the end of the run. */
    async runDaemon() {
      forgetRun(join(state, 'state.db'));
      const daemon = startMeasured([main, 'daemon', '--config', configs.usual, '--port', '0']);
      try {
        await daemon.until(({ msg }) => msg === 'daemon started');
        await daemon.readUsage();
        const { exit_code, calls } = await daemon.until(({ msg }) => msg === 'run ended' || msg === 'run failed');
        if (exit_code !== 0) throw new Error(`the run of the daemon ended with ${exit_code}`);
        return { ...(await daemon.readUsage()), writes: calls.writes };
      } finally {
        await daemon.close();
      }
    },
    megabytes: () => readSizeOfTables(state) / 1e6,
    forget: () => rmSync(state, { recursive: true, force: true }),
    close() {
      service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function forgetRun(stateDb) {
  const database = new Database(stateDb);
  const anchor = JSON.stringify({ ...SCHEDULE, atMs: Date.now() - YEAR_MS });
  database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('schedule', ?)").run(anchor);
  database.close();
}
