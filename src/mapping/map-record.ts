import { dayNumber } from '../model/day-number.js';
import type { Desired, Hold, Left } from '../model/desired.js';
import { type Entity, isLink } from '../model/entity.js';
import type { Json, Values } from '../model/json.js';
import { formatPlace } from '../model/place.js';
import type { CellNote, SourceRecord } from '../model/source.js';
import { linkKey } from '../model/staffing.js';
import { readBacking, stretchOf } from './backing.js';
import { defect, isTrueOf } from './expression.js';
import type { CellsBySource } from './leaving-dates.js';
import type { Enriching, MapResult } from './map-result.js';
import { decide, type MappingLeaf, readLeaf, restsOnNothing } from './mapping-leaf.js';
import type { Preference } from './preference.js';
import type { Program } from './program.js';
import { RecordFault } from './record-fault.js';
import type { Scope } from './scope.js';
import type { FieldStep } from './step-kit.js';

/** The compiled mapping of an entity. The configuration has been checked, so a failure here is a defect. */
export interface CompiledMapping {
  readonly entity: Entity;
  /** The programs, by stream. */
  readonly programs: ReadonlyMap<string, Program>;
  readonly preferences: ReadonlyMap<string, Preference>;
  /** True if rows out of scope, including those of leavers, are matched to accounts too. */
  readonly keepsOut: boolean;
}

export function programOf({ entity, programs }: CompiledMapping, record: SourceRecord): Program {
  const program = programs.get(record.place.source) ?? onlyOf(programs);
  if (program === undefined) throw defect(`no mapping of ${entity} reads ${record.place.source}`);
  return program;
}

function onlyOf<T>(items: ReadonlyMap<string, T>): T | undefined {
  const [first, ...others] = items.values();
  return others.length === 0 ? first : undefined;
}

/** Selects the program for a record and makes its expressions read that record. */
export function showRecord(
  compiled: CompiledMapping,
  record: SourceRecord,
  enriching: Enriching,
  today: Date,
): Program {
  const program = programOf(compiled, record);
  const { scope } = program;
  scope.setToday(today);
  if (scope.tracker.leaves.length > 0) scope.tracker.leaves = [];
  if (scope.tracker.heard.length > 0) scope.tracker.heard = [];
  scope.tracker.noted = record.noted === undefined ? null : addNotes(null, program.origin, record.noted);
  scope.show(program.origin, record.cells);
  for (const name of program.enriching) {
    const row = enriching[name] ?? null;
    scope.show(name, row === null || row === 'unknown' ? row : row.cells);
    if (row !== null && row !== 'unknown' && row.noted !== undefined)
      scope.tracker.noted = addNotes(scope.tracker.noted, name, row.noted);
  }
  return program;
}

function addNotes(
  known: ReadonlyMap<string, CellNote> | null,
  source: string,
  notes: readonly CellNote[],
): ReadonlyMap<string, CellNote> {
  return new Map([...(known ?? []), ...notes.map((note) => [`${source}.${note.column}`, note] as const)]);
}

/** A record and the rows that enrich it, by source. */
interface ShownRows {
  readonly record: SourceRecord;
  readonly enriching: Enriching;
}

/**
 * Decides if the person of a record has left, and on which day. A word for nothing in place of the day does not count.
 *
 * @throws RecordFault
 */
function leavingOf(
  program: Program,
  { record, enriching }: ShownRows,
): { readonly leaver: boolean; readonly left: Left | null } {
  const { leaver, leaving, scope } = program;
  if (leaver === null || leaving === null) return { leaver: false, left: null };
  if (restsOnNothing(leaver, scope) ? !isTrueOf(leaver.expression) : !decide(leaver, scope))
    return { leaver: false, left: null };
  return { leaver: true, left: leaving.judge(listCells(program, { record, enriching })) };
}

function listCells({ enriching: names, origin }: Program, { record, enriching }: ShownRows): CellsBySource {
  const cells = names.map((name) => {
    const row = enriching[name] ?? null;
    return [name, row === null || row === 'unknown' ? null : row.cells] as const;
  });
  return { ...Object.fromEntries(cells), [origin]: record.cells };
}

/** Maps a record. A person who has left is a leaver, in scope or not, even if other cells of the row are unusable. */
export function mapRecord(
  compiled: CompiledMapping,
  record: SourceRecord,
  enriching: Enriching,
  today: Date,
): MapResult {
  const { entity } = compiled;
  const program = showRecord(compiled, record, enriching, today);
  const mapped = mapShown(compiled, program, { record, enriching, today });
  const leaving = mapped.kind === 'desired' ? null : mapLeaving(entity, program, { record, enriching });
  if (leaving === null) return mapped;
  return mapped.kind === 'held' ? { ...leaving, faulty: mapped.hold } : { ...leaving, until: mapped.until };
}

/**
 * Maps a row that says that its person has left, using the readable values. This row has no rank, so neither row is used
 * if another row with its key disagrees.
 */
export function mapLeaving(
  entity: Entity,
  program: Program,
  rows: ShownRows,
): (MapResult & { kind: 'desired' }) | null {
  const { leaver, left } = orElse({ leaver: false, left: null }, () => leavingOf(program, rows));
  if (!leaver) return null;
  const { record } = rows;
  const values = readPart(program);
  if (isLink(entity) && linkKey(values) === null) return null;
  const key = keyOf(entity, record, values);
  const desired = { entity, key, place: record.place, values, leaver: true, preference: null };
  return { kind: 'desired', desired: left === null ? desired : { ...desired, left }, until: null, unread: [] };
}

