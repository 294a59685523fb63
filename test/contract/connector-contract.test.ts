import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import type { Connector } from '../../src/connectors/connector.js';
import { systemOf } from '../../src/connectors/crm/systems.js';
import { createFileConnector } from '../../src/connectors/drop/file-connector.js';
import { createListedReader } from '../../src/connectors/listed/listed-reader.js';
import { createScimConnector } from '../../src/connectors/scim/scim-connector.js';
import { SCIM_COLUMNS } from '../../src/connectors/scim-protocol/columns.js';
import { createPushConnector } from '../../src/connectors/scim-push/scim-push-connector.js';
import {
  answerJson,
  buildContext,
  catchSyncError,
  column,
  csvConfig,
  listedConfig,
  makeFolder,
  OPEN_ACCESS,
  readAll,
  scimConfig,
  serveFeed,
  servePages,
  startServer,
  streamConfig,
  writeFileIn,
} from '../connectors/fixtures.js';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { openDesk } from '../daemon/web/scim/desk.js';
import { IS_THOROUGH, sweep } from '../depth.js';

/** Like `{ id, name, age }`, with `''` as the name for an empty cell, and any text as age, so that it can be wrong. */
interface Person {
  readonly id: string;
  readonly name: string;
  readonly age: string;
}

/** A source of one kind that a test can fill, and break so that nothing is readable. */
interface TestSource {
  readonly connector: Connector;
  deliver(people: readonly Person[]): Promise<void>;
  /** Null for a source in the state itself, which cannot fail separately. */
  readonly break: (() => Promise<void>) | null;
  /** Why reads of this kind never prove that anyone is missing. Without it, a complete read proves that. */
  readonly neverComplete?: string;
}

const SECRET = 'tok-SECRET';

async function makeDrop(
  file: string,
  create: (folder: string) => Connector,
  print: (people: readonly Person[]) => string,
): Promise<TestSource> {
  const folder = await makeFolder();
  return {
    connector: create(folder),
    deliver: async (people) => {
      await writeFileIn(folder, file, print(people));
    },
    break: () => rm(join(folder, file)),
  };
}

function printCsv(people: readonly Person[]): string {
  return ['id,name,age', ...people.map(({ id, name, age }) => `${id},"${name}",${age}`), ''].join('\n');
}

function makeStream(file: string, print: (people: readonly Person[]) => string): Promise<TestSource> {
  return makeDrop(file, (folder) => createFileConnector('source', streamConfig(folder, '*'), buildContext()), print);
}

async function makeSftp(): Promise<TestSource> {
  const { drop, access } = await startOpenSsh();
  return {
    connector: createFileConnector('source', csvConfig(access.path, { sftp: access }), buildContext()),
    deliver: async (people) => void (await writeFileIn(drop, 'a.csv', printCsv(people))),
    break: () => rm(join(drop, 'a.csv')),
  };
}

async function makeScim(): Promise<TestSource> {
  let users: readonly unknown[] | null = [];
  const { baseUrl } = await startServer((request, response) => {
    if (users === null) answerJson(response, { detail: request.headers.authorization }, 403);
    else servePages(users)(request, response);
  });
  const config = scimConfig(baseUrl, {
    access: { ...OPEN_ACCESS, auth: { bearer: new Secret(SECRET) } },
    columns: { ...SCIM_COLUMNS, name: column('string'), age: column('int', { optional: true }) },
  });
  return {
    connector: createScimConnector('source', config, buildContext()),
    deliver: async (people) => {
      users = people.map((person) => ({ ...person, userName: person.name }));
    },
    break: async () => {
      users = null;
    },
  };
}

async function makeFeed(): Promise<TestSource> {
  let rows: readonly unknown[] | null = [];
  const { baseUrl } = await startServer((request, response) => {
    if (rows === null) answerJson(response, { said: request.headers.authorization }, 403);
    else serveFeed(rows, 400)(request, response);
  });
  const config = listedConfig(baseUrl, {
    access: { ...OPEN_ACCESS, auth: { bearer: new Secret(SECRET) } },
    total: '/count',
  });
  return {
    connector: createListedReader('source', config, systemOf(config), buildContext()),
    deliver: async (people) => {
      rows = people;
    },
    break: async () => {
      rows = null;
    },
  };
}

