import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach } from 'vitest';
import { stringify } from 'yaml';
import type { Failure } from '../../src/apply/outcome.js';
import type { AuditEntry } from '../../src/audit/audit-log.js';
import type { Console } from '../../src/cli/context.js';
import { runApply, runSync } from '../../src/cli/run-apply.js';
import { runApprove } from '../../src/cli/run-approve.js';
import { runAuditList, runAuditVerify } from '../../src/cli/run-audit.js';
import { runCheck } from '../../src/cli/run-check.js';
import { runExplain } from '../../src/cli/run-explain.js';
import { runMirrorRefresh } from '../../src/cli/run-mirror.js';
import { runPlan } from '../../src/cli/run-plan.js';
import { runStatus } from '../../src/cli/run-status.js';
import type { Clock } from '../../src/clock.js';
import type { Hold } from '../../src/model/desired.js';
import type { Cost, Counts, GuardTrip } from '../../src/model/plan.js';
import type { Explanation } from '../../src/planning/explain.js';
import type { FixtureInput } from '../../src/sandbox/fixture.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';

/** A tree of YAML, as the configuration is written. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };

export const KEY = 'admin-key';
export const HOUR = 3_600_000;

/** Two countries with three offices, one category of two tags; stories add people, customers and projects. */
export const ACCOUNT: FixtureInput = {
  account: { languages: ['en', 'no', 'sv'], whitelisted_domains: ['example.com'] },
  keys: [
    { key: KEY, name: 'Admin', role: 'internationalmanager' },
    { key: 'reader-key', name: 'Reader', role: 'readonly_internationalmanager' },
    { key: 'reference-key', name: 'References', role: 'referencemanager' },
  ],
  countries: [
    { code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }, { name: 'Bergen' }] },
    { code: 'se', native_language_code: 'sv', offices: [{ name: 'Stockholm' }] },
  ],
  tag_categories: [
    {
      values: { en: 'Unit' },
      external_unique_id: 'unit',
      custom_tags: [
        { values: { en: 'North' }, external_unique_id: 'north' },
        { values: { en: 'South' }, external_unique_id: 'south' },
      ],
    },
  ],
};

const OPTIONAL = ['title', 'title_no', 'phone', 'unit', 'role', 'scope', 'status', 'rank'] as const;
const COLUMNS = ['id', 'first', 'last', 'email', 'country', 'office', ...OPTIONAL] as const;
export type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

/** A row of HR: works in Oslo unless told otherwise. */
export function person(id: string, more: Row = {}): Row {
  return {
    id,
    first: 'Person',
    last: id,
    email: `${id.toLowerCase()}@example.com`,
    country: 'no',
    office: 'Oslo',
    ...more,
  };
}

export const HEADER = COLUMNS.join(';');

export function line(row: Row): string {
  return COLUMNS.map((column) => row[column] ?? '').join(';');
}

/** One HR file that decides who exists; five managed fields. `configure` changes pieces of it. */
function buildConfig(url: string): Yaml {
  return {
    service: {
      base_url: url,
      api_key: { env: 'TALENT_API_KEY' },
      rate_limit: { concurrency: 4 },
      timeout: '2s',
    },
    state: './var',
    policy: 'sync',
    sources: {
      hr: {
        type: 'csv',
        drop: './drop/hr',
        pattern: 'employees-*.csv',
        key: 'id',
        settle: '0s',
        columns: {
          ...Object.fromEntries(COLUMNS.map((column) => [column, 'string'])),
          ...Object.fromEntries(OPTIONAL.map((column) => [column, { type: 'string', optional: true }])),
        },
      },
    },
    users: {
      existence: 'hr',
      match: ['external_unique_id', 'email'],
      leaver: { when: 'record.?status.orValue("") == "left"', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.email.lowerAscii()',
        name: 'record.first + " " + record.last',
        office: { country: 'record.country', name: 'record.office' },
        title: { en: 'record.?title' },
      },
    },
  };
}

/** Added to a configuration where customers and projects come from a CRM. */
export const CRM: { readonly [key: string]: Yaml } = {
  sources: {
    crm: {
      type: 'crm',
      drop: './drop/crm',
      streams: {
        companies: {
          pattern: 'companies-*.json',
          key: 'id',
          settle: '0s',
          columns: { id: 'string', name: 'string', url: { type: 'string', optional: true } },
        },
        deals: {
          pattern: 'deals-*.json',
          key: 'id',
          settle: '0s',
          columns: {
            id: 'string',
            customer: 'string',
            name: 'string',
            stage: { type: 'string', optional: true },
            owners: { type: 'list', optional: true },
          },
        },
      },
    },
  },
  customers: {
    from: ['crm.companies'],
    match: ['external_unique_id', 'customer_name'],
    fields: {
      external_unique_id: 'record.id',
      customer_name: { en: 'record.name' },
      customer_url: 'record.?url',
    },
  },
  projects: {
    from: ['crm.deals'],
    match: ['external_unique_id'],
    fields: {
      external_unique_id: 'record.id',
      customer: 'record.customer',
      project_name: { en: 'record.name' },
      workflow_stage: 'record.?stage',
      owners: 'record.?owners',
    },
  },
};

