import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPushSources } from '../../src/daemon/tenants/push-sources.js';
import { ERASE, PREVIEW_ERASURE } from '../../src/operations/under-lock.js';
import { closeAfterTest } from '../closing.js';
import { IS_THOROUGH, sweep } from '../depth.js';
import type { Postgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { type FleetNode, openRemoteFleet, startPrepared, until } from './remote-fleet.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

const START = '2037-11-21T08:00:30Z';
const TABLES = ['tenant', 'file', 'file_commit', 'file_page', 'document', 'inbox'];

/** All values in PostgreSQL, decompressed and concatenated; taken from a dump if the machine can make one. */
async function readStored(): Promise<Buffer> {
  const dump = server.dump();
  if (dump === null) return Buffer.concat(await Promise.all(TABLES.map(readTable)));
  // A dump shows bytes as `\\x53514c`.
  const bytes = dump.toString('latin1').matchAll(/\\\\x([0-9a-f]+)/g);
  return Buffer.concat([dump, ...Array.from(bytes, ([, hex = '']) => Buffer.from(hex, 'hex'))]);
}

async function readTable(table: string): Promise<Buffer> {
  const values = (await server.ask(`SELECT * FROM ${table}`)).flatMap((row) => Object.values(row));
  return Buffer.concat(values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)))));
}