async function makePush(): Promise<TestSource> {
  const { call, store } = await openDesk({ name: 'source' });
  const age = 'urn:test:age:User';
  const columns = {
    ...SCIM_COLUMNS,
    id: column('string', { from: '/externalId' }),
    name: column('string', { from: '/displayName' }),
    age: column('int', { optional: true, from: `/${age}/age` }),
  };
  const config = {
    type: 'scim-push',
    tokens: [],
    baseUrl: null,
    trustedProxies: [],
    columns,
    key: 'id',
    prefer: null,
    mayBeEmpty: false,
    writeBack: null,
  } as const;
  const bulk = async (operations: readonly object[]): Promise<void> => {
    for (let at = 0; at < operations.length; at += 1_000)
      await call('POST', '/Bulk', { Operations: operations.slice(at, at + 1_000) });
  };
  return {
    connector: createPushConnector('source', config, { ...buildContext(), pushed: store }),
    deliver: async (people) => {
      const { users } = store.readUsers('source', 0, 10_000);
      await bulk(users.map(({ id }) => ({ method: 'DELETE', path: `/Users/${id}` })));
      await bulk(
        people.map((person, n) => ({
          method: 'POST',
          path: '/Users',
          bulkId: `${n}`,
          data: { userName: `u${n}`, externalId: person.id, displayName: person.name, [age]: { age: person.age } },
        })),
      );
    },
    break: null,
    neverComplete: 'a push source is never complete',
  };
}

const KINDS: readonly (readonly [string, () => Promise<TestSource>])[] = [
  [
    'csv drop',
    () => makeDrop('a.csv', (folder) => createFileConnector('source', csvConfig(folder), buildContext()), printCsv),
  ],
  ['csv over SFTP', makeSftp],
  ['crm JSON', () => makeStream('a.json', (results) => JSON.stringify({ results }))],
  ['crm NDJSON', () => makeStream('a.ndjson', (people) => people.map((person) => JSON.stringify(person)).join('\n'))],
  ['crm CSV', () => makeStream('a.csv', printCsv)],
  ['crm over HTTP', makeFeed],
  ['scim', makeScim],
  ['scim-push', makePush],
];

const ANN: Person = { id: '007', name: 'Ann', age: '40' };
const BOB: Person = { id: '8', name: '', age: '' };

/** The evidence of a read without errors. */
function wholeRead({ neverComplete }: TestSource): object {
  return neverComplete === undefined ? { complete: true } : { complete: false, incompleteBecause: neverComplete };
}

/** Rows of these kinds come through the code of another kind; tests of their own cover their places. */
const ALIKE = ['csv over SFTP', 'crm JSON', 'crm CSV'];

