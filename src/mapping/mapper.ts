import type { Config, StreamMapping, UsersConfig } from '../config/config.js';
import { createDateWriter } from '../model/date-in-zone.js';
import { dayNumber } from '../model/day-number.js';
import type { Desired, Hold, Left } from '../model/desired.js';
import { ENTITIES, type Entity, isAccount, isLink, isSection } from '../model/entity.js';
import type { Json, Values } from '../model/json.js';
import { formatPlace, type Place } from '../model/place.js';
import type { CellNote, SourceRecord } from '../model/source.js';
import { linkKey } from '../model/staffing.js';
import { type BackedStream, listBacked, readBacking, stretchOf } from './backing.js';
import type { HeardWord } from './cells-view.js';
import { findLasting, type Lasting } from './day-tests.js';
import { compileChecked, defect, isTrueOf } from './expression.js';
import { buildFieldSteps } from './field-steps.js';
import { findFreeColumns } from './free-columns.js';
import { inspectExpression } from './inspect.js';
import { type JoinKeys, parseJoin } from './join.js';
import { type CellsBySource, createLeavingDates, type LeavingDates } from './leaving-dates.js';
import { decide, evaluateLeaf, type MappingLeaf, readLeaf, restsOnNothing } from './mapping-leaf.js';
import { createPreference, type Preference } from './preference.js';
import { RecordFault } from './record-fault.js';
import { createScope, type Scope } from './scope.js';
import type { FieldStep } from './step-kit.js';
import { listEnriching, listVisible, needStream } from './streams.js';
import { type TraceStep, traceLeaf } from './trace.js';
import { findVocabulary, type WordReader, type WordUse } from './vocabulary.js';
import type { Want } from './wanted.js';

/**
 * The rows that enrich a record, by source: null when the source, read completely, has none;
 * `'unknown'` when its read was incomplete and no row was found. A source left out counts as null.
 */
export type Enriching = Readonly<Record<string, SourceRecord | null | 'unknown'>>;

/** `until` is the number of the last day on which the same is made of the record; null: on every later one. */
export type MapResult =
  | {
      readonly kind: 'desired';
      readonly desired: Desired;
      readonly until: number | null;
      /** Paths of what rests on a source whose read is incomplete: what was last agreed on of it stays. */
      readonly unread: readonly string[];
      /** Words for nothing in the place of values, which stay as they are. */
      readonly heard?: readonly HeardWord[];
      /** Of a leaver whose other cells cannot be used: what is held of the row, unless the account is out of use. */
      readonly faulty?: Hold;
    }
  | {
      readonly kind: 'out_of_scope';
      readonly until: number | null;
      readonly key: string;
      readonly place: Place;
      /** Of people only; null also when they cannot be read. */
      readonly values?: Values | null;
    }
  | {
      readonly kind: 'held';
      readonly hold: Hold;
      /** What can be read of it: whose it may be. */
      readonly values: Values;
    };

/** A row that cannot be used, as far as it can be read. */
export interface PartOfRow {
  /** It says that its person has left. */
  readonly leaving: (MapResult & { readonly kind: 'desired' }) | null;
  readonly values: Values;
}

export interface Trace {
  readonly scope: TraceStep | null;
  readonly leaver: TraceStep | null;
  readonly joiner: TraceStep | null;
  readonly fields: readonly TraceStep[];
}

