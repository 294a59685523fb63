import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readToday } from '../app/wire.js';
import { systemClock } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { findSourceOf, listFileSources } from '../config/sample/check-sample.js';
import { guessReading, takeRows } from '../config/sample/read-rows.js';
import type { TryContext } from '../mapping/try-expression.js';
import { adviseAmong } from '../model/nearest.js';
import { plural } from '../model/plural.js';
import type { RecordBatch, SourceRecord } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import type { Console } from './context.js';
import { listenForStop } from './stop-signal.js';
import { withApp } from './with-app.js';

export interface RowFlags {
  readonly config: string;
  readonly sample?: string;
  readonly source?: string;
  readonly row?: number;
  readonly key?: string;
}

export interface RowsToTry {
  readonly context: TryContext;
  readonly records: readonly SourceRecord[];
  /** The file, or the source's description of what it read. */
  readonly at: string;
}

/** Number of rows shown by default. */
const ROWS_SHOWN = 5;

/**
 * The rows of a file, or the current rows of a source. If nothing new has arrived, a source returns the rows of its last
 * read.
 */
export async function findRows(console: Console, flags: RowFlags): Promise<RowsToTry> {
  const config =
    flags.sample !== undefined && !existsSync(flags.config)
      ? null
      : loadConfig(flags.config, console.env, undefined, 'when used');
  return flags.sample === undefined && config !== null
    ? readSource(console, config, flags)
    : readFile(console, config, flags.sample ?? '', flags);
}

async function readFile(console: Console, config: Config | null, path: string, flags: RowFlags): Promise<RowsToTry> {
  const sources = config === null ? [] : listFileSources(config);
  const source = flags.source === undefined ? findSourceOf(sources, resolve(path)) : choose(sources, flags.source);
  const reading = source?.config ?? (await guessReading(path));
  const name = source?.name ?? 'sample';
  const picked = createPicker(flags);
  const timezone = config?.timezone ?? 'UTC';
  await takeRows(path, reading, { source: name, timezone }, picked.take);
  return { context: contextOf(console, config, name, reading.columns), records: picked.finish(path), at: path };
}

async function readSource(console: Console, config: Config, flags: RowFlags): Promise<RowsToTry> {
  const streams = listStreams(config.sources);
  const stream = choose(streams, flags.source ?? config.users?.existence ?? streams[0]?.name ?? '');
  const { signal, release } = listenForStop(console);
  const context = { config, console, clock: console.clock ?? systemClock, signal };
  const picked = createPicker(flags);
  try {
    const at = await withApp('try', context, {}, async ({ connectors }) => {
      const evidence = await connectors.get(stream.name)?.read(picked.take, signal);
      return evidence?.at ?? stream.name;
    });
    return { context: contextOf(console, config, stream.name, stream.columns), records: picked.finish(at), at };
  } finally {
    release();
  }
}

function contextOf(
  { clock = systemClock }: Console,
  config: Config | null,
  source: string,
  columns: TryContext['columns'],
): TryContext {
  const { timezone, maps } = config ?? { timezone: 'UTC', maps: {} };
  const today = readToday(null, timezone, clock);
  return { source, columns, today, settings: { timezone, maps } };
}

function choose<Named extends { readonly name: string }>(sources: readonly Named[], wanted: string): Named {
  const found = sources.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const names = sources.map(({ name }) => name);
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `There is no source ${JSON.stringify(wanted)} that can be read.`,
    place: '--source',
    remedy: adviseAmong(wanted, names, 'Accepted'),
  });
}

function createPicker({ row, key }: RowFlags) {
  const records: SourceRecord[] = [];
  let count = 0;
  const isWanted = (of: string, number: number, shown: number): boolean => {
    if (key !== undefined) return of === key;
    return row === undefined ? shown < ROWS_SHOWN : number === row;
  };
  let rejected: string | null = null;
  return {
    take: (batch: RecordBatch): void => {
      for (const record of batch.records) {
        count++;
        if (isWanted(record.key, count, records.length)) records.push(record);
      }
      rejected ??= batch.rejected[0]?.reason ?? null;
    },
    finish: (at: string): readonly SourceRecord[] => {
      if (records.length > 0) return records;
      const wanted = key === undefined ? `row ${row ?? 1}` : `key ${JSON.stringify(key)}`;
      throw new SyncError('SYNC_CLI_USAGE', {
        message: `There is no ${wanted} among the ${plural(count, 'row')} that can be used${rejected === null ? '' : `; another row cannot be used: ${rejected}`}.`,
        place: at,
        remedy: 'Rows are counted from 1, and a key is written as the file has it.',
      });
    },
  };
}
