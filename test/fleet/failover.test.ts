import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import { loadConfig } from '../../src/config/load.js';
import type { Daemon } from '../../src/daemon/daemon.js';
import { APPROVE } from '../../src/operations/approve.js';
import { createRandom } from '../../src/sandbox/company/random.js';
import { verifyChain } from '../../src/store/audit/verify-chain.js';
import { openStores } from '../../src/store/open-stores.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { bringUpCopy } from '../../src/store/remote/state-line.js';
import { closeAfterTest } from '../closing.js';
import { type Fleet, openFleet, type TenantSetup } from '../daemon/fleet.js';
import { openNode } from '../daemon/open-node.js';
import { IS_THOROUGH } from '../depth.js';
import { type Postgres, startStandby } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { startPrepared } from './server.js';

/** Another moment of the failover each. */
const SEEDS = Array.from({ length: IS_THOROUGH ? 50 : 2 }, (_, at) => at + 1);
const MINUTE_MS = 60_000;
/** Joiners of the run in which the primary goes. */
const JOINERS = 8;

let primary: Postgres;

beforeEach(async () => {
  primary = await startPrepared();
  closeAfterTest(primary);
});

/** When the standby is cut off, and when the primary goes: before so many writes of the run have left. */
interface Moment {
  readonly cutAt: number;
  readonly killedAt: number;
}

function pickMoment(seed: number): Moment {
  const random = createRandom(seed);
  const cutAt = random.below(JOINERS);
  return { cutAt, killedAt: cutAt + 1 + random.below(JOINERS - cutAt) };
}

async function claim(daemon: Daemon): Promise<void> {
  await daemon.claim();
  await daemon.idle();
}

/** A run that is due by the schedule and by PostgreSQL, whose last holder is long gone. */
async function runNext(fleet: Fleet, daemon: Daemon, server: Postgres): Promise<void> {
  fleet.clock.advance(15 * MINUTE_MS);
  await server.ask(
    "UPDATE tenant SET next_slot = now() - interval '1 h', lease_until = least(lease_until, now() - interval '5 min')",
  );
  await claim(daemon);
}

async function approve(fleet: Fleet, daemon: Daemon, { file }: TenantSetup, what: object): Promise<void> {
  const own = daemon.list()[0]?.config ?? loadConfig(file, fleet.env);
  const { clock, logger } = fleet;
  const context = {
    config: own,
    clock,
    logger,
    by: 'jane',
    via: 'machine',
    holder: 'jane',
    signal: undefined,
  } as never;
  await daemon.bringUp('acme');
  await daemon.perform('acme', APPROVE as never, context, { reason: 'has left', ...what } as never);
  await daemon.idle();
}

interface Found {
  readonly integrity: unknown;
  readonly isIntact: boolean;
  readonly guards: readonly string[];
  readonly details: readonly string[];
}

/** The state that PostgreSQL has, as an empty machine gets it. */
async function look(url: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'look-'));
  const postgres = openPostgres({ url: new Secret(url), tls: null, connections: 1 });
  try {
    await bringUpCopy(postgres, 'acme', folder);
  } finally {
    await postgres.close();
  }
  const sqlite = new Database(join(folder, 'state.db'), { readonly: true });
  const integrity = sqlite.pragma('integrity_check', { simple: true });
  const text = sqlite.prepare<[], string>(
    'SELECT result FROM runs WHERE result IS NOT NULL ORDER BY rowid DESC LIMIT 1',
  );
  const { guards = [] } = JSON.parse(text.pluck().get() ?? '{}') as {
    readonly guards?: readonly { readonly guard: string; readonly detail: string }[];
  };
  sqlite.close();
  const stores = openStores(folder);
  try {
    const isIntact = verifyChain(stores.audit).broken === null;
    return {
      integrity,
      isIntact,
      guards: guards.map(({ guard }) => guard),
      details: guards.map(({ detail }) => detail),
    };
  } finally {
    stores.close();
  }
}

describe.each(SEEDS)('a failover to a standby that lacks the last commits: %i', (seed) => {
  test('does no call twice, and approvals from before it do not count', async () => {
    const { cutAt, killedAt } = pickMoment(seed);
    const fleet = await openFleet('2026-11-21T08:00:30Z');
    const acme = await fleet.addTenant('acme', {
      service: { rate_limit: { concurrency: 1 } },
      guards: { users: { deactivate: { max: 0 }, create: 'off' } },
    });
    const staff = [person('E1'), person('E2'), person('E3')];
    const leaving = [person('E1', { status: 'left' }), person('E2'), person('E3')];
    const joiners = Array.from({ length: JOINERS }, (_, at) => person(`J${at}`));
    const standby = await startStandby(primary);
    closeAfterTest(standby);
    let writes: number | null = null;
    const a = await openNode(fleet, {
      name: 'a',
      url: primary.url,
      fetch: async (url, init) => {
        if (writes !== null && (init?.method === 'POST' || init?.method === 'PUT')) {
          if (writes === cutAt) await standby.cutOff();
          if (writes === killedAt) await primary.kill();
          writes += 1;
        }
        return fetch(url, init);
      },
    });
    acme.deliver(staff);
    await claim(a);
    await runNext(fleet, a, primary);
    acme.deliver(leaving);
    await runNext(fleet, a, primary);
    expect(fleet.log.filter(({ msg }) => msg.startsWith('a failover may lose commits'))).toHaveLength(1);
    // It is approved, and lost before a run comes to it.
    await approve(fleet, a, acme, { who: 'user:E1' });
    expect((await look(primary.url)).guards).toEqual(['users.deactivate']);
    await standby.caughtUp();
    acme.deliver([...leaving, ...joiners]);
    writes = 0;
    await runNext(fleet, a, primary);
    if (writes <= killedAt) await primary.kill();

    const promoted = await standby.promote();
    closeAfterTest(promoted);
    const next = seed % 2 === 0 ? a : await openNode(fleet, { name: 'b', url: promoted.url });
    writes = null;
    await runNext(fleet, next, promoted);
    const found = await look(promoted.url);
    expect(found).toMatchObject({ integrity: 'ok', isIntact: true });
    expect(
      acme.sandbox.state().users.map((user) => (user as { external_unique_id: string }).external_unique_id),
    ).toEqual(['E1', 'E2', 'E3', ...joiners.map(({ id }) => id)]);
    const posts = acme.sandbox.calls().filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(staff.length + JOINERS);
    expect(found.guards).toEqual(['users.deactivate']);
    expect(found.details).toEqual(['']);
  });
});
