import { basename, dirname } from 'node:path';
import { SyncError } from '../../base/errors.js';
import { BadCell, type CellReader, compileCell } from '../../connectors/cells/cells.js';
import { matchesPattern } from '../../connectors/drop/file-names.js';
import type { FileStreamConfig } from '../../connectors/drop/resolve-file-stream.js';
import { listFileStreams } from '../../connectors/kinds.js';
import { compilePointer, splitPointer } from '../../connectors/rows/pointer.js';
import { judgeCompleteness, RowSink } from '../../connectors/rows/row-sink.js';
import type { Column } from '../../model/column.js';
import { cleanCell } from '../../model/hidden-signs.js';
import type { Json } from '../../model/json.js';
import { nearestName } from '../../model/nearest.js';
import { isNothingIn, isSurelyNothing } from '../../model/nothing.js';
import type { RejectedRow } from '../../model/source.js';
import { listStreams } from '../../model/stream.js';
import type { Config } from '../config.js';
import type { RecordJudge } from './judge-records.js';
import { readRows } from './read-rows.js';
import { chooseKnownBy, readSample, type Sample } from './read-sample.js';
import { readTable } from './read-table.js';
import { openSample } from './sample-file.js';
import { writeColumn } from './yaml-text.js';

/** A source that reads files, or a stream of one. */
export interface FileSource {
  readonly name: string;
  readonly config: FileStreamConfig;
}

export interface ColumnCheck {
  readonly name: string;
  /** The declaration as YAML. */
  readonly declared: string;
  readonly filled: number;
  /** Number of cells that do not fit the declaration, and the first of their lines. */
  readonly misfits: number;
  readonly lines: readonly number[];
  /** A declaration that all cells fit, if the current one does not fit them. */
  readonly fitting: string | null;
  /** Undeclared words for nothing, and the number of cells that contain one. */
  readonly nothing?: { readonly words: readonly string[]; readonly cells: number };
}

export interface SampleCheck {
  readonly source: string;
  readonly at: string;
  readonly rows: number;
  readonly held: number;
  /** The first rows that would be held. */
  readonly examples: readonly RejectedRow[];
  readonly columns: readonly ColumnCheck[];
  /** Columns that are declared but missing in the file. */
  readonly missing: readonly { readonly name: string; readonly nearest: string | null }[];
  /** Columns of the file that are not declared. */
  readonly unused: readonly string[];
  /** Why absences in the file would not count; null if they would count. */
  readonly incomplete: string | null;
  /** Why the source could not read the file; null if it could. */
  readonly error: SyncError | null;
}

const LINES_SHOWN = 5;
const ROWS_SHOWN = 10;

export function listFileSources({ sources }: Config): readonly FileSource[] {
  return listFileStreams(listStreams(sources)).map(({ name, config }) => ({ name, config }));
}

/** Finds the source whose pattern matches the name of the file. If several match, it is the one with the file in its folder. */
export function findSourceOf(sources: readonly FileSource[], at: string): FileSource | null {
  const matching = sources.filter(({ config }) => matchesPattern(basename(at), config.pattern));
  const own = matching.filter(({ config }) => config.drop === dirname(at));
  const [first, ...others] = own.length > 0 ? own : matching;
  return others.length === 0 ? (first ?? null) : null;
}

/**
 * Reads the file as the source would, and every column by itself. Changes and stores nothing.
 *
 * @param judge finds the records that a plan would hold; null to count only the rows that cannot become a record
 */
export async function checkSample(
  path: string,
  source: FileSource,
  timezone: string,
  judge: RecordJudge | null = null,
): Promise<SampleCheck> {
  const sample = await readSample(path, { separator: source.config.separator });
  const whole = sample.columns.filter(({ column }) => column?.from === undefined);
  const names = [...whole, ...sample.leftOut].map(({ name }) => name);
  const { columns, rules } = source.config;
  const read = Object.entries(columns).map(([name, column]) => nameRead(name, column));
  const declared = [...read, ...Object.values(rules.aliases).flat()];
  const unused = names.filter((name) => !declared.includes(name));
  const { isJson, missing } = findMissing(sample, source, names, unused);
  return {
    source: source.name,
    at: sample.at,
    ...(await readAsSource(path, source, timezone, judge)),
    columns: await checkColumns(path, sample, source, timezone),
    missing: missing.filter(({ name }) => !isJson || source.config.columns[name]?.optional !== true),
    unused,
  };
}

/** Returns the name under which a row holds the value of a column. */
function nameRead(name: string, { from }: Column): string {
  return from === undefined ? name : (splitPointer(from)[0] ?? name);
}