/** For each word, says if the bytes contain it. */
function findWords(bytes: Buffer, words: readonly string[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(words.map((word) => [word, bytes.includes(word)]));
}

function readFolder(folder: string): Buffer {
  if (!existsSync(folder)) return Buffer.alloc(0);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Buffer.concat(files.map((one) => readFileSync(join(one.parentPath, one.name))));
}

const codeOf = ({ stdout }: { readonly stdout: string }): string | null =>
  (JSON.parse(stdout) as { readonly error?: { readonly code: string } }).error?.code ?? null;

describe('with a key', () => {
  const WORDS = ['quimby', 'Quimby', 'jane.q@example.com'];
  const KEY = 'k'.repeat(32);

  /** A tenant that two daemons have run, with changes held by a guard. */
  async function open(key?: string) {
    const kit = await openRemoteFleet(server, START);
    const acme = await kit.fleet.addTenant('acme', {});
    const more = key === undefined ? {} : { key };
    const [a, b] = [await kit.openNode('a', more), await kit.openNode('b', more)];
    const jane = { last: 'Quimby', email: 'jane.q@example.com' };
    await a.claim();
    for (const [at, node] of [a, b].entries()) {
      acme.deliver([person('E1', { ...jane, title: `Title ${at}` }), person('E2')]);
      kit.fleet.clock.set(`2037-11-21T08:${15 + 15 * at}:10Z`);
      await kit.wait();
      await server.ask('UPDATE tenant SET last_holder = NULL');
      await node.claim();
    }
    expect(acme.takeWrites()).toBe(3);
    return kit;
  }

  test('PostgreSQL stores no personal values in clear with a key, and all of them without one', async () => {
    // This shows that the search finds them.
    if (IS_THOROUGH) {
      await open();
      expect(findWords(await readStored(), WORDS)).toMatchObject({ Quimby: true, 'jane.q@example.com': true });
      await server.ask(EMPTY);
    }
    await open(KEY);
    expect(Object.values(findWords(await readStored(), WORDS))).not.toContain(true);
  });

  sweep('reports an error for a wrong key, a missing key or a moved page, and never an empty state', async () => {
    const { openMachine, openNode, wait, fleet } = await open(KEY);
    const head = await server.ask("SELECT * FROM file WHERE name = 'state'");
    const machines = [
      openMachine('wrong', { key: 'w'.repeat(32) }),
      openMachine('none'),
      openMachine('right', { key: KEY }),
    ] as const;
    const [wrong, none, right] = machines;
    for (const words of [['status'], ['sync'], ['audit', 'verify']]) {
      await server.ask('UPDATE tenant SET lease_until = NULL');
      expect([words, codeOf(await wrong.type(...words, '--json'))]).toEqual([words, 'SYNC_BACKEND_SEAL']);
      await server.ask('UPDATE tenant SET lease_until = NULL');
      expect([words, codeOf(await none.type(...words, '--json'))]).toEqual([words, 'SYNC_BACKEND_SEAL']);
    }
    const c = await openNode('c', { key: 'w'.repeat(32) });
    fleet.clock.set('2037-11-21T08:45:10Z');
    await wait();
    await server.ask('UPDATE tenant SET last_holder = NULL, lease_until = NULL');
    await c.claim();
    expect(JSON.stringify(fleet.log.at(-1))).toContain('key');
    expect(await server.ask("SELECT * FROM file WHERE name = 'state'")).toEqual(head);

    await server.ask('UPDATE tenant SET lease_until = NULL');
    expect(codeOf(await right.type('status', '--json'))).toBeNull();
    // A page from another position of the same file, from another commit, and from another tenant.
    const swaps = [
      "UPDATE file_page p SET content = q.content FROM file_page q WHERE p.page = 2 AND q.page = 3 AND p.name = 'state' AND q.name = 'state'",
      "UPDATE file_page SET commit_number = commit_number + 1 WHERE page = 4 AND name = 'state'",
    ];
    for (const [at, swap] of swaps.entries()) {
      await server.ask('CREATE TABLE saved AS SELECT * FROM file_page');
      await server.ask(swap);
      expect([swap, codeOf(await openMachine(`m${at}`, { key: KEY }).type('status', '--json'))]).toEqual([
        swap,
        'SYNC_BACKEND_SEAL',
      ]);
      await server.ask('TRUNCATE file_page; INSERT INTO file_page SELECT * FROM saved; DROP TABLE saved');
    }
    await server.ask(
      "UPDATE file SET tenant = 'north'; UPDATE file_page SET tenant = 'north'; UPDATE file_commit SET tenant = 'north'",
    );
    await fleet.addTenant('north', {});
    const moved = openMachine('moved', { key: KEY });
    expect(codeOf(await moved.type('status', '--json', '--config', join(moved.target, 'north.yaml')))).toBe(
      'SYNC_BACKEND_SEAL',
    );
  });
});

test("an erasure removes a person's values from PostgreSQL and from the disks of all daemons", async () => {
  const kit = await openRemoteFleet(server, START);
  const { fleet, openNode, openMachine, wait } = kit;
  fleet.env.ENTRA = 'token';
  const acme = await fleet.addTenant('acme', {
    sources: { entra: { type: 'scim-push', tokens: [{ env: 'ENTRA' }], key: 'externalId' } },
    users: {
      existence: 'entra',
      leaver: { when: 'record.active == false' },
      fields: {
        external_unique_id: 'record.?externalId',
        email: 'record.?email',
        name: 'record.?displayName',
        office: { country: '"no"', name: '"Oslo"' },
      },
    },
  });
  const [a, b] = [await openNode('a'), await openNode('b')];
  const pushes = (node: FleetNode) => {
    const sources = createPushSources(() => node.daemon.list(), node.backend);
    closeAfterTest(sources);
    return sources.find(['acme', 'entra'])?.source;
  };
  const [toA, toB] = [pushes(a), pushes(b)];
  const push = (id: string, name: string) =>
    toB?.use('change', async (store) => {
      const mail = `${name.toLowerCase().replace(' ', '.')}@example.com`;
      const attributes = { userName: mail, externalId: id, displayName: name, active: true, emails: [{ value: mail }] };
      const row = { id, nameKey: mail, externalId: id, display: name, attributes };
      store?.insert('entra', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
    });
  await push('oid-jane', 'Jane Quimby');
  await push('oid-berit', 'Berit Moe');
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.claim();
  expect(acme.takeWrites()).toBe(2);
  // The order contains her name, and so does the plan that answered it.
  const asked = await b.daemon.ask('acme', 'plan', 'kim@example.com', {
    ...{ only: 'user:jane.quimby@example.com', full: false, asOf: null, ignoreQuietHours: false, isDetailed: false },
    look: { color: false, width: null, all: true, veil: null },
  });
  await until(async () => {
    await a.claim();
    return (await b.daemon.findAsked('acme', asked?.id ?? ''))?.state === 'ended';
  });
  await b.daemon.bringUp('acme');
  await toA?.use('read', async () => undefined);
  const words = ['Quimby', 'quimby', 'oid-jane'];
  expect(findWords(await readStored(), words)).toMatchObject({ Quimby: true, quimby: true, 'oid-jane': true });
  expect(findWords(readFolder(b.disk), words)).toMatchObject({ Quimby: true, 'oid-jane': true });

  const c = openMachine('c');
  const erase = ['audit', 'erase', 'jane.quimby@example.com', '--reason', 'request 7', '--yes', '--json'];
  const erased = await c.type(...erase);
  expect([erased.code, codeOf(erased)]).toEqual([0, null]);
  await server.ask('VACUUM FULL');
  const none = { Quimby: false, quimby: false, 'oid-jane': false };
  expect(findWords(await readStored(), words)).toEqual(none);
  expect(findWords(readFolder(c.disk), words)).toEqual(none);
  // Each daemon looks at the rows every 2 s and at its folders every minute.
  const traces = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(
        (one) =>
          one.isFile() && Object.values(findWords(readFileSync(join(one.parentPath, one.name)), words)).includes(true),
      )
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
  await until(async () => {
    for (const { daemon } of [a, b]) {
      await daemon.claim();
      await daemon.idle();
      daemon.tick();
      await daemon.idle();
    }
    return traces(a.disk).length + traces(b.disk).length === 0;
  });
});

sweep("an erasure on one daemon's page removes the person from PostgreSQL, including the erasure order", async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, START);
  const acme = await fleet.addTenant('acme', {});
  const [a, b] = [await openNode('a'), await openNode('b')];
  acme.deliver([person('E17', { last: 'Quimby', email: 'jane.q@example.com' }), person('E2')]);
  await a.claim();
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await a.claim();
  a.keepClaiming();
  await b.daemon.bringUp('acme');
  const config = b.daemon.configOf('acme');
  if (config === null) throw new Error('it has no configuration');
  const who = { by: 'kim@example.com', via: 'person' as const, holder: 'pages', logger: fleet.logger };
  const context = { config, clock: fleet.clock, ...who };
  const asked = { person: 'E17' };
  const { document } = await b.daemon.perform('acme', PREVIEW_ERASURE, context, asked);
  const words = ['Quimby', 'jane.q@example.com', 'E17'];
  expect(findWords(await readStored(), words)).toMatchObject({ Quimby: true, 'jane.q@example.com': true });
  const word = { ...asked, name: document.names[0] ?? '', reason: 'request 7' };
  const { document: erased } = await b.daemon.perform('acme', ERASE, context, word);
  expect(erased).toMatchObject({ erasure: expect.stringMatching(/^e/), lines: expect.anything() });
  for (const { daemon } of [a, b]) await daemon.idle();
  // The answer is kept as long as any other.
  const left = await server.ask('SELECT kind, ended_at IS NOT NULL AS ended FROM inbox');
  expect(left).toEqual([{ kind: 'erasePerson', ended: true }]);
  await server.ask('VACUUM FULL');
  expect(Object.values(findWords(await readStored(), words))).toEqual([false, false, false]);
});

