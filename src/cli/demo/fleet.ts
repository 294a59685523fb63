import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isoNow, systemClock } from '../../base/clock.js';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.js';
import { expectSame } from './claims.js';
import { type FleetDaemon, type FleetEvent, startFleetDaemon } from './fleet-daemon.js';
import type { Narrator } from './narrator.js';
import { startOwnPostgres } from './own-postgres.js';
import { writeCommand } from './workplace.js';

const KEY = 'only-for-the-demo';
const TENANTS = ['acme', 'east', 'north', 'south', 'west', 'zenith'];
const FIRST_NAMES = ['Anna', 'Bjørn', 'Chiara', 'Dag', 'Eva', 'Finn', 'Greta', 'Håkon'];
/** Delay per call, so that a run takes long enough to be interrupted. */
const LATENCY_MS = 400;
/** More than twice the sum of a lease, the longest call and a run. */
const LONGEST_MS = 150_000;

export interface FleetDemoOptions {
  readonly narrator: Narrator;
  /** Path of the program. */
  readonly main: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

interface FleetStage extends FleetDemoOptions {
  readonly folder: string;
  readonly services: ReadonlyMap<string, Sandbox>;
  readonly daemons: FleetDaemon[];
  readonly events: FleetEvent[];
}

/** Shows three daemons on one PostgreSQL. One daemon is killed in the middle of its runs. Removes everything afterwards. */
export async function tellFleet(options: FleetDemoOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'talent-sync-fleet-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const { url, close } = await startOwnPostgres(folder, options.env);
    closing.push(close);
    const services = new Map<string, Sandbox>();
    for (const tenant of TENANTS) {
      const sandbox = await createSandbox({ fixture: FIXTURE });
      closing.push(() => sandbox.close());
      sandbox.faults.add({ kind: 'delay', ms: LATENCY_MS, times: Number.MAX_SAFE_INTEGER });
      services.set(tenant, sandbox);
    }
    const daemons: FleetDaemon[] = [];
    closing.push(() => Promise.all(daemons.map((daemon) => daemon.lose())));
    const stage: FleetStage = { ...options, folder, services, daemons, events: [] };
    await startAll(stage, url);
    await loseOne(stage);
    await proveAll(stage);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function startAll(stage: FleetStage, url: string): Promise<void> {
  const { narrator, main, env, folder, services, daemons, events, signal } = stage;
  await narrator.chapter('Three daemons on one PostgreSQL');
  const command = join(folder, 'talent-sync');
  await writeCommand(command, main);
  const files: Record<string, string> = { 'daemon.yaml': DAEMON };
  for (const [tenant, { url: service }] of services) {
    const drop = join(folder, 'drop', tenant);
    await mkdir(drop, { recursive: true });
    const rows = FIRST_NAMES.map((name, at) => `${at + 1};${name};${name} of ${tenant};p${at + 1}@example.com`);
    await writeFile(join(drop, 'employees-1.csv'), ['id;first;name;email', ...rows, ''].join('\n'));
    files[`${tenant}.yaml`] = renderTenantConfig(tenant, service, drop);
  }
  await narrator.say(
    `A PostgreSQL was started in ${folder}, only for this demo. Each daemon has its own folder with the same configurations: ${TENANTS.length} tenants with a run every minute, and this daemon.yaml:`,
  );
  await narrator.quote([DAEMON.trim()]);
  const own = { ...env, DATABASE_URL: url, TALENT_API_KEY: KEY };
  for (const name of ['daemon 1', 'daemon 2', 'daemon 3']) {
    signal.throwIfAborted();
    const place = join(folder, name.replace(' ', '-'));
    if (daemons.length === 0) {
      await mkdir(join(place, 'tenants'), { recursive: true });
      await writeFile(join(place, 'tenants', 'daemon.yaml'), DAEMON);
      await promisify(execFile)(command, ['fleet', 'prepare', '--config', join(place, 'tenants')], { env: own });
    }
    const onEvent = (event: FleetEvent): void => void events.push(event);
    daemons.push(await startFleetDaemon({ name, folder: place, command, env: own, files, onEvent }));
  }
  await narrator.command(['fleet', 'prepare', '--config', './tenants']);
  for (const _ of daemons) await narrator.command(['daemon', '--config', './tenants']);
  await narrator.blank();
}

async function loseOne(stage: FleetStage): Promise<void> {
  const { narrator, services, daemons, events } = stage;
  await narrator.chapter('One of them dies');
  const seconds = Math.ceil((60_000 - (systemClock.now() % 60_000)) / 1_000);
  await narrator.say(
    `HR has delivered ${FIRST_NAMES.length} people for each tenant. The first runs start in ${seconds} s. Then one daemon is killed in the middle of its runs, and its folder is deleted.`,
  );
  let told = 0;
  const tellNew = async (): Promise<void> => {
    for (; told < events.length; told += 1) await tellEvent(stage, events[told]);
  };
  let lost: string | null = null;
  await waitUntil(stage, 'the runs have ended', async () => {
    await tellNew();
    const dying = lost === null ? findBusy(stage) : undefined;
    if (dying !== undefined) {
      lost = dying.name;
      await dying.lose();
      await tellNew();
      const cut = listCut(stage, lost);
      await narrator.quote([describeMoment(lost, `KILLED (kill -9), in the middle of ${cut.join(' and ')}`)]);
      await narrator.say(
        'Nobody does anything. Its lease ends after 15 s. Its last calls may still arrive within the longest time limit of a call, here 30 s. Then another daemon takes over.',
      );
    }
    return lost !== null && [...services.keys()].every((tenant) => isDone(stage, tenant));
  });
  await tellNew();
  await narrator.blank();
  expectSame('daemons that are left', daemons.filter(({ name }) => name !== lost).length, 2);
}

async function proveAll({ narrator, services, events }: FleetStage): Promise<void> {
  await narrator.chapter('The calls of all daemons');
  const rows: string[] = [];
  for (const [tenant, sandbox] of services) {
    const posts = sandbox.calls().filter(({ method }) => method === 'POST').length;
    const by = [
      ...new Set(events.filter((one) => one.tenant === tenant && one.msg === STARTS).map((one) => one.daemon)),
    ];
    expectSame(`people of ${tenant}`, sandbox.state().users.length, FIRST_NAMES.length);
    expectSame(`POSTs of ${tenant}`, posts, FIRST_NAMES.length);
    rows.push(`${tenant.padEnd(8)}  ${FIRST_NAMES.length} people to create, ${posts} POSTs  ${by.join(', then ')}`);
  }
  await narrator.quote(rows);
  await narrator.say(
    'Each person was created exactly once. The tenants of the dead daemon now run on the others, without any command and without its folder. docs/guides/many-tenants.md explains how that works. The PostgreSQL, the daemons and the folders of the demo are removed.',
  );
}

const STARTS = 'run starts';
const ENDED = 'run ended';
const FINISHED = 'finished what an earlier run had left open';

async function tellEvent({ narrator }: FleetStage, event: FleetEvent | undefined): Promise<void> {
  if (event === undefined) return;
  const { daemon, msg, tenant, done } = event;
  if (msg === STARTS) await narrator.line(describeMoment(daemon, `begins ${tenant}`));
  if (msg === FINISHED)
    await narrator.line(describeMoment(daemon, `finds the outcome of the unanswered call of ${tenant}`));
  if (msg === ENDED && done > 0)
    await narrator.line(describeMoment(daemon, `has run ${tenant}: ${done} people created`));
}

function describeMoment(who: string, text: string): string {
  return `${isoNow(systemClock).slice(11, 19)}  ${who}  ${text}`;
}

/** Finds a daemon that has sent part of the calls of each of its runs. */
function findBusy(stage: FleetStage): FleetDaemon | undefined {
  return stage.daemons.find(({ name }) => {
    const cut = listCut(stage, name);
    const isMiddle = (tenant: string): boolean => {
      const posts =
        stage.services
          .get(tenant)
          ?.calls()
          .filter(({ method }) => method === 'POST').length ?? 0;
      return posts > 1 && posts < FIRST_NAMES.length - 1;
    };
    return cut.length > 0 && cut.every(isMiddle);
  });
}

/** Tenants with a run that a daemon has started but not finished. */
function listCut({ events }: FleetStage, name: string): readonly string[] {
  const own = events.filter(({ daemon }) => daemon === name);
  const count = (tenant: string, wanted: string): number =>
    own.filter((one) => one.tenant === tenant && one.msg === wanted).length;
  return TENANTS.filter((tenant) => count(tenant, STARTS) > count(tenant, ENDED));
}

function isDone({ services, events }: FleetStage, tenant: string): boolean {
  const isThere = services.get(tenant)?.state().users.length === FIRST_NAMES.length;
  return isThere && events.some((one) => one.tenant === tenant && one.msg === ENDED);
}

async function waitUntil({ signal }: FleetStage, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    expectSame(`within ${LONGEST_MS / 1_000} s ${what}`, performance.now() < endMs, true);
    signal.throwIfAborted();
    await setTimeout(100);
  }
}

const DAEMON = 'backend: { postgres: { url: { env: DATABASE_URL }, tls: off } }\n';

const FIXTURE = {
  account: { languages: ['en'] },
  keys: [{ key: KEY, name: 'talent-sync', role: 'internationalmanager' as const }],
  countries: [{ code: 'no', native_language_code: 'en', offices: [{ name: 'Oslo' }] }],
};

function renderTenantConfig(tenant: string, service: string, drop: string): string {
  return `service: { base_url: ${service}, api_key: { env: TALENT_API_KEY }, rate_limit: { concurrency: 1 } }
state: ../state/${tenant}
policy: upsert-only
schedule: { every: "* * * * *", timezone: UTC, spread: 0s }
sources:
  hr:
    type: csv
    drop: ${JSON.stringify(drop)}
    pattern: "employees-*.csv"
    key: id
    settle: 0s
    columns: { id: string, first: string, name: string, email: string }
users:
  existence: hr
  match: [external_unique_id, email]
  fields:
    external_unique_id: record.id
    email: record.email
    name: record.name
    office: { country: "'no'", name: "'Oslo'" }
`;
}