function findMissing(sample: Sample, source: FileSource, names: readonly string[], unused: readonly string[]) {
  return {
    // A JSON row does not list the names that it lacks.
    isJson: sample.facts.format !== 'csv',
    missing: Object.entries(source.config.columns)
      .filter(([, { from }]) => from !== '')
      .filter(
        ([name, column]) =>
          ![nameRead(name, column), ...(source.config.rules.aliases[name] ?? [])].some((one) => names.includes(one)),
      )
      .map(([name]) => ({ name, nearest: nearestName(name, unused) })),
  };
}

async function readAsSource(path: string, { name, config }: FileSource, timezone: string, judge: RecordJudge | null) {
  const examples: RejectedRow[] = [];
  let held = 0;
  const hold = (rejected: readonly RejectedRow[]): void => {
    held += rejected.length;
    examples.push(...rejected.slice(0, ROWS_SHOWN - examples.length));
  };
  const sink = new RowSink(({ records, rejected }) => {
    examples.push(...rejected.slice(0, ROWS_SHOWN - examples.length));
    judge?.take(records);
  });
  let incomplete: string | null = null;
  let error: SyncError | null = null;
  try {
    const because = await readRows(path, config, { source: name, timezone }, sink);
    incomplete = judgeCompleteness(sink.counts, because, config.mayBeEmpty);
  } catch (thrown) {
    if (!(thrown instanceof SyncError)) throw thrown;
    error = thrown;
  }
  sink.flush();
  hold(judge?.finish() ?? []);
  return { rows: sink.counts.rows, held: sink.counts.rejected + held, examples, incomplete, error };
}

async function checkColumns(
  path: string,
  sample: Sample,
  { config }: FileSource,
  timezone: string,
): Promise<readonly ColumnCheck[]> {
  const isKnownBy = chooseKnownBy(sample, config.key);
  const guesses = new Map(sample.columns.map((guess) => [guess.name, guess]));
  const columns = Object.entries(config.columns)
    .filter(([name, column]) => {
      const top = nameRead(name, column);
      return guesses.has(top) || sample.leftOut.some((one) => one.name === top);
    })
    .map(([name, column]) => ({
      name,
      column,
      locate: column.from === undefined ? null : compilePointer(column.from),
      reader: compileCell(column, timezone),
      isKnownBy: isKnownBy(name),
      misfits: [] as number[],
      filled: 0,
      nothing: { words: new Set<string>(), cells: 0 },
    }));
  await readTable(await openSample(path), config.separator, {
    header: () => undefined,
    row: (row, line) => {
      for (const one of columns) {
        const { name, locate } = one;
        takeCell(one, locate === null ? row.get(name) : locate(Object.fromEntries(row)), line);
      }
    },
  });
  return columns.map(({ name, column, locate, misfits, filled, nothing }) => {
    // A guess describes the entire object, not a value inside it.
    const guess = locate === null ? guesses.get(name) : undefined;
    return {
      name,
      declared: writeColumn(column),
      filled: guess?.filled ?? (locate === null ? 0 : filled),
      misfits: misfits.length,
      lines: misfits.slice(0, LINES_SHOWN),
      fitting: misfits.length === 0 || guess?.column == null ? null : describeFitting(guess.column, column),
      ...(nothing.cells === 0
        ? {}
        : { nothing: { words: [...nothing.words].slice(0, LINES_SHOWN), cells: nothing.cells } }),
    };
  });
}

interface CheckedColumn {
  readonly column: Column;
  readonly reader: CellReader;
  /** True if any word in the column may be a name. */
  readonly isKnownBy: boolean;
  readonly misfits: number[];
  readonly nothing: { readonly words: Set<string>; cells: number };
  filled: number;
}

function takeCell(one: CheckedColumn, value: Json | undefined, line: number): void {
  const { column, reader, isKnownBy, misfits, nothing } = one;
  if (value != null && value !== '') one.filled += 1;
  const isBad = value === undefined ? !column.optional : reader.readJson(value) instanceof BadCell;
  if (isBad) misfits.push(line);
  if (isKnownBy || !isUndeclaredNothing(column, value)) return;
  nothing.words.add(cleanCell(value));
  nothing.cells += 1;
}

function isUndeclaredNothing({ type, empty }: Column, value: Json | undefined): value is string {
  if (typeof value !== 'string' || empty !== undefined) return false;
  const text = cleanCell(value);
  return isNothingIn(type, text) || (type === 'string' && isSurelyNothing(text));
}

/** Describes a fitting declaration. It keeps the type if only empty cells do not fit. */
function describeFitting(guessed: Column, declared: Column): string {
  return writeColumn(
    guessed.type === declared.type ? { ...guessed, optional: guessed.optional || declared.optional } : guessed,
  );
}