/** Records of the sources → what the service should hold. Pure: the same record and day give the same result. */
export interface Mapper {
  readonly entity: Entity;
  /** The streams whose records become the entity, and the sources whose rows complete those. */
  readonly origins: readonly string[];
  readonly enriching: readonly string[];
  /** The columns that are kept for writing back, as a text: of what decides, the configuration's digest leaves them out. */
  readonly kept: string;
  /** Whether anything goes by the day: what was made of a record then says nothing of earlier days. */
  readonly isDated: boolean;
  /** @param today midnight in the configured zone. */
  map(record: SourceRecord, enriching: Enriching, today: Date): MapResult;
  /** @param bad columns of a rejected row that cannot be read */
  mapInPart(record: SourceRecord, bad: readonly string[], enriching: Enriching, today: Date): PartOfRow;
  /** Every expression with its value, for `explain`. */
  trace(record: SourceRecord, enriching: Enriching, today: Date): Trace;
  /** Paths of the fields that rest on a source which `leaver.when` reads. */
  readonly saysLeft: readonly string[];
  /** Columns whose text comes into the roles of people unchanged: `hr.role`. */
  readonly freeRoles: readonly string[];
  /** What `leaver.when` and `scope` compare with fixed words, in any stream. */
  readonly vocabulary: readonly WordUse[];
  /** The words of a record there, by operand. */
  wordsOf(
    record: SourceRecord,
    enriching: Enriching,
    today: Date,
  ): readonly (readonly [operand: string, word: string])[];
  /** How the rows of an enriching source are found; null when the source does not enrich this entity. */
  joinKeys(source: string): JoinKeys | null;
  /** Rank of a row of any source under its `prefer`; greater wins, null without one. Throws RecordFault. */
  preferenceOf(source: string, record: SourceRecord, today: Date): number | string | null;
}

/** The expressions of an entity, compiled against one stream. */
interface Program {
  readonly scope: Scope;
  readonly origin: string;
  readonly enriching: readonly string[];
  readonly inScope: MappingLeaf | null;
  readonly leaver: MappingLeaf | null;
  readonly leaving: LeavingDates | null;
  /** The same of `scope`, where whoever is out of it leaves. */
  readonly leavingScope: LeavingDates | null;
  /** Columns of the row that `leaver.when` reads. */
  readonly decisive: ReadonlySet<string>;
  readonly joiner: { readonly start: MappingLeaf; readonly leadMs: number } | null;
  readonly words: readonly WordReader[];
  readonly steps: readonly FieldStep[];
  readonly backed: readonly BackedStream[];
  readonly modified: MappingLeaf | null;
  /** Of all of them. */
  readonly lasting: Lasting;
}

/** The whole mapping of an entity, compiled; the configuration has been checked, so a failure here is a defect. */
interface CompiledMapping {
  readonly entity: Entity;
  /** By stream. */
  readonly programs: ReadonlyMap<string, Program>;
  readonly preferences: ReadonlyMap<string, Preference>;
  /** Whether rows out of scope are asked whose they are: they stand for their accounts, leavers' too. */
  readonly keepsOut: boolean;
}

/** A mapper for each entity that is mapped. */
export function buildMappers(config: Config): Readonly<Partial<Record<Entity, Mapper>>> {
  const mapped = ENTITIES.filter((entity) => config.mappings[entity] !== undefined);
  return Object.fromEntries(mapped.map((entity) => [entity, createMapper(config, entity)]));
}

