import { dirname, resolve } from 'node:path';
import { SyncError } from '../base/errors.js';
import { loadConfig } from '../config/load.js';
import { declareInterface } from '../config/sample/declare-interface.js';
import { MEANING_NAMES } from '../config/sample/meanings.js';
import { gatherSample, type Sample, type SampledInterface } from '../config/sample/read-sample.js';
import type { TableFacts } from '../config/sample/read-table.js';
import type { Meanings } from '../config/sample/recognise.js';
import type { Json } from '../model/json.js';
import type { Cell, SourceRecord } from '../model/source.js';
import type { Console } from './context.js';
import { nameInFlags } from './init-answers.js';
import { listenForStop } from './stop-signal.js';
import { withScratchApp } from './with-app.js';

/** Flags of `init` for reading people from an API. */
export interface SourceFlags {
  /** Name of a preset. */
  readonly source?: string;
  /** `client_id=env:NAME`, `key=file:/run/secrets/key` */
  readonly secret?: readonly string[];
  readonly baseUrl?: string;
  readonly out: string;
}

/**
 * Reads people from an API once, as a sample. Null if the flags name no API.
 *
 * @throws SyncError SYNC_CLI_USAGE for flags that do not fit the preset, and any error from reading a source
 */
export async function sampleInterface(console: Console, flags: SourceFlags, named: Meanings): Promise<Sample | null> {
  const { source, secret = [], baseUrl } = flags;
  const file = resolve(flags.out);
  const declared = declareInterface({ preset: source, secrets: secret, baseUrl, folder: dirname(file) });
  if (declared === null) return null;
  const { preset, lines } = declared;
  const config = loadDeclared(console, file, lines);
  const known: SampledInterface = { ...declared, ...shapeOf(config.sources.hr) };
  const { signal, release } = listenForStop(console);
  try {
    return await withScratchApp('init', { config, console, signal }, ({ connectors }) =>
      gatherSample({ at: preset, named, known }, async (take) => {
        take.header(Object.keys(known.columns));
        let rows = 0;
        let because = '';
        await connectors.get('hr')?.read((batch) => {
          for (const record of batch.records) take.row(toRow(record), ++rows);
          because ||= batch.rejected[0]?.reason ?? '';
        }, signal);
        if (rows === 0) throw nobody(preset, because);
        return FACTS;
      }),
    );
  } finally {
    release();
  }
}

/**
 * Maps each meaning to its column, for columns with values. In presets, a meaning and its column have the same name. The
 * key is omitted, because the account may use other numbers.
 */
export function meaningsOf({ columns }: Sample): Meanings {
  const filled = new Set(columns.flatMap((one) => (one.filled > 0 ? [one.name] : [])));
  const meanings = MEANING_NAMES.filter((meaning) => meaning !== 'id' && filled.has(nameInFlags(meaning)));
  return Object.fromEntries(meanings.map((meaning) => [meaning, nameInFlags(meaning)]));
}

/** A placeholder, because there is no file. */
const FACTS: TableFacts = {
  format: 'json',
  encoding: null,
  separator: null,
  pointer: '',
  hasLabels: false,
  headerLine: null,
  footer: 0,
  unreadable: [],
};

/**
 * Stands in for the service key, because no call is made to the service. The text is treated as a secret, so no message
 * contains it.
 */
const NO_KEY = 'no key is needed to read a source';

/** Loads a configuration that reads the source. Only the source must be complete. */
function loadDeclared({ env }: Console, file: string, lines: readonly string[]) {
  const text = [
    'service: { base_url: "https://acme.example.com", api_key: { env: TALENT_API_KEY } }',
    'state: ./var',
    'policy: upsert-only',
    'sources:',
    '  hr:',
    ...lines.map((line) => `    ${line}`),
    'users: { existence: hr, match: [external_unique_id], fields: { external_unique_id: record.id } }',
  ].join('\n');
  try {
    return loadConfig(file, { ...env, TALENT_API_KEY: env.TALENT_API_KEY || NO_KEY }, text);
  } catch (error) {
    if (!(error instanceof SyncError) || error.problems.length === 0) throw error;
    const [{ message, remedy = error.remedy }] = error.problems as [SyncError['problems'][number]];
    throw new SyncError('SYNC_CLI_USAGE', { message, place: '--source', remedy });
  }
}

/** Rows are flat, so the path of each column is its name. */
function shapeOf(source: ReturnType<typeof loadConfig>['sources'][string] | undefined) {
  if (source?.type !== 'hris') throw new Error('no source of people');
  const flat = Object.entries(source.columns).map(([name, { from: _, ...column }]) => [name, column] as const);
  return { key: source.key, columns: Object.fromEntries(flat) };
}

/** The row as a file would contain it. */
function toRow({ cells }: SourceRecord): ReadonlyMap<string, Json> {
  return new Map(Object.entries(cells).map(([name, cell]) => [name, toJson(cell)]));
}

function toJson(cell: Cell): Json {
  if (cell instanceof Date) return cell.toISOString().replace('T00:00:00.000Z', '');
  return typeof cell === 'bigint' ? String(cell) : (cell as Json);
}

function nobody(preset: string, because: string): SyncError {
  return new SyncError('SYNC_SOURCE_DENIED', {
    message: `${preset} returned no person that could be read${because === '' ? '' : `: ${because}`}.`,
    place: preset,
    remedy: 'Compare the permissions of the key with the list for each vendor in docs/guides/hr-systems.md.',
  });
}
