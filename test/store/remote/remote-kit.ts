import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Secret } from '../../../src/base/secrets/secret.js';
import { type Claimable, createLeases, type Lease, type Leases } from '../../../src/store/remote/leases.js';
import { openPostgres, type Postgres } from '../../../src/store/remote/postgres.js';
import { openStateLine, type StateLine } from '../../../src/store/remote/state-line.js';
import { closeAfterTest } from '../../closing.js';

/** Empties every table. */
export const EMPTY = 'TRUNCATE tenant, file, file_commit, file_page, document, inbox';

/** A daemon as PostgreSQL sees it: a name, its own clocks and an empty disk. */
export interface Node {
  readonly postgres: Postgres;
  readonly leases: Leases;
  readonly clock: { wallMs: number; monotonicMs: number };
  claim(tenant?: string, candidate?: Partial<Claimable>): Promise<Lease | null>;
  /** Opens the state with the folder unchanged. */
  open(lease: Lease): Promise<StateLine>;
  /** A connection to the daemon's working copy of the state. */
  state(): Database.Database;
}

export function startNode(url: string, name: string): Node {
  const postgres = openPostgres({ url: new Secret(url), tls: null, connections: 4 });
  closeAfterTest(postgres);
  const clock = { wallMs: Date.now(), monotonicMs: performance.now() };
  const leases = createLeases(postgres, {
    daemon: name,
    clock: { now: () => clock.wallMs, monotonic: () => clock.monotonicMs },
    schema: 0,
    orders: [],
  });
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  return {
    postgres,
    leases,
    clock,
    async claim(tenant = 'acme', candidate = {}) {
      await leases.register([tenant]);
      const one = { tenant, config: 'c1', callLimitMs: 0, ...candidate };
      return (await leases.claimDue([one], 1))[0] ?? null;
    },
    open: (lease) => openStateLine(postgres, lease, folder),
    state() {
      const opened = new Database(join(folder, 'state.db'));
      opened.pragma('journal_mode = WAL');
      opened.pragma('wal_autocheckpoint = 0');
      return opened;
    },
  };
}

/** @throws Error if nothing was claimed */
export function needLease(lease: Lease | null): Lease {
  if (lease === null) throw new Error('nothing was claimed');
  return lease;
}
