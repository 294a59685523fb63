import type { Config } from '../config/config.js';
import type { Backing, Stretch } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import type { Json } from '../model/json.js';
import type { SourceRecord } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import { jsonOf } from './values.js';

/** The columns of one stream that are needed for writing back, including those that only complete its written rows. */
export interface BackedStream {
  readonly stream: string;
  readonly columns: readonly string[];
}

/** Lists the columns to keep for writing back, for the records of one stream and for the rows that enrich them. */
export function listBacked(
  config: Config,
  entity: Entity,
  origin: string,
  enriching: readonly string[],
): readonly BackedStream[] {
  const mapping = config.mappings[entity];
  const visible = [origin, ...enriching];
  const streams = new Set((mapping?.writeBack ?? []).map(({ source }) => source));
  return visible.flatMap((stream) => {
    if (!streams.has(stream)) return [];
    const written = (mapping?.writeBack ?? []).filter(({ source }) => source === stream).map(({ column }) => column);
    return [{ stream, columns: [...new Set([...written, ...alongIn(config, stream)])] }];
  });
}

/** Lists the other columns of a row, if complete rows are written back to the source. */
function alongIn({ sources }: Config, name: string): readonly string[] {
  const back = listStreams(sources).find((stream) => stream.name === name)?.config.writeBack;
  return back != null && 'columns' in back ? (back.columns ?? []) : [];
}

export function readBacking(
  backed: readonly BackedStream[],
  rows: Readonly<Record<string, SourceRecord | null | 'unknown'>>,
  modified: Stretch | null,
): Backing {
  const records: Record<string, { record: string; cells: Readonly<Record<string, Json>> }> = {};
  for (const { stream, columns } of backed) {
    const row = rows[stream] ?? null;
    if (row === null || row === 'unknown') continue;
    const cells: Record<string, Json> = {};
    for (const column of columns) {
      const cell = row.cells[column];
      if (cell !== undefined) cells[column] = jsonOf(cell);
    }
    records[stream] = { record: row.key, cells };
  }
  return { records, modified };
}

const HOUR_MS = 3_600_000;

/**
 * The time span of a moment. A date without a time covers its entire day, which is an hour longer or shorter when the
 * clocks change.
 */
export function stretchOf(moment: Date, timezone: string): Stretch {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' }).format(moment);
  const isDay = time === '00:00:00' && moment.getUTCMilliseconds() === 0;
  const startMs = moment.getTime();
  return { from: moment.toISOString(), to: new Date(isDay ? endOfDay(startMs, timezone) : startMs).toISOString() };
}

function endOfDay(startMs: number, timezone: string): number {
  const days = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'short' });
  const hours = [25, 24].find((some) => days.format(startMs + some * HOUR_MS - 1) === days.format(startMs)) ?? 23;
  return startMs + hours * HOUR_MS - 1;
}
