import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stringify } from 'yaml';
import type { Clock } from '../../src/base/clock.js';
import type { CommandWork, Console } from '../../src/cli/context.js';
import { buildProgram } from '../../src/cli/program.js';
import type { ReportTarget } from '../../src/cli/report-target.js';
import { runApply, runSync } from '../../src/cli/run-apply.js';
import { runApprove } from '../../src/cli/run-approve.js';
import { runAuditList, runAuditVerify } from '../../src/cli/run-audit.js';
import { runCheck } from '../../src/cli/run-check.js';
import { runCommand } from '../../src/cli/run-command.js';
import { runExplain } from '../../src/cli/run-explain.js';
import { runExportImport } from '../../src/cli/run-export-import.js';
import { type ExportReportFlags, runExportReport } from '../../src/cli/run-export-report.js';
import { type InitFlags, runInit } from '../../src/cli/run-init.js';
import { runMirrorRefresh } from '../../src/cli/run-mirror.js';
import { runPlan } from '../../src/cli/run-plan.js';
import { runRuns } from '../../src/cli/run-runs.js';
import { runStateBackup, runStateRestore } from '../../src/cli/run-state.js';
import { runStatus } from '../../src/cli/run-status.js';
import { runUndo } from '../../src/cli/run-undo.js';
import type { Hold } from '../../src/model/desired.js';
import type { Understood } from '../../src/model/understood.js';
import type { Explanation } from '../../src/report/explain/explain.js';
import type { ExportSummary } from '../../src/report/export-users.js';
import type { PastRun } from '../../src/report/texts/run-lines.js';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import type { AuditEntry } from '../../src/store/audit/audit-entry.js';
import type { AuditEvent } from '../../src/store/audit/events.js';
import { closeAfterTest } from '../closing.js';
import { ACCOUNT, buildConfig, HEADER, KEY, line, merge, type Row, type Yaml } from './company.js';
import type {
  BackupDocument,
  CustomerState,
  ErrorDocument,
  PlanDocument,
  Ran,
  RunDocument,
  UndoDocument,
  UserState,
  Verified,
} from './documents.js';
import { readVariant } from './variants.js';

/** Uses real time, but never waits: a pause just moves the clock on. */
export interface StoryClock extends Clock {
  advance(ms: number): void;
  /** From now on only pauses and `advance` move the clock. */
  stop(): void;
}

