import type { ConnectionOptions } from 'node:tls';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { codeOf, messageOf, SyncError } from '../../base/errors.js';
import { loadPackage } from '../../base/load-package.js';
import type { Secret } from '../../base/secrets/secret.js';
import { createSeal, type Seal } from './seal.js';

export interface PostgresSettings {
  /** `postgres://user:password@host:5432/database` */
  readonly url: Secret;
  /** Null if the connection is not encrypted, for example over a local socket. */
  readonly tls: ConnectionOptions | null;
  /** Maximum number of connections. */
  readonly connections: number;
  /** The key that hides stored content from PostgreSQL; null if content is not encrypted. */
  readonly key?: Secret | null;
}

/** Sends statements to PostgreSQL. Its errors contain no values, because these may be personal data. */
export interface Postgres {
  /** Executes one statement, completely or not at all. */
  ask<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Executes several statements in one transaction. `snapshot` only reads, and sees the data of one moment. */
  together<T>(work: (ask: Postgres['ask']) => Promise<T>, as?: 'changes' | 'snapshot'): Promise<T>;
  /** Encrypts and decrypts content, if there is a key. */
  readonly seal: Seal;
  /** Number of statements sent since the connection was opened. */
  count(): number;
  close(): Promise<void>;
}

const BEGIN = { changes: 'BEGIN', snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' } as const;
/** PostgreSQL counts as unavailable if it does not answer within this time. */
const ANSWER_MS = 10_000;

export function openPostgres({ url, tls, connections, key = null }: PostgresSettings): Postgres {
  const { Pool } = loadPackage<typeof import('pg')>('pg');
  const pool: Pool = new Pool({
    connectionString: url.reveal(),
    ssl: tls ?? false,
    max: connections,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    // A process that stops responding while it holds a lock does not block others for long.
    idle_in_transaction_session_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'talent-sync',
  });
  // An idle connection may be closed. The next statement then gets another one.
  pool.on('error', ignore);
  let statements = 0;

  async function askBy<Row extends QueryResultRow>(
    by: Pool | PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ) {
    statements += 1;
    try {
      return (await by.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw describeFault(error);
    }
  }

  return {
    ask: (text, values) => askBy(pool, text, values),
    seal: createSeal(key),
    async together(work, as = 'changes') {
      const client = await pool.connect().catch((error: unknown) => {
        throw describeFault(error);
      });
      // A connection may also be closed between two statements. The next statement then reports the error.
      client.on('error', ignore);
      let isBroken = true;
      try {
        await askBy(client, BEGIN[as]);
        const answer = await work((text, values) => askBy(client, text, values));
        await askBy(client, 'COMMIT');
        isBroken = false;
        return answer;
      } catch (error) {
        isBroken = await client.query('ROLLBACK').then(
          () => false,
          () => true,
        );
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(isBroken);
      }
    },
    count: () => statements,
    close: () => pool.end(),
  };
}

function ignore(): void {}

/** SQL error classes for a temporarily unavailable server: connections, resources, shutdown, standby, conflict. */
const AWAY = /^(08|53|57|58|25006|40|XX)/;
const REJECTED = /^28/;
/** SQL error codes for a missing table, schema or permission. */
const UNPREPARED = /^(3F000|42P01|42501|42703|42883)$/;

/** Certificate errors from OpenSSL and Node.js. */
const UNTRUSTED = /^(CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;
const UNENCRYPTED = /does not support SSL/;

function describeFault(error: unknown): SyncError {
  const code = codeOf(error);
  if (UNENCRYPTED.test(messageOf(error)) || UNTRUSTED.test(code ?? '')) {
    return new SyncError('SYNC_BACKEND_DENIED', {
      message:
        code === null
          ? 'PostgreSQL does not encrypt connections.'
          : `The certificate of PostgreSQL is not valid (${code}).`,
      place: 'backend.postgres',
      remedy:
        'Turn `ssl` on in PostgreSQL and name the certificate of its authority in `ca`; use `tls: off` only for a socket or an encrypted network.',
    });
  }
  // Server errors have a severity. Node.js codes such as `EPIPE` look like SQL codes, but have none.
  const isSql = code !== null && error instanceof Error && 'severity' in error;
  if (isSql && REJECTED.test(code)) {
    return new SyncError('SYNC_BACKEND_DENIED', {
      message: `PostgreSQL rejects the login of talent-sync (${code}).`,
      place: 'backend.postgres.url',
      remedy: 'Check the user, its password and pg_hba.conf.',
    });
  }
  if (isSql && UNPREPARED.test(code)) {
    return new SyncError('SYNC_BACKEND_UNPREPARED', {
      message: `The tables of talent-sync are missing in PostgreSQL, or its user may not use them (${code}).`,
      place: 'backend.postgres.url',
      remedy:
        'Run `talent-sync fleet prepare` as a user that may create them; docs/guides/many-tenants.md has the grants.',
    });
  }
  if (isSql && !AWAY.test(code)) {
    return new SyncError('SYNC_INTERNAL', {
      message: `PostgreSQL rejects a statement (${code}).`,
      remedy: 'This is a defect in talent-sync: report it with the log of the run (LOG_LEVEL=debug).',
    });
  }
  return new SyncError('SYNC_BACKEND_AWAY', {
    message: `PostgreSQL does not answer${code === null ? '' : ` (${code})`}.`,
    place: 'backend.postgres.url',
    remedy: 'Nothing is sent until PostgreSQL answers again. Work then continues automatically.',
  });
}