function isMap(value: Yaml | undefined): value is { readonly [key: string]: Yaml } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(base: Yaml | undefined, patch: Yaml): Yaml {
  if (!isMap(base) || !isMap(patch)) return patch;
  const merged: Record<string, Yaml> = { ...base };
  for (const [key, value] of Object.entries(patch)) merged[key] = merge(base[key], value);
  return merged;
}

/** Runs with the real time, but never waits: a pause moves it on at once. */
export interface StoryClock extends Clock {
  advance(ms: number): void;
}

export function createStoryClock(): StoryClock {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      offsetMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}

/** The documents of `--json`, as design section 6 names them. */
export interface PlanDocument {
  readonly plan: string;
  readonly file: string;
  readonly fingerprint: string;
  readonly expires: string;
  readonly counts: Counts;
  readonly cost: Cost;
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
  readonly conflicts: readonly unknown[];
  readonly errors?: readonly { readonly source: string; readonly error: ErrorDocument }[];
}
export interface RunDocument {
  readonly run: string;
  readonly plan: string;
  readonly counts: Counts;
  readonly calls: { readonly reads: number; readonly writes: number };
  readonly done: number;
  readonly failed: readonly Failure[];
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
  readonly left: number;
  readonly stopped: string | null;
  readonly left_out?: readonly { readonly id: string; readonly label: string; readonly because: string }[];
  readonly seconds: number;
  readonly errors?: readonly { readonly source: string; readonly error: ErrorDocument }[];
}
export interface ErrorDocument {
  readonly code: string;
  readonly message: string;
  readonly place: string | null;
  readonly remedy: string;
}
export interface Verified {
  readonly ok: boolean;
  readonly entries: number;
  readonly head: string;
}

/** What a command left: its exit code, its one document, and what stood on stderr. */
export interface Ran<T> {
  readonly code: number;
  readonly json: T;
  /** The document of a command that could not run. */
  readonly error: ErrorDocument | undefined;
  readonly stderr: string;
}

/** A user as `state()` tells it. */
export interface UserState {
  readonly email: string;
  readonly external_unique_id: string | null;
  readonly name: string;
  readonly telephone: string | null;
  readonly title: Readonly<Record<string, string>>;
  readonly office: string;
  readonly roles: readonly string[];
  readonly role_allowed_offices: readonly string[];
  readonly tags: readonly string[];
  readonly deactivated: boolean;
}
export interface ProjectState {
  readonly external_unique_id: string;
  readonly project_name: Readonly<Record<string, string>>;
  readonly workflow_stage: string;
  readonly owners: readonly string[];
}
export interface CustomerState {
  readonly external_unique_id: string | null;
  readonly customer_name: Readonly<Record<string, string>>;
  readonly customer_url: string | null;
  readonly projects: readonly ProjectState[];
}

export interface Story {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly clock: StoryClock;
  readonly configFile: string;
  /** What commands find there; a story may change it. */
  readonly env: { TALENT_API_KEY: string; IDP_TOKEN: string; NO_COLOR: string };
  /** Replaces pieces of the configuration, from now on. */
  configure(patch: { readonly [key: string]: Yaml }): void;
  /** A new HR delivery; answers the name of its file. */
  deliver(rows: readonly Row[]): string;
  deliverText(text: string): string;
  deliverCompanies(rows: readonly Yaml[]): string;
  deliverDeals(rows: readonly Yaml[]): string;
  plan(flags?: {
    only?: string;
    full?: boolean;
    detailedExitcode?: boolean;
    asOf?: string;
  }): Promise<Ran<PlanDocument>>;
  sync(flags?: { only?: string; full?: boolean; asOf?: string }): Promise<Ran<RunDocument>>;
  apply(plan?: string): Promise<Ran<RunDocument>>;
  approve(flags: {
    guard?: string;
    action?: string;
    who?: string;
    reason?: string;
  }): Promise<Ran<{ approved: number }>>;
  explain(kind: string, who: string): Promise<Ran<Explanation>>;
  status(): Promise<Ran<{ approvals: number; open_intents: number; links: Record<string, number> }>>;
  check(): Promise<Ran<{ ok: boolean; checks: { name: string; ok: boolean; error?: ErrorDocument }[] }>>;
  verify(): Promise<Ran<Verified>>;
  audit(): Promise<readonly AuditEntry[]>;
  refresh(flags?: { full?: boolean }): Promise<Ran<unknown>>;
  /** The writes since the last look, as `PUT /api/v1/users/:user_id`, in the order the service saw them. */
  takeWrites(): string[];
  users(): readonly UserState[];
  /** @throws Error when nobody, or more than one, has that external id or e-mail. */
  user(who: string): UserState;
  customers(): readonly CustomerState[];
  offices(): readonly string[];
  /** A call by other hands, as an administrator. */
  others(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Another hand changes a person. */
  editUser(externalId: string, fields: object): Promise<void>;
}

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const story of opened.splice(0)) await story.close();
});