export function createMapper(config: Config, entity: Entity): Mapper {
  const mapping = config.mappings[entity];
  if (mapping === undefined) throw defect(`the configuration maps no ${entity}`);
  const origins = 'existence' in mapping ? [mapping.existence] : mapping.from;
  const programs = new Map(origins.map((name) => [name, buildProgram(config, entity, name, mapping)]));
  const joins = buildJoins(config, mapping);
  const preferences = new Map(
    [...programs.keys(), ...joins.keys()].map((name) => {
      return [name, createPreference(needStream(config.sources, name), config)];
    }),
  );
  const keepsOut = isAccount(entity);
  const compiled: CompiledMapping = { entity, programs, preferences, keepsOut };
  return {
    entity,
    origins,
    enriching: [...joins.keys()],
    kept: JSON.stringify([...programs.values()].map(({ backed }) => backed)),
    isDated:
      [...programs.values()].some(({ joiner, lasting }) => joiner !== null || lasting.isDated) ||
      [...preferences.values()].some(({ lasting }) => lasting.isDated),
    map: (record, enriching, today) => mapRecord(compiled, record, enriching, today),
    mapInPart(record, bad, enriching, today) {
      const program = showRecord(compiled, record, enriching, today);
      const isDecided = !bad.some((column) => program.decisive.has(column));
      const leaving = isDecided ? mapLeaving(entity, program, { record, enriching }) : null;
      return { leaving, values: leaving?.desired.values ?? readPart(program) };
    },
    trace: (record, enriching, today) => traceProgram(showRecord(compiled, record, enriching, today), mapping.rules),
    saysLeft: [...new Set([...programs.values()].flatMap(listSayingLeft))],
    freeRoles: [...new Set([...programs.values()].flatMap(listFreeRoles))],
    vocabulary: [...programs.values()].flatMap(({ words }) => words),
    wordsOf: (record, enriching, today) => {
      const { words } = programOf(compiled, record);
      return words.length === 0 ? [] : readWords(showRecord(compiled, record, enriching, today));
    },
    joinKeys: (source) => joins.get(source) ?? null,
    preferenceOf: (source, record, today) => preferenceOf(compiled, source, record, today),
  };
}

function programOf({ entity, programs }: CompiledMapping, record: SourceRecord): Program {
  const program = programs.get(record.place.source) ?? onlyOf(programs);
  if (program === undefined) throw defect(`no mapping of ${entity} reads ${record.place.source}`);
  return program;
}

function onlyOf<T>(items: ReadonlyMap<string, T>): T | undefined {
  const [first, ...others] = items.values();
  return others.length === 0 ? first : undefined;
}

