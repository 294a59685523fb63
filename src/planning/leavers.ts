import type { Config } from '../config/config.js';
import type { LeaverConfig } from '../config/entities/entity-schema.js';
import { kindOf } from '../connectors/kinds.js';
import { ENTITIES, type Entity, isAccount } from '../model/entity.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { GuardTrip, ReasonKind } from '../model/plan.js';
import { listIdentities } from '../model/raw-text.js';
import { sha256 } from '../model/sha256.js';
import type { ReadEvidence } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import {
  type AbsenceObservation,
  type AbsenceRecord,
  observeAbsence,
  observeLeaver,
  observeOutOfScope,
  type Watched,
} from '../reconcile/leavers/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';

/** Judges who has left, and what is gone. Remembers what it saw, and writes it down only when told to: a dry run counts for nothing. */
export interface Leavers {
  explicit(entity: Entity, key: string): LeaverVerdict;
  /** Whose row the source says was deleted. */
  gone(entity: Entity, key: string, source: string): LeaverVerdict;
  absent(entity: Entity, key: string): LeaverVerdict;
  outOfScope(entity: Entity, key: string): LeaverVerdict;
  /** Kinds of leaving that wait for a person whatever the limits, because an edit of the configuration made them. */
  toAsk(): readonly ReasonKind[];
  /** The reads that count as proof for what is absent and due, entity by entity; null when nothing is. */
  proof(): Json;
  /** What it saw of an entity is not to count. */
  forget(entity: Entity): void;
  /** Moves the counters on disk: of those missing or leaving now, and of those who are back. */
  save(run?: {
    readonly guards: readonly GuardTrip[];
    readonly only: string | null;
    readonly stopped: readonly { readonly entity: Entity }[];
  }): void;
}

const NEVER: LeaverConfig = { when: null, afterMissingReads: 0, missingIntervalMs: 0, graceMs: 0 };

/** Under which source, key, filter, scope and join the last complete read was made. */
const contextFact = (entity: Entity): string => `absence.context.${entity}`;
/** The same, of the last run in which being out of scope was a leaving and nobody was left to be asked about; else `keep`. */
const SCOPE_FACT = 'guards.scope';

