import { Secret } from '../../src/base/secrets/secret.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { preparePostgres } from '../../src/store/remote/prepare.js';
import { type Postgres, startPostgres } from '../postgres.js';

/** A PostgreSQL with the tables of all tenants. */
export async function startPrepared(): Promise<Postgres> {
  const server = await startPostgres();
  await preparing(server.url);
  return server;
}

async function preparing(url: string): Promise<void> {
  const postgres = openPostgres({ url: new Secret(url), tls: null, connections: 1 });
  try {
    await preparePostgres(postgres);
  } finally {
    await postgres.close();
  }
}