/** Closed after the test, in the order of opening. */
export function closeAfterTest(resource: { close(): Promise<void> }): void {
  opened.push(resource);
}

function createCapture(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

/** Opens an account, a temporary folder with a configuration in it, and the commands that work on both. */
export async function openStory(
  content: Pick<FixtureInput, 'users' | 'customers' | 'tag_categories'> = {},
): Promise<Story> {
  const clock = createStoryClock();
  const sandbox = await createSandbox({ fixture: { ...ACCOUNT, ...content }, clock });
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-story-'));
  opened.push({
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  const configFile = join(folder, 'talent-sync.yaml');
  const env = { TALENT_API_KEY: KEY, IDP_TOKEN: 'idp-token', NO_COLOR: '1' };
  let config = buildConfig(sandbox.url);
  let deliveries = 0;
  let looked = 0;

  function configure(patch: { readonly [key: string]: Yaml }): void {
    config = merge(config, patch);
    writeFileSync(configFile, stringify(config));
  }

  function drop(source: string, name: string, text: string): string {
    mkdirSync(join(folder, 'drop', source), { recursive: true });
    writeFileSync(join(folder, 'drop', source, name), text);
    return name;
  }

  function nextName(stem: string, ending: string): string {
    deliveries += 1;
    return `${stem}-${String(deliveries).padStart(2, '0')}.${ending}`;
  }

  async function run<T>(command: (console: Console) => Promise<void>): Promise<Ran<T>> {
    const [stdout, stderr] = [createCapture(), createCapture()];
    let code = -1;
    await command({
      stdout: stdout.stream,
      stderr: stderr.stream,
      env,
      clock,
      setExitCode: (given) => {
        code = given;
      },
    });
    const json = JSON.parse(stdout.text()) as T & { readonly error?: ErrorDocument };
    return { code, json, error: json.error, stderr: stderr.text() };
  }

  async function others(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    looked = sandbox.calls().length;
    return text === '' ? null : (JSON.parse(text) as unknown);
  }

  const common = { config: configFile, json: true };
  const state = () => sandbox.state();
  const users = () => state().users as readonly UserState[];
  configure({});
  return {
    sandbox,
    folder,
    clock,
    configFile,
    env,
    configure,
    deliver: (rows) =>
      drop('hr', nextName('employees', 'csv'), `${[HEADER, ...rows.map((row) => line(row))].join('\n')}\n`),
    deliverText: (text) => drop('hr', nextName('employees', 'csv'), text),
    deliverCompanies: (rows) => drop('crm', nextName('companies', 'json'), JSON.stringify(rows)),
    deliverDeals: (rows) => drop('crm', nextName('deals', 'json'), JSON.stringify(rows)),
    plan: (flags) => run((console) => runPlan(console, { ...common, ...flags })),
    sync: (flags) => run((console) => runSync(console, { ...common, ...flags })),
    apply: (plan) => run((console) => runApply(console, plan, common)),
    approve: (flags) => run((console) => runApprove(console, undefined, { ...common, ...flags })),
    explain: (kind, who) => run((console) => runExplain(console, kind, who, common)),
    status: () => run((console) => runStatus(console, common)),
    check: () => run((console) => runCheck(console, common)),
    verify: () => run((console) => runAuditVerify(console, common)),
    audit: async () =>
      (await run<{ readonly entries: readonly AuditEntry[] }>((console) => runAuditList(console, common))).json.entries,
    refresh: (flags) => run((console) => runMirrorRefresh(console, { ...common, ...flags })),
    takeWrites() {
      const calls = sandbox.calls().slice(looked);
      looked = sandbox.calls().length;
      return calls.filter(({ method }) => method !== 'GET').map(({ method, route }) => `${method} ${route}`);
    },
    users,
    user(who) {
      const found = users().filter((user) => user.external_unique_id === who || user.email === who);
      const [only] = found;
      if (only === undefined || found.length > 1) throw new Error(`${found.length} users are ${who}`);
      return only;
    },
    customers: () => state().customers as readonly CustomerState[],
    offices: () => (state().offices as readonly { readonly office: string }[]).map(({ office }) => office),
    others,
    async editUser(externalId, fields) {
      const found = await others('GET', `/api/v1/users/find?external_unique_id=${externalId}`);
      await others('PUT', `/api/v1/users/${(found as { readonly id: string }).id}?use_legacy_codes=false`, {
        user: fields,
      });
    },
  };
}

export const CREATE_USER = 'POST /api/v1/users';
export const UPDATE_USER = 'PUT /api/v1/users/:user_id';

/** `E7 SYNC_ROW_FIELDS`, sorted: who is held, and why. */
export function summarise(held: readonly Pick<Hold, 'key' | 'code'>[]): readonly string[] {
  return held.map(({ key, code }) => `${key} ${code}`).sort();
}
