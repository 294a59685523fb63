import type { SourceWriter } from '../../src/connectors/source-writer.js';
import type { Json } from '../../src/model/json.js';
import type { SourceWrite, WriteOutcome } from '../../src/model/write-back.js';
import { NOW } from './fixtures.js';

export function write(record: string, cells: Readonly<Record<string, Json>>): SourceWrite {
  return { record, cells, row: {} };
}

/** Returns the outcome of each record and the error that stopped writing. Two outcomes for one record are a defect. */
export async function writeAll(writer: SourceWriter, writes: Iterable<SourceWrite>, signal?: AbortSignal) {
  const outcomes = new Map<string, WriteOutcome>();
  let error: unknown = null;
  const take = (outcome: WriteOutcome): void => {
    if (outcomes.has(outcome.record)) throw new Error(`${outcome.record} has two outcomes`);
    outcomes.set(outcome.record, outcome);
  };
  try {
    await writer.write(writes, { run: 'r1', atMs: NOW }, take, signal);
  } catch (thrown) {
    error = thrown;
  }
  const statuses = Object.fromEntries([...outcomes].map(([record, { status }]) => [record, status]));
  return { outcomes, statuses, error, say: (record: string) => outcomes.get(record)?.message ?? '' };
}