/** Reads all fields and leaves out those that cannot be read. */
export function readPart({ steps }: Program): Values {
  return Object.assign({}, ...steps.map((step) => orElse({}, () => readValues([step])))) as Values;
}

/**
 * Runs `read`.
 * @param other the result if the record has a fault
 */
export function orElse<T>(other: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RecordFault) return other;
    throw error;
  }
}

function mapShown(
  compiled: CompiledMapping,
  program: Program,
  { record, enriching, today }: { readonly record: SourceRecord; readonly enriching: Enriching; readonly today: Date },
): MapResult {
  const { entity } = compiled;
  const { scope, inScope, joiner, doubtful } = program;
  try {
    if (inScope !== null && !decide(inScope, scope)) {
      program.leavingScope?.judge(listCells(program, { record, enriching }));
      return leaveOut(compiled, program, { record, today });
    }
    const { leaver, left } = leavingOf(program, { record, enriching });
    const preference = preferenceOf(compiled, program.origin, record, today);
    const later = joiner === null ? null : findLaterStart(joiner, scope, today);
    const early = later !== null || (doubtful !== null && decide(doubtful, scope));
    const values = readValues(program.steps);
    const key = keyOf(entity, record, values);
    const row = { entity, key, place: record.place, values, leaver, early, preference };
    const writeBack = writeBackOf(program, record, enriching);
    // Merging objects takes as long as an expression, and nearly all rows have neither value.
    const when = later === null ? row : { ...row, starts: later.starts };
    const known = left === null ? when : { ...when, left };
    const desired = writeBack === null ? known : { ...known, writeBack };
    const ranked = compiled.preferences.get(program.origin)?.lasting.until(today) ?? null;
    const until = firstOf(program.lasting.until(today), ranked, later?.until ?? null);
    const { leaves: unread, heard } = scope.tracker;
    return { kind: 'desired', desired, until, unread, ...(heard.length === 0 ? {} : { heard }) };
  } catch (error) {
    if (error instanceof RecordFault)
      return { kind: 'held', hold: buildHold(entity, record, error), values: readPart(program) };
    throw error;
  }
}

function leaveOut(
  { entity, keepsOut }: CompiledMapping,
  { steps, lasting }: Program,
  { record, today }: { readonly record: SourceRecord; readonly today: Date },
): MapResult {
  const values = keepsOut || isLink(entity) ? orElse(null, () => readValues(steps)) : null;
  const key = keyOf(entity, record, values ?? {});
  const out = { kind: 'out_of_scope', key, place: record.place, until: lasting.until(today) } as const;
  return keepsOut ? { ...out, values } : out;
}

export function preferenceOf(
  { preferences }: CompiledMapping,
  source: string,
  record: SourceRecord,
  today: Date,
): number | string | null {
  return preferences.get(source)?.read(record, today) ?? null;
}

/**
 * The key of a record. A link between a person and a project is identified by its two ends, any other record by the key
 * of its row.
 */
function keyOf(entity: Entity, record: SourceRecord, values: Desired['values']): string {
  return (isLink(entity) ? linkKey(values) : null) ?? record.key;
}

/** Reads the columns that are written back, and the time of the record's last change according to its source. */
function writeBackOf(
  { backed, modified, scope, origin }: Program,
  record: SourceRecord,
  enriching: Enriching,
): NonNullable<Desired['writeBack']> | null {
  if (backed.length === 0) return null;
  const moment = modified === null ? null : readLeaf(modified, scope, isoOf);
  const stretch = typeof moment === 'string' ? stretchOf(new Date(moment), scope.timezone) : null;
  return readBacking(backed, { ...enriching, [origin]: record }, stretch);
}

function isoOf(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString() : undefined;
}

/**
 * The first day of work, and the last day before the lead time begins. Returns null once the lead time has begun, or if
 * the first day is missing or unreadable.
 */
function findLaterStart(
  { start, leadMs }: { readonly start: MappingLeaf; readonly leadMs: number },
  scope: Scope,
  today: Date,
): { readonly starts: string; readonly until: number } | null {
  const starts = readLeaf(start, scope, isoOf);
  const fromMs = typeof starts === 'string' ? Date.parse(starts) - leadMs : Number.NaN;
  if (typeof starts !== 'string' || !(fromMs > today.getTime())) return null;
  return { starts, until: Math.max(dayNumber(today), dayNumber(fromMs) - 1) };
}

function firstOf(...days: readonly (number | null)[]): number | null {
  const named = days.filter((day) => day !== null);
  return named.length === 0 ? null : Math.min(...named);
}

function readValues(steps: readonly FieldStep[]): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const step of steps) {
    const value = step.read();
    if (value !== undefined) values[step.name] = value;
  }
  return values;
}

function buildHold(entity: Entity, record: SourceRecord, fault: RecordFault): Hold {
  return {
    entity,
    key: record.key,
    place: formatPlace(record.place),
    code: fault.code,
    reason: fault.message,
    remedy: fault.remedy,
    ...(fault.means === undefined ? {} : { means: fault.means }),
  };
}
