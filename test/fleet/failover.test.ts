import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import type { Daemon } from '../../src/daemon/daemon.js';
import { APPROVE } from '../../src/operations/approve.js';
import { createRandom } from '../../src/sandbox/company/random.js';
import { verifyChain } from '../../src/store/audit/verify-chain.js';
import { openStores } from '../../src/store/open-stores.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { bringUpCopy } from '../../src/store/remote/state-line.js';
import { closeAfterTest } from '../closing.js';
import { crmOf, deliverProjects } from '../daemon/crm-drop.js';
import { type Fleet, openFleet } from '../daemon/fleet.js';
import { openNode } from '../daemon/open-node.js';
import { oneIn } from '../depth.js';
import { type Postgres, startStandby } from '../postgres.js';
import { person } from '../scenarios/company.js';
import type { ServiceCustomer } from './company.js';
import { startPrepared } from './server.js';

/** A different moment of the failover each time: 50 in a thorough run, and one in a quick one. */
const SEEDS = oneIn(
  13,
  Array.from({ length: 50 }, (_, at) => at + 1),
);
const MINUTE_MS = 60_000;
const NEVER = new AbortController().signal;
/**
 * Joiners and new projects of the run in which the primary dies. The service accepts a second project with the same
 * external id.
 */
const [JOINERS, PROJECTS] = [4, 4];
const CREATED = JOINERS + PROJECTS;

let primary: Postgres;

beforeEach(async () => {
  primary = await startPrepared();
  closeAfterTest(primary);
});

/** When the standby is cut off, and when the primary dies, counted in writes of the run. */
interface Moment {
  readonly cutAt: number;
  readonly killedAt: number;
  /** The same daemon continues, with a copy that has data which PostgreSQL lacks. */
  readonly isSame: boolean;
}

function pickMoment(seed: number): Moment {
  const random = createRandom(seed);
  const cutAt = random.below(CREATED);
  return { cutAt, killedAt: cutAt + 1 + random.below(CREATED - cutAt), isSame: random.chance(50) };
}

async function claim(daemon: Daemon): Promise<void> {
  await daemon.claim();
  await daemon.idle();
}

/** Performs a run that is due by the schedule and by PostgreSQL, whose last holder is long gone. */
async function runNext(fleet: Fleet, daemon: Daemon, server: Postgres, tenants: readonly string[]): Promise<void> {
  fleet.clock.advance(15 * MINUTE_MS);
  await server.ask(
    `UPDATE tenant SET lease_until = least(lease_until, now() - interval '5 min'),
      next_slot = now() + CASE WHEN name = ANY ($1::text[]) THEN -1 ELSE 1 END * interval '1 h'`,
    [tenants],
  );
  await claim(daemon);
}

/** Approves as on the page of a daemon. */
async function approve({ clock, logger }: Fleet, daemon: Daemon, what: object): Promise<void> {
  await daemon.bringUp('north');
  const config = daemon.list().find(({ name }) => name === 'north')?.config;
  if (config == null) throw new Error('north has no configuration');
  const context = { config, clock, logger, by: 'jane', via: 'person', holder: 'jane', signal: NEVER } as const;
  await daemon.perform('north', APPROVE, context, { reason: 'has left', ...what });
  await daemon.idle();
}

interface Found {
  readonly integrity: unknown;
  readonly isIntact: boolean;
  /** Name of a guard that holds something → its text. */
  readonly guards: Readonly<Record<string, string>>;
}

/** The state in PostgreSQL, as an empty machine gets it. */
async function look(url: string, tenant: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'look-'));
  const postgres = openPostgres({ url: new Secret(url), tls: null, connections: 1 });
  await bringUpCopy(postgres, tenant, folder).finally(() => postgres.close());
  const sqlite = new Database(join(folder, 'state.db'), { readonly: true });
  const integrity = sqlite.pragma('integrity_check', { simple: true });
  const newest = 'SELECT result FROM runs WHERE result IS NOT NULL ORDER BY rowid DESC LIMIT 1';
  const { guards = [] } = JSON.parse(sqlite.prepare<[], string>(newest).pluck().get() ?? '{}') as {
    readonly guards?: readonly { readonly guard: string; readonly detail: string }[];
  };
  sqlite.close();
  const stores = openStores(folder);
  try {
    const isIntact = verifyChain(stores.audit).broken === null;
    return { integrity, isIntact, guards: Object.fromEntries(guards.map(({ guard, detail }) => [guard, detail])) };
  } finally {
    stores.close();
  }
}