/** The program that maps the record, with its expressions moved to it. */
function showRecord(compiled: CompiledMapping, record: SourceRecord, enriching: Enriching, today: Date): Program {
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

/** What a record and the rows that enrich it are, by source. */
interface ShownRows {
  readonly record: SourceRecord;
  readonly enriching: Enriching;
}

/**
 * Whether a record has left, and by which day. Where a word for nothing is in the place of the day, nothing says so.
 *
 * @throws RecordFault
 */
function judgeLeaving(
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

/** Whoever has left is a leaver, in scope or not, and whatever else is wrong with the row. */
function mapRecord(compiled: CompiledMapping, record: SourceRecord, enriching: Enriching, today: Date): MapResult {
  const { entity } = compiled;
  const program = showRecord(compiled, record, enriching, today);
  const mapped = mapShown(compiled, program, { record, enriching, today });
  const leaving = mapped.kind === 'desired' ? null : mapLeaving(entity, program, { record, enriching });
  if (leaving === null) return mapped;
  return mapped.kind === 'held' ? { ...leaving, faulty: mapped.hold } : { ...leaving, until: mapped.until };
}

/**
 * A row that says that its person has left, with those of its values that can be read. Next to any other row of its key
 * that is without a leaving none of the two is used: it has no rank.
 */
function mapLeaving(entity: Entity, program: Program, rows: ShownRows): (MapResult & { kind: 'desired' }) | null {
  const { leaver, left } = orElse({ leaver: false, left: null }, () => judgeLeaving(program, rows));
  if (!leaver) return null;
  const { record } = rows;
  const values = readPart(program);
  if (isLink(entity) && linkKey(values) === null) return null;
  const key = keyOf(entity, record, values);
  const desired = { entity, key, place: record.place, values, leaver: true, preference: null };
  return { kind: 'desired', desired: left === null ? desired : { ...desired, left }, until: null, unread: [] };
}

/** Without what cannot be read. */
function readPart({ steps }: Program): Values {
  return Object.assign({}, ...steps.map((step) => orElse({}, () => readValues([step])))) as Values;
}

/** @param other in place of what a fault of the record leaves open */
function orElse<T>(other: T, read: () => T): T {
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
  const { scope, inScope, joiner } = program;
  try {
    if (inScope !== null && !decide(inScope, scope)) {
      program.leavingScope?.judge(listCells(program, { record, enriching }));
      return leaveOut(compiled, program, { record, today });
    }
    const { leaver, left } = judgeLeaving(program, { record, enriching });
    const preference = preferenceOf(compiled, program.origin, record, today);
    const later = joiner === null ? null : findLaterStart(joiner, scope, today);
    const early = later !== null;
    const values = readValues(program.steps);
    const key = keyOf(entity, record, values);
    const row = { entity, key, place: record.place, values, leaver, early, preference };
    const writeBack = writeBackOf(program, record, enriching);
    // Nearly all rows have neither: to put two objects together takes as long as an expression.
    const when = early ? { ...row, starts: later.starts } : row;
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

function preferenceOf(
  { preferences }: CompiledMapping,
  source: string,
  record: SourceRecord,
  today: Date,
): number | string | null {
  return preferences.get(source)?.read(record, today) ?? null;
}

function traceProgram({ inScope, leaver, joiner, steps, scope }: Program, rules: StreamMapping['rules']): Trace {
  const trace = (leaf: MappingLeaf | undefined | null): TraceStep | null => (leaf ? traceLeaf(leaf, scope) : null);
  return {
    scope: trace(inScope),
    leaver: trace(leaver),
    joiner: trace(joiner?.start),
    fields: steps.flatMap(({ leaves }) => leaves.map((leaf) => traceLeaf(leaf, scope, isCleared(rules, leaf.path)))),
  };
}

function listSayingLeft({ leaver, steps }: Program): readonly string[] {
  const saying = leaver?.expression.sources ?? [];
  const leaves = steps.flatMap((step) => step.leaves);
  return leaves.flatMap(({ path, expression }) => {
    return expression.sources.some((source) => saying.includes(source)) ? [path] : [];
  });
}

function listFreeRoles({ steps, scope }: Program): readonly string[] {
  const leaves = steps.flatMap((step) => step.leaves).filter(({ path }) => path === 'roles');
  return leaves.flatMap(({ expression }) => findFreeColumns(scope, expression.text));
}

/** What the row says nothing of, or nothing that could be read, is left out. */
function readWords({ words, scope }: Program): readonly (readonly [operand: string, word: string])[] {
  const found: (readonly [operand: string, word: string])[] = [];
  for (const reader of words) {
    try {
      const word = evaluateLeaf(reader, scope);
      if (typeof word === 'string') found.push([reader.operand, word]);
    } catch {
      // No word either.
    }
  }
  return found;
}

/** Links of people to projects are known by the two they link; everything else by the key of its row. */
function keyOf(entity: Entity, record: SourceRecord, values: Desired['values']): string {
  return (isLink(entity) ? linkKey(values) : null) ?? record.key;
}

/** A rule holds for all that is below it: `custom_fields.value` for `custom_fields.value.amount`. */
function isCleared(rules: StreamMapping['rules'], path: string): boolean {
  const isPart = (rule: string): boolean => path === rule || path.startsWith(`${rule}.`) || path.startsWith(`${rule}[`);
  return Object.values(rules).some((rule) => rule.whenEmpty === 'clear' && isPart(rule.path));
}

function buildProgram(config: Config, entity: Entity, origin: string, mapping: UsersConfig | StreamMapping): Program {
  const stream = needStream(config.sources, origin);
  const users = 'enrich' in mapping ? mapping : null;
  const enriching = listEnriching(config, entity);
  const { sources, timezone, maps } = config;
  const scope = createScope(listVisible(sources, stream, enriching, users !== null), 'record', timezone, maps);
  const texts: string[] = [];
  const writeDate = createDateWriter(timezone);
  const compile = (path: string, text: string, want: Want): MappingLeaf => {
    texts.push(text);
    const expression = compileChecked(scope, path, text, want);
    const { reads, saysEmpty } = expression;
    const from = reads.length === 1 ? (reads[0] ?? text) : text;
    const hear = (word: string): void => {
      scope.tracker.heard.push({ path, word, from });
    };
    const hidden = (): CellNote | null => {
      const { noted } = scope.tracker;
      return noted === null
        ? null
        : (reads.map((name) => noted.get(name)).find((note) => note?.kind === 'hidden') ?? null);
    };
    return { path, expression, writeDate, hidden, ...(saysEmpty ? {} : { hear }) };
  };
  const compileGiven = (path: string, text: string | null | undefined, want: Want): MappingLeaf | null =>
    text == null ? null : compile(path, text, want);
  const when = mapping.leaver?.when ?? null;
  const start = compileGiven('joiner.start', users?.joiner?.start, 'date');
  const leaver = compileGiven('leaver.when', when, 'bool');
  const inScope = compileGiven('scope', mapping.scope, 'bool');
  const dated = {
    beginnings: [mapping.scope, users?.joiner?.start].filter((text) => text != null),
    placeholdersAllowed: mapping.leaver?.placeholderDates === true,
    setting: describeSetting(entity),
  };
  const program = {
    scope,
    origin,
    enriching,
    inScope,
    leaver,
    leaving:
      leaver === null
        ? null
        : createLeavingDates(scope, {
            ...dated,
            text: leaver.expression.text,
            hasLeft: () => isTrueOf(leaver.expression),
          }),
    leavingScope:
      inScope === null || users?.outOfScope !== 'deactivate'
        ? null
        : createLeavingDates(scope, {
            ...dated,
            text: inScope.expression.text,
            hasLeft: () => !isTrueOf(inScope.expression),
          }),
    decisive: listColumns(scope, origin, when),
    joiner: start === null ? null : { start, leadMs: users?.joiner?.leadMs ?? 0 },
    words: findVocabulary(scope, { scope: mapping.scope, leaver: when }),
    steps: buildFieldSteps(entity, mapping, scope, compile),
    backed: listBacked(config, entity, origin, enriching),
    modified: compileGiven('modified', mapping.modified, 'date'),
  };
  return { ...program, lasting: findLasting(scope, texts) };
}

/** The setting that lets a placeholder be the day of leaving. */
function describeSetting(entity: Entity): string {
  if (isAccount(entity)) return `${entity}.leaver.placeholder_dates`;
  return `${isSection(entity) ? 'cv_sections.' : ''}${entity}.remove.placeholder_dates`;
}

/** Columns of the row itself that an expression reads. */
function listColumns(scope: Scope, origin: string, text: string | null): ReadonlySet<string> {
  if (text === null) return new Set();
  const { references } = inspectExpression(scope.environment.parse(text).ast, scope);
  return new Set(
    references.flatMap(({ variable, column }) => {
      const sources = scope.variables[variable]?.[column]?.sources ?? [];
      return sources.includes(origin) ? [column] : [];
    }),
  );
}

function buildJoins(
  { sources, timezone }: Config,
  mapping: UsersConfig | StreamMapping,
): ReadonlyMap<string, JoinKeys> {
  if (!('enrich' in mapping)) return new Map();
  const sideOf = (name: string) => ({ source: name, columns: needStream(sources, name).columns });
  const existence = sideOf(mapping.existence);
  const joins = Object.entries(mapping.enrich).map(([name, { join }]) => {
    const { keys, findings } = parseJoin(join, existence, sideOf(name), timezone);
    if (keys === null) throw defect(`enrich.${name}.join: ${findings[0]?.message ?? 'the join cannot be compiled'}`);
    return [name, keys] as const;
  });
  return new Map(joins);
}

/** What is in the columns that are written back, and when the record changed last by what its source says. */
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
 * The first day of work, while it is further away than the lead, and up to when it is. Without a day, or one that cannot be
 * read, it is not.
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
