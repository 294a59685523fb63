import type { PeopleVendor } from '../../../src/connectors/hris/vendor.js';
import { PEOPLE_VENDORS } from '../../../src/connectors/hris/vendors.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import { findSystem } from '../../../src/connectors/listed/listed-system.js';
import { createListedWriter } from '../../../src/connectors/listed/listed-writer.js';
import { closeAfterTest } from '../../closing.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import type { VendorServer } from '../crm/imitations/vendor-server.js';
import { startTime, type Time } from '../crm/vendor.js';
import { buildContext, readAll } from '../fixtures.js';
import { createEntra, type Entra, type EntraOptions } from './imitations/entra.js';
import { createGoogle, type Google, type GoogleOptions } from './imitations/google.js';

const ENV = { TALENT_API_KEY: 'key', IDP_TOKEN: 'token' };
const MINUTE_MS = 60_000;
export const DAY = 24 * 60;

/** Opens a configured directory, to be read repeatedly while time passes, and to be written to. */
function openReader(server: VendorServer, time: Time, hris: string, secret: string) {
  closeAfterTest(server);
  const text = SAMPLE.replace('\nusers:', `\n  people: { type: hris, base_url: "${server.url}", ${hris} }\nusers:`);
  const source = loadSample(text, { ...ENV, HR_SECRET: secret }).sources.people;
  if (source?.type !== 'hris') throw new Error('no source of people');
  const context = buildContext((ms) => {
    time.now += ms;
  });
  const clock = { ...context.clock, now: () => time.now };
  const system = findSystem<PeopleVendor>(PEOPLE_VENDORS, source.dialect);
  const connector = createListedReader('people', source, system, { ...context, clock });
  const writer = createListedWriter('people', source, system, { ...context, clock });
  closeAfterTest(connector);
  closeAfterTest(writer);
  return {
    connector,
    writer,
    slept: context.slept,
    async read() {
      const before = server.requests.length;
      const { records, rejected, batches, evidence } = await readAll(connector);
      return {
        /** Key → columns that have a value. */
        people: new Map(
          records.map(({ key, cells }) => [
            key,
            Object.fromEntries(Object.entries(cells).filter(([, value]) => value !== null)),
          ]),
        ),
        rejected: rejected.map(({ reason }) => reason),
        gone: batches.flatMap(({ gone }) => gone ?? []).map(({ key }) => key),
        asked: server.requests.slice(before).filter(({ path }) => !path.endsWith('/token')).length,
        complete: evidence.complete,
        because: evidence.incompleteBecause,
      };
    },
  };
}

type Reader = ReturnType<typeof openReader>;
export type Read = Awaited<ReturnType<Reader['read']>>;

/** A vendor’s directory with people `p0`, `p1`, …, and the actions of its administrator. */
export interface Directory {
  readonly server: VendorServer;
  readonly time: Time;
  readonly feed: Reader;
  /** The keys of the source, in YAML’s flow style; its secret is HR_SECRET. */
  readonly source: string;
  readonly secret: string;
  /** Ids in the order of the names. */
  readonly ids: readonly string[];
  create(name: string): string;
  rename(id: string, name: string): void;
  setManager(id: string, manager: string | null): void;
  /** Blocks signing in, although the person has not left. */
  disable(id: string): void;
  remove(id: string): void;
  restore(id: string): void;
  /** Revokes or grants the permission to read. */
  allow(isAllowed: boolean): void;
  expireTokens(): void;
  /** Expires cursors and the links for changes. */
  lapse(): void;
  setStuck(isStuck: boolean): void;
  /** Omits this person from lists; null for nobody. */
  omit(id: string | null): void;
}

export function passMinutes({ time }: Pick<Directory, 'time'>, minutes: number): void {
  time.now += minutes * MINUTE_MS;
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);

export interface Opening {
  /** Further keys of the source. */
  readonly keys?: string;
  readonly time?: Time;
}

