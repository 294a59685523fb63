import type { Config, StreamMapping } from '../config/config.js';
import { ENTITIES, type Entity, isAccount } from '../model/entity.js';
import type { SourceRecord } from '../model/source.js';
import { defect } from './expression.js';
import type { JoinKeys } from './join.js';
import {
  type CompiledMapping,
  mapLeaving,
  mapRecord,
  orElse,
  preferenceOf,
  programOf,
  readPart,
  showRecord,
} from './map-record.js';
import type { Enriching, MapResult, PartOfRow } from './map-result.js';
import { evaluateLeaf, type MappingLeaf } from './mapping-leaf.js';
import { createPreference } from './preference.js';
import { buildJoins, buildProgram, listFreeRoles, listReads, listSayingLeft, type Program } from './program.js';
import { needStream } from './streams.js';
import { type TraceStep, traceLeaf } from './trace.js';
import type { WordUse } from './vocabulary.js';

export interface Trace {
  readonly scope: TraceStep | null;
  readonly leaver: TraceStep | null;
  readonly joiner: TraceStep | null;
  readonly doubtful: TraceStep | null;
  readonly fields: readonly TraceStep[];
}

/**
 * Maps records of the sources to desired objects of the service. A mapper is pure: the same record and day always give
 * the same result.
 */
export interface Mapper {
  readonly entity: Entity;
  /** The streams with the records of the entity, and the sources that complete these records. */
  readonly origins: readonly string[];
  readonly enriching: readonly string[];
  /** The columns kept for writing back, as a string. The configuration's digest of deciding settings does not include them. */
  readonly kept: string;
  /** True if any result depends on the day and is therefore not valid for other days. */
  readonly isDated: boolean;
  /** @param today midnight in the configured zone. */
  map(record: SourceRecord, enriching: Enriching, today: Date): MapResult;
  /** @param bad unreadable columns of a rejected row */
  mapInPart(record: SourceRecord, bad: readonly string[], enriching: Enriching, today: Date): PartOfRow;
  /** Evaluates every expression, for `explain`. */
  trace(record: SourceRecord, enriching: Enriching, today: Date): Trace;
  /** Paths of the fields that depend on a source that `leaver.when` also reads. */
  readonly saysLeft: readonly string[];
  /** Columns with text that becomes a person's role unchanged, such as `hr.role`. */
  readonly freeRoles: readonly string[];
  /** Path of a field, or of a rule such as `leaver.when` → the columns that it uses, such as `hr.End date`. */
  readonly reads: ReadonlyMap<string, readonly string[]>;
  /** Operands that `leaver.when` and `scope` compare with fixed words, in any stream. */
  readonly vocabulary: readonly WordUse[];
  /** Returns the words of a record for these operands. */
  wordsOf(
    record: SourceRecord,
    enriching: Enriching,
    today: Date,
  ): readonly (readonly [operand: string, word: string])[];
  /** Returns the keys for finding rows of an enriching source; null if the source does not enrich this entity. */
  joinKeys(source: string): JoinKeys | null;
  /**
   * Returns the rank of a row under its source's `prefer`; the greater rank wins. Returns null if the row has no
   * readable rank.
   */
  preferenceOf(source: string, record: SourceRecord, today: Date): number | string | null;
}

/** Creates a mapper for each mapped entity. */
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
    reads: mergeReads([
      ...[...programs.values()].flatMap(listReads),
      ...[...joins].map(([source, { reads }]) => [`enrich.${source}.join`, reads] as const),
      ...[...preferences].map(([source, { reads }]) => [`sources.${source}.prefer`, reads] as const),
    ]),
    vocabulary: [...programs.values()].flatMap(({ words }) => words),
    wordsOf: (record, enriching, today) => {
      const { words } = programOf(compiled, record);
      return words.length === 0 ? [] : readWords(showRecord(compiled, record, enriching, today));
    },
    joinKeys: (source) => joins.get(source) ?? null,
    preferenceOf: (source, record, today) => orElse(null, () => preferenceOf(compiled, source, record, today)),
  };
}

function mergeReads(reads: ReturnType<typeof listReads>): Mapper['reads'] {
  const merged = new Map<string, readonly string[]>();
  for (const [path, columns] of reads) merged.set(path, [...new Set([...(merged.get(path) ?? []), ...columns])]);
  return merged;
}

function traceProgram(
  { inScope, leaver, joiner, doubtful, steps, scope }: Program,
  rules: StreamMapping['rules'],
): Trace {
  const trace = (leaf: MappingLeaf | undefined | null): TraceStep | null => (leaf ? traceLeaf(leaf, scope) : null);
  return {
    scope: trace(inScope),
    leaver: trace(leaver),
    joiner: trace(joiner?.start),
    doubtful: trace(doubtful),
    fields: steps.flatMap(({ leaves }) => leaves.map((leaf) => traceLeaf(leaf, scope, isCleared(rules, leaf.path)))),
  };
}

/** Reads the words of a row. Leaves out operands that are empty or cannot be read. */
function readWords({ words, scope }: Program): readonly (readonly [operand: string, word: string])[] {
  const found: (readonly [operand: string, word: string])[] = [];
  for (const reader of words) {
    try {
      const word = evaluateLeaf(reader, scope);
      if (typeof word === 'string') found.push([reader.operand, word]);
    } catch {
      // An operand that cannot be read has no word.
    }
  }
  return found;
}

/**
 * True if a rule clears the path. A rule also applies to every path below it: `custom_fields.value` covers
 * `custom_fields.value.amount`.
 */
function isCleared(rules: StreamMapping['rules'], path: string): boolean {
  const isPart = (rule: string): boolean => path === rule || path.startsWith(`${rule}.`) || path.startsWith(`${rule}[`);
  return Object.values(rules).some((rule) => rule.whenEmpty === 'clear' && isPart(rule.path));
}
