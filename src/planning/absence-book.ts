import type { LeaverConfig } from '../config/entities/entity-schema.js';
import { ENTITIES, type Entity, isAccount } from '../model/entity.js';
import type { Json } from '../model/json.js';
import type { GuardTrip, ReasonKind } from '../model/plan.js';
import type { ReadEvidence } from '../model/source.js';
import type { AbsenceObservation, AbsenceRecord, Watched } from '../reconcile/leavers/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';
import type { MissingSince } from './missing-people.js';

/** The source, key, filter, scope and join of the last complete read. */
const contextFact = (entity: Entity): string => `absence.context.${entity}`;
/** ISO 8601: when a complete read last counted. */
export const countedFact = (entity: Entity): string => `absence.counted.${entity}`;
/** The context of the last run in which being out of scope counted as leaving, with no decision about it pending; else `keep`. */
const SCOPE_FACT = 'guards.scope';

/** The rules for counting absences. */
interface AbsenceRules {
  readonly stores: Stores;
  readonly evidenceOf: (entity: Entity) => ReadEvidence | null;
  readonly ruleOf: (entity: Entity) => LeaverConfig;
  readonly contextOf: (entity: Entity) => string;
  /** The context under which being out of scope counts as leaving; else `keep`. */
  readonly scope: string;
  readonly now: string;
}

/** The parts of a run that decide whether its counters are complete. */
export interface AbsenceRun {
  readonly guards: readonly GuardTrip[];
  readonly only: string | null;
  readonly stopped: readonly { readonly entity: Entity }[];
}

/** A run's observations of people who are missing or leaving; they are stored only once the run is saved. */
export interface AbsenceBook {
  watch(entity: Entity, key: string): Watched;
  note(entity: Entity, key: string, observation: AbsenceObservation): LeaverVerdict;
  countDue(entity: Entity, observation: AbsenceObservation): void;
  /** Reasons for leaving that need approval regardless of the limits, because an edit of the configuration caused them. */
  toAsk(): readonly ReasonKind[];
  /** The reads that prove the due absences, by entity; null if there are none. */
  proof(): Json;
  /** The people who are missing and active, grouped by the first read that missed them; oldest first. */
  missingPeople(): readonly MissingSince[];
  /** Discards the observations of an entity. */
  forget(entity: Entity): void;
  /** Updates the counters on disk for people who are missing or leaving now, and for people who are back. */
  save(run: AbsenceRun): void;
}

type SeenAbsences = ReadonlyMap<Entity, ReadonlyMap<string, AbsenceRecord>>;

export function createAbsenceBook(rules: AbsenceRules): AbsenceBook {
  const { evidenceOf, ruleOf, contextOf, scope, now } = rules;
  const { history } = rules.stores;
  const seen = new Map<Entity, Map<string, AbsenceRecord>>();
  const due = new Map<Entity, { count: number; since: string }>();
  const edits = new Map(
    ENTITIES.map((entity) => {
      const last = history.fact(contextFact(entity));
      return [entity, last !== null && last !== contextOf(entity)] as const;
    }),
  );
  return {
    watch(entity, key) {
      const [previous, edited] = [history.absence(entity, key), edits.get(entity) === true];
      return { previous, rule: ruleOf(entity), context: contextOf(entity), now, edited };
    },
    note(entity, key, { next, due: isDue, text, sinceEdit, proven }) {
      const ofEntity = seen.get(entity) ?? new Map<string, AbsenceRecord>();
      if (next !== null) seen.set(entity, ofEntity.set(key, next));
      const since = next === null || proven === false ? {} : { since: next.firstAt };
      return { due: isDue, text, ...since, ...(sinceEdit === true ? { sinceEdit } : {}) };
    },
    countDue(entity, { due: isDue, next }) {
      if (!isDue || next === null || next.kind === 'left') return;
      const { count, since } = due.get(entity) ?? { count: 0, since: now };
      due.set(entity, { count: count + 1, since: next.firstAt < since ? next.firstAt : since });
    },
    toAsk: () => ['absent_since_edit', ...(history.fact(SCOPE_FACT) === scope ? [] : (['out_of_scope'] as const))],
    proof() {
      const proofs = [...due].flatMap(([entity, { count, since }]): readonly Json[] => {
        const evidence = evidenceOf(entity);
        if (evidence === null) return [];
        return [{ entity, count, ...listReads(evidence, since, ruleOf(entity).missingIntervalMs, history) }];
      });
      return proofs.length === 0 ? null : proofs;
    },
    missingPeople() {
      const { work } = rules.stores;
      const ofUsers = seen.get('users');
      if (ofUsers === undefined) return [];
      const counts = new Map<string, number>();
      for (const { key, id } of work.missing('users')) {
        const record = ofUsers.get(key);
        if (record?.kind !== 'absent' && record?.kind !== 'edited') continue;
        // An active record under another key matches the account, so the person is not missing.
        if (work.claimants('users', id).length > 0) continue;
        counts.set(record.firstAt, (counts.get(record.firstAt) ?? 0) + 1);
      }
      return [...counts].map(([at, count]) => ({ at, count })).sort((a, b) => (a.at < b.at ? -1 : 1));
    },
    forget(entity) {
      seen.delete(entity);
      due.delete(entity);
    },
    save: (run) => rules.stores.state.transaction(() => saveSeen(seen, run, rules)),
  };
}

