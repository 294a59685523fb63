import type { Config, StreamMapping, UsersConfig } from '../config/config.js';
import { SyncError } from '../errors.js';
import type { Desired, Hold } from '../model/desired.js';
import { type Entity, isLink } from '../model/entity.js';
import type { Json, Values } from '../model/json.js';
import { formatPlace, type Place } from '../model/place.js';
import type { SourceRecord } from '../model/source.js';
import { linkKey } from '../model/staffing.js';
import { type BackedStream, listBacked, readBacking, stretchOf } from './backing.js';
import { compileExpression, type Expression, type Want } from './expression.js';
import { buildFieldSteps, decide, type FieldStep, type MappingLeaf, readLeaf } from './field-steps.js';
import { type JoinKeys, parseJoin } from './join.js';
import { createPreference, type ReadPreference } from './preference.js';
import { RecordFault } from './record-fault.js';
import { createScope, type Scope } from './scope.js';
import { findStream, listEnriching, listOrigins, listVisible } from './streams.js';
import { type TraceStep, traceLeaf } from './trace.js';
import { findVocabulary, type WordReader, type WordUse } from './vocabulary.js';

/**
 * The rows that enrich a record, by source: null when the source, read completely, has none;
 * `'unknown'` when its read was incomplete and no row was found. A source left out counts as null.
 */
export type Enriching = Readonly<Record<string, SourceRecord | null | 'unknown'>>;

export type MapResult =
  | { readonly kind: 'desired'; readonly desired: Desired }
  | {
      readonly kind: 'out_of_scope';
      readonly key: string;
      readonly place: Place;
      /** Only where accounts that nobody stands for are looked for (`users.unowned`); null also when they cannot be read. */
      readonly values?: Values | null;
    }
  | { readonly kind: 'held'; readonly hold: Hold };

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
  /** @param today midnight in the configured zone. */
  map(record: SourceRecord, enriching: Enriching, today: Date): MapResult;
  /** Every expression with its value, for `explain`. */
  trace(record: SourceRecord, enriching: Enriching, today: Date): Trace;
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
  readonly joiner: { readonly start: MappingLeaf; readonly leadMs: number } | null;
  readonly words: readonly WordReader[];
  readonly steps: readonly FieldStep[];
  readonly backed: readonly BackedStream[];
  readonly modified: MappingLeaf | null;
}