describe.each(IS_THOROUGH ? KINDS : KINDS.filter(([name]) => !ALIKE.includes(name)))(
  'connector contract: %s',
  (name, make) => {
    it('delivers typed records with keys and places', async () => {
      const source = await make();
      await source.deliver([ANN, BOB]);
      const { records, evidence } = await readAll(source.connector);
      expect(records.map((record) => record.key)).toEqual(['007', '8']);
      expect(records[0]?.cells).toMatchObject({ id: '007', name: 'Ann', age: 40n });
      expect(records[1]?.cells).toMatchObject({ name: '' });
      expect(records[1]?.cells).not.toHaveProperty('age');
      for (const { place } of records) {
        expect(place.source).toBe('source');
        expect(place.at.startsWith(evidence.at)).toBe(true);
      }
      const [first, second] = records.map(({ place }) => place);
      // Either by line, or by a separate address.
      if (first?.line === undefined) expect(second?.at).not.toBe(first?.at);
      else expect(second?.line).toBe(first.line + 1);
    });

    it('rejects a bad row instead of dropping it, and keeps its key', async () => {
      const source = await make();
      await source.deliver([ANN, { ...BOB, age: 'old' }]);
      const { records, rejected, evidence } = await readAll(source.connector);
      expect(records.map((record) => record.key)).toEqual(['007']);
      expect(rejected).toMatchObject([{ key: '8', code: 'SYNC_ROW_CELL', place: { source: 'source' } }]);
      expect(rejected[0]?.reason).toContain('"age"');
      expect(rejected[0]?.reason).toContain('"old"');
      expect(rejected[0]?.remedy).not.toBe('');
      expect(evidence).toMatchObject({ rows: 2, rejected: 1, ...wholeRead(source) });
    });

    it('proves a complete read, with equal digests for equal content', async () => {
      const source = await make();
      await source.deliver([ANN, BOB]);
      const first = await readAll(source.connector);
      const second = await readAll(source.connector);
      expect(first.evidence).toMatchObject({ source: 'source', rows: 2, rejected: 0, ...wholeRead(source) });
      expect('incompleteBecause' in first.evidence).toBe(source.neverComplete !== undefined);
      expect(first.evidence.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(second.evidence.digest).toBe(first.evidence.digest);
      await source.deliver([ANN]);
      expect((await readAll(source.connector)).evidence.digest).not.toBe(first.evidence.digest);
    });

    it('proves nothing if a row has no key', async () => {
      const source = await make();
      await source.deliver([ANN, { ...BOB, id: ' ', name: 'Bob' }]);
      const { rejected, evidence } = await readAll(source.connector);
      expect(rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_KEY' }]);
      expect(evidence.complete).toBe(false);
      expect(evidence.incompleteBecause).toMatch(source.neverComplete ?? /key|without an id/);
    });

    it('proves nothing if a source has no rows', async () => {
      const source = await make();
      await source.deliver([]);
      const result = await readAll(source.connector).catch(() => null);
      expect(result?.evidence.complete ?? false).toBe(false);
    });

    it('throws an error with place and remedy, and without secrets, if the source is unusable', async () => {
      const source = await make();
      await source.deliver([ANN]);
      if (source.break === null) {
        // Pushed data is in the state: it can be empty, which is reported, but not unreachable.
        await source.deliver([]);
        expect((await source.connector.probe()).detail).toContain('0 users');
        return;
      }
      await source.break();
      for (const attempt of [() => source.connector.read(() => {}), () => source.connector.probe()]) {
        const error = await catchSyncError(attempt());
        expect(['unsafe', 'transient']).toContain(error.kind);
        expect(error.place).toBeTruthy();
        expect(error.remedy).not.toBe('');
        expect([error.message, error.place, error.remedy, error.stack, String(error.cause)].join()).not.toContain(
          SECRET,
        );
      }
    });

    (name === 'csv drop' ? it : sweep)('gives batches of at most 1,000 rows', async () => {
      const source = await make();
      await source.deliver(
        Array.from({ length: 1_001 }, (__, i) => ({ id: `k${i}`, name: 'x', age: i % 5 === 0 ? 'old' : '1' })),
      );
      const { batches, evidence } = await readAll(source.connector);
      expect(Math.max(...batches.map(({ records, rejected }) => records.length + rejected.length))).toBeLessThanOrEqual(
        1_000,
      );
      expect(evidence).toMatchObject({ rows: 1_001, rejected: 201, ...wholeRead(source) });
    });

    it('probes without delivering records', async () => {
      const source = await make();
      await source.deliver([ANN, BOB]);
      const probe = await source.connector.probe();
      expect(probe.detail).toContain('2');
      expect(probe.at).not.toBe('');
      await source.connector.close();
    });

    it('stops when its signal is aborted', async () => {
      const source = await make();
      await source.deliver([ANN]);
      await expect(source.connector.read(() => {}, AbortSignal.abort(new Error('shutdown')))).rejects.toThrow(
        'shutdown',
      );
    });
  },
);