function saveSeen(
  seen: SeenAbsences,
  run: AbsenceRun,
  { stores: { history, work }, evidenceOf, ruleOf, contextOf, scope, now }: AbsenceRules,
): void {
  // If nothing was judged, the next run still treats an edit of the configuration as new.
  const isJudged = (entity: Entity): boolean =>
    evidenceOf(entity)?.complete === true && !run.stopped.some((stop) => stop.entity === entity);
  const counts = (entity: Entity): boolean => {
    const countedAt = evidenceOf(entity)?.signalled?.countedAt ?? null;
    return countedAt === null || Date.parse(now) - Date.parse(countedAt) >= ruleOf(entity).missingIntervalMs;
  };
  for (const entity of ENTITIES) {
    const ofEntity = seen.get(entity);
    for (const [key, record] of ofEntity ?? []) history.saveAbsence(entity, key, record);
    // A row that still reports a leaver is no longer compared, but the person is not back.
    const isStillOut = (key: string): boolean => isAccount(entity) && work.stagedByKey(entity, key)?.state === 'leaver';
    const isBack = (key: string): boolean =>
      ofEntity?.has(key) !== true && work.isStaged(entity, key) && !isStillOut(key);
    history.clearAbsence(entity, history.absentKeys(entity).filter(isBack));
    if (!isJudged(entity)) continue;
    history.setFact(contextFact(entity), contextOf(entity));
    if (counts(entity)) history.setFact(countedFact(entity), now);
  }
  const waits = run.guards.some(({ guard }) => guard === 'users.out_of_scope');
  if (isJudged('users') && run.only === null && !waits) history.setFact(SCOPE_FACT, scope);
}

/** Lists the reads that count as proof. Reads closer together than the interval are one proof, and the first of them counts. */
function listReads(
  { source, delivery, at, rows, digest, kind }: ReadEvidence,
  since: string,
  intervalMs: number,
  history: Stores['history'],
): { readonly source: string; readonly reads: Json } {
  let nextMs = 0;
  const earlier = history
    .completeReadsSince(source, since)
    .filter((read) => kind === 'live' || read.delivery !== delivery)
    .filter(({ readAt }) => {
      if (Date.parse(readAt) < nextMs) return false;
      nextMs = Date.parse(readAt) + intervalMs;
      return true;
    })
    .map((read): Json => ({ at: read.at, read_at: read.readAt, rows: read.rows, digest: read.digest }));
  // The time of this read is left out, because the same input must give the same plan.
  return { source, reads: [...earlier, { at, read_at: null, rows, digest }] };
}