sweep(
  'a daemon removes its copy of a tenant after an erasure, after 24 hours, and with its configuration',
  async () => {
    const { fleet, openNode, wait } = await openRemoteFleet(server, START);
    const acme = await fleet.addTenant('acme', {});
    const [a, b] = [await openNode('a'), await openNode('b')];
    acme.deliver([person('E1'), person('E2')]);
    await a.claim();
    fleet.clock.set('2037-11-21T08:15:10Z');
    await wait();
    await a.claim();
    const folder = b.state('acme');
    const look = async (): Promise<void> => {
      await b.daemon.bringUp('acme');
      mkdirSync(join(folder, 'reports'), { recursive: true });
      writeFileSync(join(folder, 'reports', 'plan.html'), 'Jane');
    };
    const age = (hours: number): void => {
      const at = Date.now() / 1_000 - hours * 3_600;
      utimesSync(join(folder, 'remote.json'), at, at);
    };
    const left = () => ['state.db', 'reports', 'remote.json'].filter((name) => existsSync(join(folder, name)));
    /** Daemons look at the rows every 2 s. */
    const tick = async (): Promise<void> => {
      await b.daemon.claim();
      b.daemon.tick();
      await b.daemon.bringUp('north');
      await setTimeout(50);
    };
    await look();
    age(23);
    await tick();
    expect(left()).toEqual(['state.db', 'reports', 'remote.json']);
    age(25);
    await until(async () => {
      await tick();
      return left().length === 0;
    });

    // This machine's clock is an hour ahead of PostgreSQL's.
    await look();
    const now = vi.spyOn(Date, 'now');
    closeAfterTest({ close: () => now.mockRestore() });
    const realNow = performance.timeOrigin;
    now.mockImplementation(() => Math.round(realNow + performance.now()) + 3_600_000);
    age(1 / 3_600);
    await server.ask('UPDATE tenant SET erased_at = clock_timestamp()');
    await until(async () => {
      await tick();
      return left().length === 0;
    });
    now.mockRestore();

    await setTimeout(2_100);
    await look();
    rmSync(join(b.target, 'acme.yaml'));
    b.daemon.reload();
    await until(() => left().length === 0);
    expect(acme.takeWrites()).toBe(2);
  },
);