function countLines({ log }: Fleet, begin: string): number {
  return log.filter(({ msg }) => msg.startsWith(begin)).length;
}

const STAFF = [person('E1'), person('E2'), person('E3')];
const WITHOUT_FIRST = [person('E1', { status: 'left' }), person('E2'), person('E3')];
const GUARDED = {
  service: { rate_limit: { concurrency: 1 } },
  guards: { users: { deactivate: { max: 0 }, create: 'off' }, projects: { create: 'off' } },
};
const BOTH = ['acme', 'north'];

describe.each(SEEDS)('a failover to a standby that lacks the last commits: %i', (seed) => {
  test('repeats no call, and counts no earlier approval', async () => {
    const { cutAt, killedAt, isSame } = pickMoment(seed);
    const fleet = await openFleet('2026-11-21T08:00:30Z');
    const acme = await fleet.addTenant('acme', crmOf('acme', GUARDED));
    const north = await fleet.addTenant('north', GUARDED);
    deliverProjects(fleet, 'acme', 1, []);
    const joiners = Array.from({ length: JOINERS }, (_, at) => person(`J${at}`));
    const standby = await startStandby(primary);
    closeAfterTest(standby);
    let writes: number | null = null;
    const a = await openNode(fleet, {
      name: 'a',
      url: primary.url,
      fetch: async (url, init) => {
        if (writes !== null && init?.method === 'POST') {
          if (writes === cutAt) await standby.cutOff();
          if (writes === killedAt) await primary.kill();
          writes += 1;
        }
        return fetch(url, init);
      },
    });
    for (const { deliver } of [acme, north]) deliver(STAFF);
    await claim(a);
    await runNext(fleet, a, primary, BOTH);
    expect(countLines(fleet, 'a failover may lose commits')).toBe(1);
    // A leaver is approved, and no run reaches it before the primary dies in the run of another tenant.
    north.deliver(WITHOUT_FIRST);
    await runNext(fleet, a, primary, ['north']);
    await approve(fleet, a, { who: 'user:E1' });
    await standby.caughtUp();
    acme.deliver([...STAFF, ...joiners]);
    const projects = Array.from({ length: PROJECTS }, (_, at) => `P${at}`);
    deliverProjects(fleet, 'acme', 2, projects);
    writes = 0;
    await runNext(fleet, a, primary, ['acme']);
    if (writes <= killedAt) await primary.kill();

    const promoted = await standby.promote();
    closeAfterTest(promoted);
    writes = null;
    const next = isSame ? a : await openNode(fleet, { name: 'b', url: promoted.url });
    await runNext(fleet, next, promoted, BOTH);
    for (const tenant of BOTH)
      expect(await look(promoted.url, tenant)).toMatchObject({ integrity: 'ok', isIntact: true });
    const users = acme.sandbox.state().users as readonly { readonly external_unique_id: string }[];
    const keys = [...STAFF, ...joiners].map(({ id }) => id);
    expect(users.map((user) => user.external_unique_id)).toEqual(keys);
    const [customer] = acme.sandbox.state().customers as readonly ServiceCustomer[];
    expect(customer?.projects.map((one) => one.external_unique_id).sort()).toEqual(projects);
    // One more for the customer.
    const created = keys.length + projects.length + 1;
    expect(acme.sandbox.calls().filter(({ method }) => method !== 'GET')).toHaveLength(created);
    expect(countLines(fleet, 'decisions since then may be missing')).toBe(2);

    // A removal is held until one approval that names the lost minutes.
    expect(north.takeWrites()).toBe(STAFF.length);
    expect((await look(promoted.url, 'north')).guards['state.restored']).toMatch(
      /approvals, declined changes and the counts of guards since \d{4}-\d\d-\d\d \d\d:\d\d/,
    );
    await approve(fleet, next, { guard: 'state.restored' });
    await runNext(fleet, next, promoted, BOTH);
    expect((await look(promoted.url, 'north')).guards).toEqual({ 'users.deactivate': expect.any(String) });
    await approve(fleet, next, { who: 'user:E1' });
    await runNext(fleet, next, promoted, BOTH);
    expect([acme.takeWrites(), north.takeWrites()]).toEqual([created, 1]);
    expect((await look(promoted.url, 'north')).guards).toEqual({});
    expect(countLines(fleet, 'decisions since then may be missing')).toBe(2);
    expect(countLines(fleet, 'defect')).toBe(0);
  });
});