/** Compiles the whole mapping of an entity; the configuration has been checked, so a failure here is a defect. */
export function createMapper(config: Config, entity: Entity): Mapper {
  const mapping = config.mappings[entity];
  if (mapping === undefined) throw defect(`the configuration maps no ${entity}`);
  const origins = listOrigins(config, entity);
  const programs = new Map(origins.map((name) => [name, buildProgram(config, entity, name, mapping)]));
  const joins = buildJoins(config, entity);
  const preferences = new Map<string, ReadPreference>();
  for (const name of [...programs.keys(), ...joins.keys()]) {
    const stream = findStream(config.sources, name);
    if (stream !== null) preferences.set(name, createPreference(stream, config.timezone));
  }
  const seeksUnowned = 'unowned' in mapping && mapping.unowned !== 'keep';
  const [onlyProgram] = programs.size === 1 ? programs.values() : [];

  function programOf(record: SourceRecord): Program {
    const program = programs.get(record.place.source) ?? onlyProgram;
    if (program === undefined) throw defect(`no mapping of ${entity} reads ${record.place.source}`);
    return program;
  }

  function leaveOut({ steps }: Program, record: SourceRecord): MapResult {
    const values = seeksUnowned || isLink(entity) ? readOrNull(steps) : null;
    const out = { kind: 'out_of_scope', key: keyOf(entity, record, values ?? {}), place: record.place } as const;
    return seeksUnowned ? { ...out, values } : out;
  }

  function preferenceOf(source: string, record: SourceRecord, today: Date): number | string | null {
    return preferences.get(source)?.(record, today) ?? null;
  }

  return {
    entity,
    origins,
    enriching: [...joins.keys()],
    map: (record, enriching, today) => {
      const program = programOf(record);
      show(program, record, enriching, today);
      try {
        if (program.inScope !== null && !decide(program.inScope, program.scope)) return leaveOut(program, record);
        const leaver = program.leaver !== null && decide(program.leaver, program.scope);
        const preference = preferenceOf(program.origin, record, today);
        const early = program.joiner !== null && startsLater(program.joiner, program.scope, today);
        const values = readValues(program.steps);
        const row = { entity, key: keyOf(entity, record, values), place: record.place, values };
        const desired = { ...row, leaver, early, preference, ...writeBackOf(program, record, enriching) };
        return { kind: 'desired', desired };
      } catch (error) {
        if (error instanceof RecordFault) return { kind: 'held', hold: buildHold(entity, record, error) };
        throw error;
      }
    },
    trace: (record, enriching, today) => {
      const program = programOf(record);
      show(program, record, enriching, today);
      return traceProgram(program, mapping.rules);
    },
    vocabulary: [...programs.values()].flatMap(({ words }) => words),
    wordsOf: (record, enriching, today) => {
      const program = programOf(record);
      if (program.words.length === 0) return [];
      show(program, record, enriching, today);
      return readWords(program);
    },
    joinKeys: (source) => joins.get(source) ?? null,
    preferenceOf,
  };
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

function readWords({ words, scope }: Program): readonly (readonly [operand: string, word: string])[] {
  return words.flatMap(({ operand, expression }) => {
    const word = readWord(expression, scope);
    return word === null ? [] : [[operand, word] as const];
  });
}

/** Null where the row says nothing that could be read. */
function readWord(expression: Expression, scope: Scope): string | null {
  try {
    scope.tracker.source = null;
    const word = expression.run();
    return typeof word === 'string' && scope.tracker.source === null ? word : null;
  } catch {
    return null;
  }
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
  const stream = findStream(config.sources, origin);
  if (stream === null) throw defect(`there is no source ${origin}`);
  const users = 'enrich' in mapping ? mapping : null;
  const enriching = listEnriching(config, entity);
  const scope = createScope(listVisible(config.sources, stream, enriching, users !== null), 'record', config.timezone);
  const compile = (path: string, text: string, want: Want): MappingLeaf => {
    return { path, expression: compileOrThrow(scope, path, text, want) };
  };
  const when = mapping.leaver?.when ?? null;
  return {
    scope,
    origin,
    enriching,
    inScope: mapping.scope === null ? null : compile('scope', mapping.scope, 'bool'),
    leaver: when === null ? null : compile('leaver.when', when, 'bool'),
    joiner:
      users?.joiner == null
        ? null
        : { start: compile('joiner.start', users.joiner.start, 'date'), leadMs: users.joiner.leadMs },
    words: findVocabulary(
      scope,
      [mapping.scope, when].filter((text) => text !== null),
    ),
    steps: buildFieldSteps(entity, mapping, scope, compile),
    backed: listBacked(config, entity, origin, enriching),
    modified: mapping.modified == null ? null : compile('modified', mapping.modified, 'date'),
  };
}

function compileOrThrow(scope: Scope, path: string, text: string, want: Want): Expression {
  const { expression, findings } = compileExpression(scope, text, want);
  if (expression === null) throw defect(`${path}: ${findings[0]?.message ?? 'the expression cannot be compiled'}`);
  return expression;
}

function buildJoins(config: Config, entity: Entity): ReadonlyMap<string, JoinKeys> {
  const joins = new Map<string, JoinKeys>();
  const mapping = config.mappings[entity];
  if (mapping === undefined || !('enrich' in mapping)) return joins;
  const existence = findStream(config.sources, mapping.existence);
  if (existence === null) return joins;
  for (const [name, { join }] of Object.entries(mapping.enrich)) {
    const stream = findStream(config.sources, name);
    if (stream === null) throw defect(`there is no source ${name}`);
    const { keys, findings } = parseJoin(
      join,
      { source: existence.name, columns: existence.columns },
      { source: name, columns: stream.columns },
      config.timezone,
    );
    if (keys === null) throw defect(`enrich.${name}.join: ${findings[0]?.message ?? 'the join cannot be compiled'}`);
    joins.set(name, keys);
  }
  return joins;
}

function show(program: Program, record: SourceRecord, enriching: Enriching, today: Date): void {
  program.scope.setToday(today);
  program.scope.show(program.origin, record.cells);
  for (const name of program.enriching) {
    const row = enriching[name] ?? null;
    program.scope.show(name, row === null || row === 'unknown' ? row : row.cells);
  }
}

/** What is in the columns that are written back, and when the record changed last by what its source says. */
function writeBackOf(
  { backed, modified, scope, origin }: Program,
  record: SourceRecord,
  enriching: Enriching,
): Pick<Desired, 'writeBack'> {
  if (backed.length === 0) return {};
  const moment = modified === null ? null : readLeaf(modified, scope, isoOf);
  const stretch = typeof moment === 'string' ? stretchOf(new Date(moment), scope.timezone) : null;
  return { writeBack: readBacking(backed, { ...enriching, [origin]: record }, stretch) };
}

function isoOf(value: unknown): string | undefined {
  return value instanceof Date ? value.toISOString() : undefined;
}

/** Whether the first day of work is still further away than the lead. Without a day, or one that cannot be read, it is not. */
function startsLater(
  { start, leadMs }: { readonly start: MappingLeaf; readonly leadMs: number },
  scope: Scope,
  today: Date,
): boolean {
  const day = readLeaf(start, scope, isoOf);
  return typeof day === 'string' && Date.parse(day) - leadMs > today.getTime();
}

function readValues(steps: readonly FieldStep[]): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const step of steps) {
    const value = step.read();
    if (value !== undefined) values[step.name] = value;
  }
  return values;
}

function readOrNull(steps: readonly FieldStep[]): Values | null {
  try {
    return readValues(steps);
  } catch (error) {
    if (error instanceof RecordFault) return null;
    throw error;
  }
}

function buildHold(entity: Entity, record: SourceRecord, fault: RecordFault): Hold {
  return {
    entity,
    key: record.key,
    place: formatPlace(record.place),
    code: fault.code,
    reason: fault.message,
    remedy: fault.remedy,
  };
}

function defect(message: string): SyncError {
  return new SyncError('SYNC_INTERNAL', {
    message,
    remedy: 'The configuration should have been refused when it was loaded: report it with the configuration.',
  });
}
