import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../../src/base/secrets/secret.js';
import type { Config } from '../../../../src/config/config.js';
import { createPushSources } from '../../../../src/daemon/tenants/push-sources.js';
import { openPostgres, type Postgres } from '../../../../src/store/remote/postgres.js';
import { preparePostgres } from '../../../../src/store/remote/prepare.js';
import { openPushedFile } from '../../../../src/store/remote/pushed-file.js';
import { findPushedCopy } from '../../../../src/store/remote/working-copy.js';
import { openPushStore } from '../../../../src/store/state/open-push-store.js';
import type { PushStore } from '../../../../src/store/state/push-store.js';
import { type Postgres as Server, startPostgres } from '../../../postgres.js';
import { EMPTY } from '../../../store/remote/remote-kit.js';
import { type DeskCommon, type DeskOptions, type DeskParts, openDesksBy, openReceiver, TOKENS } from './desk.js';

/* Runs the suites of the receiver again, with each request sent to one of three daemons at random. */

const SUITES = ['groups', 'life-of-a-user', 'lists', 'patch', 'bulk'];

let server: Server;
let postgres: Postgres;
let calls = 0;

beforeAll(async () => {
  server = await startPostgres();
  postgres = openPostgres({ url: new Secret(server.url), tls: null, connections: 6 });
  await preparePostgres(postgres);
  openDesksBy(openThreeDaemons);
});
afterAll(async () => {
  openDesksBy(null);
  await postgres?.close();
  await server?.close();
});

/** Returns the same choices in each run. */
function createChooser(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % most;
  };
}
const choose = createChooser(7);

async function openThreeDaemons({ name, key, trustedProxies }: DeskOptions, common: DeskCommon): Promise<DeskParts> {
  await postgres.ask(EMPTY);
  let baseUrl: string | null = null;
  const daemons = await Promise.all([1, 2, 3].map(() => openDaemon()));
  const [first] = daemons as [(typeof daemons)[number]];
  baseUrl = `${first.url}/scim/v2/${name}`;
  // Any of the three may answer the first POST.
  await first.file.refresh();

  async function openDaemon() {
    const folder = mkdtempSync(join(tmpdir(), 'daemon-'));
    const file = openPushedFile(postgres, { tenant: 'acme', folder, now: () => '2026-01-01T00:00:00.000Z' });
    const source = { type: 'scim-push', tokens: TOKENS.map((token) => new Secret(token)), key, trustedProxies };
    const listed = {
      name: 'acme',
      status: null,
      get config() {
        return { state: folder, sources: { [name]: { ...source, baseUrl } } } as unknown as Config;
      },
    };
    const sources = createPushSources(() => [listed], { pushed: () => file });
    onTestFinished(() => {
      sources.close();
      file.close();
    });
    return { folder, file, url: await openReceiver({ find: sources.find, proxies: sources.proxies, ...common }) };
  }

  let isFirst = true;
  function openStore(): PushStore {
    const { store, close } = openPushStore(findPushedCopy(first.folder) ?? '');
    onTestFinished(close);
    return store;
  }
  // Each access reads the newest file.
  const store = new Proxy({} as PushStore, { get: (_, name) => Reflect.get(openStore(), name) as unknown });
  return {
    folder: first.folder,
    store,
    write: (work) => first.file.write(() => work(openStore())),
    url() {
      if (isFirst) {
        isFirst = false;
        return first.url;
      }
      calls += 1;
      return daemons[choose(3)]?.url ?? '';
    },
    refresh: () => first.file.refresh(),
  };
}

// The query gives each suite another name. Otherwise, a worker that has already run it would not register it again.
for (const suite of SUITES)
  describe(suite, async () => {
    await import(`./${suite}.test.ts?by=three`);
  });

test('sends the requests of the suites to three daemons', () => {
  expect(calls).toBeGreaterThan(300);
});