export async function openEntra(
  count: number,
  { keys = '', time = startTime(), ...options }: EntraOptions & Opening = {},
): Promise<Directory & { readonly entra: Entra }> {
  const users = names(count).map((givenName) => ({ givenName, surname: 'Berg', mail: `${givenName}@acme.example` }));
  const entra = await createEntra({ now: () => time.now, users, ...options });
  const auth = `auth: { tenant: ${entra.tenant}, client_id: ${entra.clientId}, client_secret: { env: HR_SECRET } }`;
  const source = `preset: entra, ${auth}${keys}`;
  const feed = openReader(entra, time, source, entra.clientSecret);
  const ids = names(count).map((_, at) => `00000000-0000-0000-0000-${String(at + 1).padStart(12, '0')}`);
  return {
    entra,
    server: entra,
    time,
    feed,
    source,
    secret: entra.clientSecret,
    ids,
    create: (givenName) => entra.create({ givenName, surname: 'Berg', mail: `${givenName}@acme.example` }),
    rename: (id, givenName) => entra.update(id, { givenName }),
    setManager: (id, manager) => entra.update(id, { manager }),
    disable: (id) => entra.update(id, { accountEnabled: false }),
    remove: (id) => entra.remove(id),
    restore(id) {
      entra.restore(id);
      entra.unlisted.delete(id);
    },
    allow: (isAllowed) => {
      entra.permissions = new Set(isAllowed ? ['User.Read.All'] : []);
    },
    expireTokens: () => entra.expireTokens(),
    lapse: () => entra.expireDeltaLinks(),
    setStuck: (isStuck) => {
      entra.isStuck = isStuck;
    },
    omit: (id) => {
      entra.unlisted.clear();
      if (id !== null) entra.unlisted.add(id);
    },
  };
}

export async function openGoogle(
  count: number,
  {
    keys = '',
    login = '',
    time = startTime(),
    keyFile,
    ...options
  }: GoogleOptions & Opening & { readonly keyFile?: string; readonly login?: string } = {},
): Promise<Directory & { readonly google: Google }> {
  const describe = (givenName: string) => ({
    name: { givenName, familyName: 'Berg', fullName: `${givenName} Berg` },
    primaryEmail: `${givenName}@acme.example`,
    orgUnitPath: '/Staff',
  });
  const google = await createGoogle({ now: () => time.now, users: names(count).map(describe), ...options });
  const auth = `auth: { ${login}private_key: { env: HR_SECRET }, subject: ${google.admin} }`;
  const source = `preset: google, ${auth}${keys}`;
  const secret = keyFile ?? google.keyFile;
  const feed = openReader(google, time, source, secret);
  return {
    google,
    server: google,
    time,
    feed,
    source,
    secret,
    ids: names(count).map((_, at) => String(100_000_000_001 + at)),
    create: (name) => google.create(describe(name)),
    rename: (id, name) => google.update(id, { name: describe(name).name }),
    setManager: (id, manager) =>
      google.update(id, { relations: manager === null ? [] : [{ type: 'manager', value: manager }] }),
    disable: (id) => google.update(id, { suspended: true, suspensionReason: 'ADMIN' }),
    remove: (id) => google.remove(id),
    restore(id) {
      google.restore(id);
      google.update(id, { orgUnitPath: '/Staff' });
    },
    allow: (isAllowed) => {
      google.scopes = new Set(isAllowed ? ['https://www.googleapis.com/auth/admin.directory.user.readonly'] : []);
    },
    expireTokens: () => google.expireTokens(),
    lapse: () => google.expirePageTokens(),
    setStuck: (isStuck) => {
      google.isStuck = isStuck;
    },
    // The administrator then sees only some units.
    omit(id) {
      google.unit = id === null ? '/' : '/Staff';
      if (id !== null) google.update(id, { orgUnitPath: '/Board' });
    },
  };
}

export const DIRECTORIES: readonly (readonly [string, (count: number, options?: Opening) => Promise<Directory>])[] = [
  ['Entra ID', openEntra],
  ['Google Workspace', openGoogle],
];