export function createStoryClock(): StoryClock {
  let offsetMs = 0;
  let runs = Date.now;
  return {
    now: () => runs() + offsetMs,
    stop() {
      const at = Date.now();
      runs = () => at;
    },
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

export interface Story {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly clock: StoryClock;
  readonly configFile: string;
  /** The environment of the commands; a story may change it. */
  readonly env: { TALENT_API_KEY: string; IDP_TOKEN: string; CRM_TOKEN: string; NO_COLOR: string };
  /** Replaces parts of the configuration from now on. */
  configure(patch: { readonly [key: string]: Yaml }): void;
  /** Delivers a new HR file. @returns its name */
  deliver(rows: readonly Row[]): string;
  deliverText(text: string | Buffer): string;
  deliverCompanies(rows: readonly Yaml[]): string;
  deliverDeals(rows: readonly Yaml[]): string;
  plan(flags?: {
    only?: string;
    full?: boolean;
    detailedExitcode?: boolean;
    asOf?: string;
    report?: readonly ReportTarget[];
  }): Promise<Ran<PlanDocument>>;
  sync(flags?: {
    only?: string;
    full?: boolean;
    asOf?: string;
    wait?: boolean;
    completeOn?: readonly number[];
    report?: readonly ReportTarget[];
    ignoreQuietHours?: boolean;
  }): Promise<Ran<RunDocument>>;
  apply(plan?: string): Promise<Ran<RunDocument>>;
  approve(flags: {
    guard?: string;
    action?: string;
    who?: string;
    reason?: string;
    expires?: number;
    list?: boolean;
    revoke?: string;
  }): Promise<
    Ran<{
      approval: string;
      approved: number;
      expires: string;
      approvals: readonly { id: string; changes: number; guards: readonly string[]; reason: string; expires: string }[];
      changes: number;
    }>
  >;
  undo(run?: string, flags?: { only?: string; reason?: string; unpin?: string }): Promise<Ran<UndoDocument>>;
  planUndo(run: string, flags?: { only?: string }): Promise<Ran<PlanDocument>>;
  explain(kind: string, who: string): Promise<Ran<Explanation>>;
  /** Writes the import file of the desired people to that path. */
  exportImport(flags: {
    out: string;
    separator?: ',' | ';';
    language?: string;
    full?: boolean;
  }): Promise<Ran<ExportSummary & { readonly file: string }>>;
  status(): Promise<
    Ran<{
      approvals: number;
      open_intents: number;
      signals?: { count: number };
      links: Record<string, number>;
      waiting: { kind: string; of: string }[];
    }>
  >;
  check(): Promise<
    Ran<{
      ok: boolean;
      checks: { name: string; ok: boolean; error?: ErrorDocument }[];
      understood?: Understood;
    }>
  >;
  /** Writes a new configuration from samples. */
  init(
    flags?: Partial<Omit<InitFlags, 'service' | 'out' | 'json'>>,
  ): Promise<Ran<{ readonly sources: readonly { readonly source: string }[] }>>;
  verify(): Promise<Ran<Verified>>;
  /** The outcomes of changes, oldest first. */
  audit(): Promise<readonly AuditEntry[]>;
  /** Runs any command as typed, with this story's configuration unless it asks a remote daemon. */
  type(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  refresh(flags?: { full?: boolean }): Promise<Ran<unknown>>;
  runs(flags?: { id?: string; last?: number }): Promise<Ran<PastRun & { readonly runs: readonly PastRun[] }>>;
  exportReport(
    kind: string | undefined,
    id: string | undefined,
    flags: Pick<ExportReportFlags, 'format' | 'out' | 'bom'>,
  ): Promise<Ran<{ readonly file: string }>>;
  backup(file?: string): Promise<Ran<BackupDocument>>;
  restore(file: string): Promise<Ran<BackupDocument & { readonly kept: string | null }>>;
  /**
   * The writes since the last look, as `PUT /api/v1/users/:user_id`, in the order in which the service received them.
   */
  takeWrites(): string[];
  /** The reads since the last look, in the same form. Neither list has calls by others. */
  takeReads(): string[];
  users(): readonly UserState[];
  /** @throws Error unless exactly one user has that external id or e-mail */
  user(who: string): UserState;
  customers(): readonly CustomerState[];
  offices(): readonly string[];
  /** A call by another user, as an administrator. */
  others(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Edits a person in the service as another user. */
  editUser(externalId: string, fields: object): Promise<void>;
}

/** A stream that keeps everything written to it. */
export function createCapture(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

/** Opens an account, a temporary folder with a configuration, and commands that use both. */
export async function openStory(
  content: Pick<
    FixtureInput,
    'users' | 'customers' | 'tag_categories' | 'account' | 'industries' | 'custom_fields' | 'countries'
  > = {},
): Promise<Story> {
  const clock = createStoryClock();
  const variant = readVariant(process.env.TALENT_VARIANT ?? '');
  // Lists without scopes are the harder reading: the worker reads each manager alone.
  const account = { ...ACCOUNT.account, user_lists: 'plain' as const, ...variant, ...content.account };
  const sandbox = await createSandbox({ fixture: { ...ACCOUNT, ...content, account }, clock });
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-story-'));
  closeAfterTest({
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  const configFile = join(folder, 'talent-sync.yaml');
  const env = { TALENT_API_KEY: KEY, IDP_TOKEN: 'idp-token', CRM_TOKEN: 'crm-token', NO_COLOR: '1' };
  let config = buildConfig(sandbox.url);
  let deliveries = 0;
  // How many calls were looked at, of writes and of reads.
  const looked = { writes: 0, reads: 0 };

  function take(kind: keyof typeof looked): string[] {
    const calls = sandbox.calls().slice(looked[kind]);
    looked[kind] = sandbox.calls().length;
    // The searches of /api/v4 are POSTs that change nothing.
    return calls
      .filter(({ method, route }) => (method === 'GET' || route.startsWith('/api/v4/')) === (kind === 'reads'))
      .map(({ method, route }) => `${method} ${route}`);
  }

  function configure(patch: { readonly [key: string]: Yaml }): void {
    config = merge(config, patch);
    writeFileSync(configFile, stringify(config));
  }

  function drop(source: string, name: string, text: string | Buffer): string {
    mkdirSync(join(folder, 'drop', source), { recursive: true });
    writeFileSync(join(folder, 'drop', source, name), text);
    return name;
  }

  function nextName(stem: string, ending: string): string {
    deliveries += 1;
    return `${stem}-${String(deliveries).padStart(2, '0')}.${ending}`;
  }

  async function run<T>(command: (console: Console) => Promise<void>): Promise<Ran<T>> {
    const { code, stdout, stderr } = await capture(command);
    const json = JSON.parse(stdout) as T & { readonly error?: ErrorDocument };
    return { code, json, error: json.error, stderr };
  }

  async function capture(
    command: (console: Console) => Promise<void>,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
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
      exit: () => undefined,
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  }

  async function others(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    for (const kind of ['writes', 'reads'] as const) looked[kind] = sandbox.calls().length;
    return text === '' ? null : (JSON.parse(text) as unknown);
  }

  const common = { config: configFile, json: true };
  const command = <T>(work: CommandWork<never>, flags: object = {}): Promise<Ran<T>> =>
    run((console) => runCommand(console, { ...common, ...flags } as never, work));
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
    plan: (flags) => command(runPlan, flags),
    sync: (flags) => command(runSync, flags),
    apply: (plan) => command(runApply, plan === undefined ? {} : { plan }),
    approve: (flags) =>
      command(runApprove, { ...(flags.revoke === undefined ? { reason: 'as agreed' } : {}), ...flags }),
    undo: (id, flags) => command(runUndo, { ...(id === undefined ? {} : { run: id }), ...flags }),
    planUndo: (id, flags) => command(runUndo, { run: id, ...flags, plan: true }),
    explain: (kind, who) => command(runExplain, { kind, who }),
    exportImport: (flags) => command(runExportImport, flags),
    status: () => command(runStatus),
    check: () => run((console) => runCheck(console, common)),
    init: ({ sample = [], force = true, ...answers } = {}) =>
      run((console) =>
        runInit(console, { ...answers, sample, force, service: sandbox.url, out: configFile, json: true }),
      ),
    verify: () => command(runAuditVerify),
    audit: async () => {
      const { json } = await command<{ readonly entries: readonly (AuditEntry | AuditEvent)[] }>(runAuditList);
      return json.entries.filter((line) => line.kind === 'change');
    },
    type(...words) {
      const place = ['--daemon', '--config'].some((word) => words.includes(word)) ? [] : ['--config', configFile];
      return capture(
        async (console) => void (await buildProgram(console).parseAsync([...words, ...place], { from: 'user' })),
      );
    },
    runs: ({ id, last = 20 } = {}) => command(runRuns, { ...(id === undefined ? {} : { run: id }), last }),
    exportReport: (kind, id, flags) =>
      command(runExportReport, { kind, ...(id === undefined ? {} : { id }), ...flags }),
    backup: (file) => command(runStateBackup, file === undefined ? {} : { file }),
    restore: (file) => command(runStateRestore, { file }),
    refresh: (flags) => command(runMirrorRefresh, flags),
    takeWrites: () => take('writes'),
    takeReads: () => take('reads'),
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

/** `E7 SYNC_ROW_FIELDS`, sorted: the key of each hold, and why. */
export function summarise(held: readonly Pick<Hold, 'key' | 'code'>[]): readonly string[] {
  return held.map(({ key, code }) => `${key} ${code}`).sort();
}
