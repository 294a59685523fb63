import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../module-graph.js';
import { findTool } from '../tools.js';
import type { Manifest } from './manifest.js';

export const CHART = join(ROOT, 'helm', 'talent-sync');
/** The names of the files in `ci/`; each may stand for its values. */
export const VALUE_SETS = readdirSync(join(CHART, 'ci'));

const folder = mkdtempSync(join(tmpdir(), 'talent-sync-helm-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

export interface RenderOptions {
  readonly release?: string;
  readonly kubeVersion?: string;
  /** Further arguments, such as `--set-file`. */
  readonly args?: readonly string[];
}

interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Enough for a thousand tenants. */
const MOST_PRINTED = 64 * 1024 ** 2;

export function runHelm(args: readonly string[]): Outcome {
  const env = { ...process.env, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  const { status, stdout, stderr, error } = spawnSync(findTool('helm'), args, {
    encoding: 'utf8',
    env,
    maxBuffer: MOST_PRINTED,
  });
  if (error !== undefined) throw error;
  return { ok: status === 0, stdout, stderr };
}

let written = 0;

/** Returns the path of a file of values: one of `ci/`, YAML text, or data that becomes YAML. */
function writeValues(values: unknown): string {
  if (typeof values === 'string' && VALUE_SETS.includes(values)) return join(CHART, 'ci', values);
  written += 1;
  const file = join(folder, `values-${written}.yaml`);
  writeFileSync(file, typeof values === 'string' ? values : JSON.stringify(values));
  return file;
}

const outcomes = new Map<string, Outcome>();

/** Many tests need the same values. Helm renders them once per process, unless arguments name files of a test. */
function runTemplate(chart: string, values: unknown, options: RenderOptions): Outcome {
  const { release = 'prod', kubeVersion = '1.29', args = [] } = options;
  const key = JSON.stringify([chart, values, release, kubeVersion]);
  const known = args.length === 0 ? outcomes.get(key) : undefined;
  if (known !== undefined) return known;
  const base = ['template', release, chart, '--namespace', 'hr', '--kube-version', kubeVersion];
  const outcome = runHelm([...base, '--values', writeValues(values), ...args]);
  if (args.length === 0) outcomes.set(key, outcome);
  return outcome;
}

/** Makes the value on first use. This happens inside a test, which is reported as skipped if helm is missing. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function renderChart(values: unknown, options: RenderOptions = {}): readonly Manifest[] {
  return parseManifests(runTemplate(CHART, values, options));
}

function parseManifests({ ok, stdout, stderr }: Outcome): readonly Manifest[] {
  if (!ok) throw new Error(`helm rejected it: ${stderr}`);
  // kubectl reads YAML 1.1.
  const documents = parseAllDocuments(stdout, { version: '1.1' });
  return documents.flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

/** Returns helm's error for invalid values. */
export function refuseChart(values: unknown, options: RenderOptions = {}): string {
  const { ok, stdout, stderr } = runTemplate(CHART, values, options);
  if (ok) throw new Error(`helm took it:\n${stdout.slice(0, 2000)}`);
  return stderr;
}

export function lintChart(values: unknown): Outcome {
  return runHelm(['lint', '--strict', CHART, '--values', writeValues(values)]);
}

/** A copy of the chart that renders its notes as part of an object. */
const chartWithNotes = lazily(() => {
  const copy = mkdtempSync(join(folder, 'notes-'));
  cpSync(CHART, copy, { recursive: true });
  const notes = '{{ include (print .Template.BasePath "/NOTES.txt") . | quote }}';
  writeFileSync(join(copy, 'templates', 'notes.yaml'), `kind: Notes\nmetadata: { name: notes }\ntext: ${notes}\n`);
  return copy;
});

/** `helm template` prints no notes, and `helm install` needs a cluster. */
export function readNotes(values: unknown): string {
  const all = parseManifests(runTemplate(chartWithNotes(), values, {}));
  return String(all.find(({ kind }) => kind === 'Notes')?.text);
}

export interface TenantValues {
  readonly name?: unknown;
  readonly [key: string]: unknown;
}

/**
 * Installable values with one tenant that a test can change. A null key is removed. The pods of `helm test` are left
 * out.
 */
export function valuesOf(tenant: TenantValues = {}, release: Readonly<Record<string, unknown>> = {}): unknown {
  const whole = { name: 'acme', existingConfigMap: { name: 'acme-config' }, ...tenant };
  const kept = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
  return { image: { repository: 'talent-sync' }, helmTest: { enabled: false }, tenants: [kept], ...release };
}

/** The smallest configuration of a tenant, as text. */
export function configText(schedule = 'schedule: { every: "*/15 * * * *" }', state = '/var/lib/talent-sync'): string {
  return `service: { base_url: "https://acme.example.com", api_key: { env: TALENT_API_KEY } }
state: ${state}
policy: sync
${schedule}
sources:
  idp: { type: scim, base_url: "https://idp.example.com/scim/v2" }
users:
  existence: idp
  match: [email]
  fields: { email: record.email, name: record.?displayName, title: { no: record.?title } }
`;
}
