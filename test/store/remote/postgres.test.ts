import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { openPostgres, type PostgresSettings } from '../../../src/store/remote/postgres.js';
import { preparePostgres } from '../../../src/store/remote/prepare.js';
import { makeCertificates } from '../../connectors/http/certificates.js';
import { sweep } from '../../depth.js';
import { type Postgres as Server, startPostgres } from '../../postgres.js';

let server: Server;
let ca: string;

beforeAll(async () => {
  const { server: own, ca: authority } = makeCertificates(mkdtempSync(join(tmpdir(), 'certificates-')));
  ca = authority;
  server = await startPostgres({ tls: own });
});
afterAll(() => server?.close());

async function ask(settings: Partial<PostgresSettings>): Promise<unknown> {
  const postgres = openPostgres({ url: new Secret(server.url), tls: { ca }, connections: 1, ...settings });
  try {
    return (await postgres.ask('SELECT 1 AS one'))[0];
  } catch (error) {
    return (error as { readonly code: string }).code;
  } finally {
    await postgres.close();
  }
}

test('requires a certificate from the server before it sends anything', async () => {
  expect(await ask({})).toEqual({ one: 1 });
  expect(await ask({ tls: {} })).toBe('SYNC_BACKEND_DENIED');
  const elsewhere = new Secret(server.url.replace('127.0.0.1', 'localhost'));
  expect(await ask({ url: elsewhere })).toBe('SYNC_BACKEND_DENIED');
  expect(await ask({ url: new Secret('postgres://talent@127.0.0.1:1/talent') })).toBe('SYNC_BACKEND_AWAY');
});

describe('errors', () => {
  test.each([
    ['a table that is missing', 'SELECT * FROM nothing', [], 'SYNC_BACKEND_UNPREPARED'],
    ['an invalid value', 'SELECT $1::integer', ['jane@example.com'], 'SYNC_INTERNAL'],
    ['a conflict', 'DO $$ BEGIN RAISE SQLSTATE $a$40001$a$; END $$', [], 'SYNC_BACKEND_AWAY'],
  ])('contain no value: %s', async (_, text, values, code) => {
    const postgres = openPostgres({ url: new Secret(server.url), tls: { ca }, connections: 1 });
    const error = await postgres.ask(text, values).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error) + String(error)).not.toContain('jane');
    await postgres.close();
  });
});

sweep('runs a daemon without the right to create anything', async () => {
  const owner = openPostgres({ url: new Secret(server.url), tls: { ca }, connections: 1 });
  expect(await preparePostgres(owner)).toMatchObject({ from: 0 });
  await owner.close();
  await server.ask(
    'CREATE ROLE daemon LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO daemon',
  );
  const daemon = openPostgres({
    url: new Secret(server.url.replace('talent@', 'daemon@')),
    tls: { ca },
    connections: 1,
  });
  await daemon.ask("INSERT INTO tenant (name) VALUES ('acme')");
  await expect(daemon.ask('CREATE TABLE more (id integer)')).rejects.toMatchObject({ code: 'SYNC_BACKEND_UNPREPARED' });
  await daemon.close();
});

test('ends only the transaction, not the process, when a connection is lost', async () => {
  const postgres = openPostgres({ url: new Secret(server.url), tls: { ca }, connections: 1 });
  const cut = postgres.together(async (ask) => {
    const [row] = await ask<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await server.ask('SELECT pg_terminate_backend($1)', [row?.pid]);
    // Nothing is sent while the connection breaks: the driver has nobody to answer.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await ask('SELECT 1');
  });
  expect(await cut.catch((thrown: unknown) => thrown)).toMatchObject({ code: 'SYNC_BACKEND_AWAY' });
  expect(await postgres.ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await postgres.close();
});
