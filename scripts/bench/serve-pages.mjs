// The operator pages of one tenant with a configuration, and of 299 others with only a summary in memory, without a
// login.
// Usage: node serve-pages.mjs CONFIG FOLDER
import { pino } from 'pino';
import { loadConfig } from '../../dist/config/load.js';
import { openOperatorPages } from '../../dist/daemon/web/operator/server.js';
import { openOperatorStore } from '../../dist/store/operators/operator-store.js';
import { listTenants } from './summaries.mjs';

const [file, state] = process.argv.slice(2);
const [first, ...others] = listTenants();
const tenants = [{ ...first, config: loadConfig(file, process.env) }, ...others];
const web = { host: '127.0.0.1', port: 0, publicUrl: null, state, openid: null, proxy: null, tokens: true };
const store = openOperatorStore(state, new Date().toISOString());
const { url } = await openOperatorPages({
  settings: () => ({ ...web, trustedProxies: [], grants: [], idleMs: 3_600_000, longestMs: 3_600_000 }),
  operators: { store, refresh: async () => {}, change: async (work) => work(store), close() {} },
  clock: { now: Date.now },
  logger: pino({ level: 'silent' }),
  openid: null,
  isLocal: true,
  daemon: {
    list: () => tenants,
    listFresh: async () => tenants,
    bringUp: async () => {},
    listUntaken: async () => [],
    findAsked: async () => null,
    signals: { next: () => null },
  },
});
process.stderr.write(`${JSON.stringify({ url })}\n`);
