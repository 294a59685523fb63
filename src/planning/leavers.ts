import { createHash } from 'node:crypto';
import type { Config, LeaverConfig } from '../config/config.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { ReadEvidence } from '../model/source.js';
import { type AbsenceRecord, observeAbsence, observeLeaver } from '../reconcile/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';

/** Judges who has left, and what is gone. Remembers what it saw, and writes it down only when told to: a dry run counts for nothing. */
export interface Leavers {
  explicit(entity: Entity, key: string): LeaverVerdict;
  absent(entity: Entity, key: string): LeaverVerdict;
  /** Moves the counters on disk: of those missing or leaving now, and of those who are back. */
  save(): void;
}

const NEVER: LeaverConfig = { when: null, afterMissingReads: 0, missingIntervalMs: 0, graceMs: 0 };

/** @param evidenceOf the whole read that decides what exists of an entity; null when it was not read */
export function createLeavers(
  config: Config,
  stores: Stores,
  evidenceOf: (entity: Entity) => ReadEvidence | null,
  now: string,
): Leavers {
  const { history, work } = stores;
  const seen = new Map<Entity, Map<string, AbsenceRecord>>();
  const contexts = new Map(ENTITIES.map((entity) => [entity, digestOf(config, entity)] as const));

  function remember(entity: Entity, key: string, next: AbsenceRecord | null): void {
    if (next === null) return;
    const ofEntity = seen.get(entity) ?? new Map<string, AbsenceRecord>();
    seen.set(entity, ofEntity.set(key, next));
  }

  return {
    explicit(entity, key) {
      const rule = config.mappings[entity]?.leaver ?? NEVER;
      const evidence = evidenceOf(entity);
      const { next, due, text } = observeLeaver(
        history.absence(entity, key),
        entity === 'users' ? (config.users?.existence ?? '') : (evidence?.source ?? entity),
        rule.when ?? '',
        evidence?.delivery ?? '',
        rule,
        contexts.get(entity) ?? '',
        now,
      );
      remember(entity, key, next);
      return { due, text };
    },
    absent(entity, key) {
      const rule = config.mappings[entity]?.leaver ?? NEVER;
      const evidence = evidenceOf(entity);
      if (evidence === null) return { due: false, text: 'the source was not read' };
      const before = history.absence(entity, key);
      const { next, due, text } = observeAbsence(before, evidence, rule, contexts.get(entity) ?? '', now);
      remember(entity, key, next);
      return { due, text };
    },
    save() {
      stores.state.transaction(() => {
        for (const entity of ENTITIES) {
          const ofEntity = seen.get(entity);
          for (const [key, record] of ofEntity ?? []) history.saveAbsence(entity, key, record);
          const isBack = (key: string): boolean => ofEntity?.has(key) !== true && work.isStaged(entity, key);
          history.clearAbsence(entity, history.absentKeys(entity).filter(isBack));
        }
      });
    },
  };
}

/** A counter under another source, filter, scope or join starts again: what is missing then may have been filtered out. */
function digestOf(config: Config, entity: Entity): string {
  const mapping = config.mappings[entity];
  const origins = mapping === undefined ? [] : 'existence' in mapping ? [mapping.existence] : mapping.from;
  const shapes = origins.map((origin) => {
    const [name = ''] = origin.split('.');
    const source = config.sources[name];
    return source === undefined ? null : shapeOf(source, origin.slice(name.length + 1));
  });
  const enrich = mapping !== undefined && 'enrich' in mapping ? mapping.enrich : {};
  const parts: Json = [[...origins], shapes, mapping?.scope ?? null, enrich as unknown as Json];
  return createHash('sha256').update(canonicalJson(parts)).digest('hex');
}

/** What a source reads, without where and with which secret: a moved folder or a new password is the same source. */
function shapeOf(source: Config['sources'][string], stream: string): Json {
  if (source.type === 'csv') return [source.type, source.pattern, source.key];
  if (source.type === 'scim') return [source.type, source.baseUrl, source.key];
  const { pattern, key, rows } = source.streams[stream] ?? {};
  return [source.type, pattern ?? null, key ?? null, rows ?? null];
}