/** @param evidenceOf the whole read that decides what exists of an entity; null when it was not read */
export function createLeavers(
  config: Config,
  stores: Stores,
  evidenceOf: (entity: Entity) => ReadEvidence | null,
  now: string,
): Leavers {
  const { history, work } = stores;
  const seen = new Map<Entity, Map<string, AbsenceRecord>>();
  const due = new Map<Entity, { count: number; since: string }>();
  const contexts = new Map(ENTITIES.map((entity) => [entity, digestOf(config, entity)] as const));
  const contextOf = (entity: Entity): string => contexts.get(entity) ?? '';
  const ruleOf = (entity: Entity): LeaverConfig => config.mappings[entity]?.leaver ?? NEVER;
  const scope = config.users?.outOfScope === 'deactivate' ? contextOf('users') : 'keep';
  const unread = { due: false, text: 'the source was not read' };
  const edits = new Map(
    ENTITIES.map((entity) => {
      const last = history.fact(contextFact(entity));
      return [entity, last !== null && last !== contextOf(entity)] as const;
    }),
  );

  const watch = (entity: Entity, key: string): Watched => ({
    previous: history.absence(entity, key),
    rule: ruleOf(entity),
    context: contextOf(entity),
    now,
    edited: edits.get(entity) === true,
  });

  function judge(
    entity: Entity,
    key: string,
    { next, due: isDue, text, sinceEdit, proven }: AbsenceObservation,
  ): LeaverVerdict {
    const ofEntity = seen.get(entity) ?? new Map<string, AbsenceRecord>();
    if (next !== null) seen.set(entity, ofEntity.set(key, next));
    const since = next === null || proven === false ? {} : { since: next.firstAt };
    return { due: isDue, text, ...since, ...(sinceEdit === true ? { sinceEdit } : {}) };
  }

  function countDue(entity: Entity, { due: isDue, next }: AbsenceObservation): void {
    if (!isDue || next === null || next.kind === 'left') return;
    const { count, since } = due.get(entity) ?? { count: 0, since: now };
    due.set(entity, { count: count + 1, since: next.firstAt < since ? next.firstAt : since });
  }

  /** @param text in whose words, when the source itself says so */
  function judgeSaid(entity: Entity, key: string, text: string): LeaverVerdict {
    return judge(entity, key, observeLeaver(watch(entity, key), text, evidenceOf(entity)?.delivery ?? ''));
  }

  return {
    explicit(entity, key) {
      const source = isAccount(entity) ? (config.users?.existence ?? '') : (evidenceOf(entity)?.source ?? entity);
      return judgeSaid(entity, key, `${source} says so: ${ruleOf(entity).when ?? ''}`);
    },
    gone: (entity, key, source) => judgeSaid(entity, key, `deleted in ${source}`),
    absent(entity, key) {
      const evidence = evidenceOf(entity);
      if (evidence === null) return unread;
      const seenIn = findNamed(stores, entity, key);
      const proof = seenIn === null ? evidence : { ...evidence, complete: false, incompleteBecause: tellNamed(seenIn) };
      const observed = observeAbsence(watch(entity, key), proof);
      countDue(entity, observed);
      return judge(entity, key, observed);
    },
    outOfScope(entity, key) {
      const evidence = evidenceOf(entity);
      if (evidence === null) return unread;
      const expression = config.mappings[entity]?.scope ?? '';
      return judge(entity, key, observeOutOfScope(watch(entity, key), evidence, expression));
    },
    toAsk: () => [
      'absent_since_edit',
      ...(history.fact(SCOPE_FACT) === scope ? [] : (['out_of_scope'] satisfies ReasonKind[])),
    ],
    proof() {
      const proofs = [...due].flatMap(([entity, { count, since }]): readonly Json[] => {
        const evidence = evidenceOf(entity);
        return evidence === null ? [] : [{ entity, count, ...listReads(evidence, since) }];
      });
      return proofs.length === 0 ? null : proofs;
    },
    forget(entity) {
      seen.delete(entity);
      due.delete(entity);
    },
    save(run = { guards: [], only: null, stopped: [] }) {
      // Where nothing was judged, an edit of the configuration is as new in the next run as in this one.
      const isJudged = (entity: Entity): boolean => !run.stopped.some((stop) => stop.entity === entity);
      stores.state.transaction(() => {
        for (const entity of ENTITIES) {
          const ofEntity = seen.get(entity);
          for (const [key, record] of ofEntity ?? []) history.saveAbsence(entity, key, record);
          const isBack = (key: string): boolean => ofEntity?.has(key) !== true && work.isStaged(entity, key);
          history.clearAbsence(entity, history.absentKeys(entity).filter(isBack));
          if (evidenceOf(entity)?.complete === true && isJudged(entity))
            history.setFact(contextFact(entity), contextOf(entity));
        }
        const waits = run.guards.some(({ guard }) => guard === 'users.out_of_scope');
        if (evidenceOf('users')?.complete === true && isJudged('users') && run.only === null && !waits)
          history.setFact(SCOPE_FACT, scope);
      });
    },
  };

  function listReads(evidence: ReadEvidence, since: string): { readonly source: string; readonly reads: Json } {
    const { source, delivery, at, rows, digest, kind } = evidence;
    const earlier = history
      .completeReadsSince(source, since)
      .filter((read) => kind === 'live' || read.delivery !== delivery)
      .map((read): Json => ({ at: read.at, read_at: read.readAt, rows: read.rows, digest: read.digest }));
    // Of this read the time is left out: the same input must give the same plan.
    return { source, reads: [...earlier, { at, read_at: null, rows, digest }] };
  }
}

/** The place of a row that could not be used and that names the object of a link (docs/decisions/0005). */
export function findNamed({ links, mirror, work }: Stores, entity: Entity, key: string): string | null {
  if (!work.isAnyUnusable(entity)) return null;
  const link = links.find(entity, key);
  const shown = link === null ? null : mirror.get(entity, link.serviceId);
  return work.findUnusable(entity, listIdentities(entity, key, [link?.base ?? null, shown?.values ?? null]));
}

function tellNamed(place: string): string {
  return `the row at ${place} could not be used, and names it`;
}

/** A counter under another source, filter, scope or join starts again: what is missing then may have been filtered out. */
function digestOf(config: Config, entity: Entity): string {
  const mapping = config.mappings[entity];
  const origins = mapping === undefined ? [] : 'existence' in mapping ? [mapping.existence] : mapping.from;
  const streams = listStreams(config.sources);
  const shapes = origins.map((origin): Json => {
    const stream = streams.find(({ name }) => name === origin);
    return stream === undefined ? null : [stream.type, ...kindOf(stream).describeAbsence(stream.config)];
  });
  const enrich = mapping !== undefined && 'enrich' in mapping ? mapping.enrich : {};
  const parts: Json = [[...origins], shapes, mapping?.scope ?? null, enrich as unknown as Json];
  return sha256(canonicalJson(parts));
}
