import { SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { ACTIONS, type Entity } from '../../model/entity.js';
import { nameHeldSource, showGuard } from '../../model/held-source.js';
import type { GuardTrip } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';
import type { DeriveContext } from '../derive-context.js';
import type { StreamRead } from '../staging/read-streams.js';
import type { StagedEntity } from '../staging/stage-sources.js';
import { countPresent, rememberKnown } from './known-people.js';
import type { SuspectRead, Suspicion } from './suspicion.js';
import { SUSPICIONS } from './table.js';

export interface DoubtfulSource {
  readonly source: string;
  readonly error: SyncError;
}

type DoubtfulSources = readonly [DoubtfulSource, ...DoubtfulSource[]];

export interface SourceHolder {
  /** The reads of the run. A held source counts as not read. */
  staged(): readonly StagedEntity[];
  /** Judges the streams of an entity; null if there is no suspicion. */
  judge(entity: Entity, when: Suspicion['when']): Generator<void, DoubtfulSources | null>;
  hold(doubtful: readonly DoubtfulSource[]): void;
  /** Holds the changes that earlier entities derived from a source that is held only later. */
  holdEarlier(): void;
}

/**
 * Holds a source completely if a suspicion speaks against it and nobody has approved this very content. No change that
 * the source decides is derived or remembered; everything else continues.
 */
export function createSourceHolder(
  config: Config,
  stores: Stores,
  { staged: read, mappers, now }: Pick<DeriveContext, 'staged' | 'mappers' | 'now'>,
): SourceHolder {
  let staged = read;
  const approvals = stores.history.approvalsAt(now);
  return {
    staged: () => staged,
    *judge(entity, when) {
      const found: DoubtfulSource[] = [];
      const { deciding = [], enriching = [] } = staged.find((one) => one.entity === entity) ?? {};
      const reads = new Set([...(mappers[entity]?.reads.values() ?? [])].flat());
      for (const stream of [...deciding, ...enriching]) {
        const { source, evidence, error: failed } = stream;
        if (evidence === null || failed !== null) continue;
        const suspicions = SUSPICIONS.filter((one) => one.when === when && (one.isOfAll || deciding.includes(stream)));
        const error = yield* findDoubt({ entity, source, evidence, config, stores, reads }, suspicions, approvals);
        if (error !== null) found.push({ source, error });
      }
      const [first, ...others] = found;
      return first === undefined ? null : [first, ...others];
    },
    // Everything that depends on the source waits too.
    hold(doubtful) {
      const errorOf = new Map(doubtful.map(({ source, error }) => [source, error]));
      staged = staged.map((one) => {
        if (![...one.deciding, ...one.enriching].some(({ source }) => errorOf.has(source))) return one;
        stores.work.unstage(one.entity);
        const holdOne = (stream: StreamRead): StreamRead => {
          const error = errorOf.get(stream.source);
          return error === undefined ? stream : { source: stream.source, evidence: null, error };
        };
        const [deciding, enriching] = [one.deciding.map(holdOne), one.enriching.map(holdOne)];
        if (deciding.some(({ error }) => error !== null)) return { ...one, deciding, enriching };
        // The entity has no rows left, which must not look as if everyone had gone.
        const error = enriching.find((stream) => stream.error?.trip !== undefined)?.error ?? null;
        return { ...one, deciding: deciding.map(({ source }) => ({ source, evidence: null, error })), enriching };
      });
    },
    holdEarlier() {
      for (const { entity, deciding, enriching } of staged) {
        const trip = [...deciding, ...enriching].find(({ error }) => error?.trip !== undefined)?.error?.trip;
        if (trip === undefined) continue;
        for (const action of ACTIONS) stores.work.withhold(entity, action, { by: 'guard', name: trip.guard });
      }
    },
  };
}

/** Finds the first suspicion that nobody has approved for this very content. */
function* findDoubt(
  read: SuspectRead,
  suspicions: readonly Suspicion[],
  approvals: ReadonlyMap<string, unknown>,
): Generator<void, SyncError | null> {
  const { source, evidence } = read;
  for (const suspicion of suspicions) {
    if (approvals.has(nameHeldSource(source, suspicion.name, evidence.digest))) continue;
    const doubt = yield* suspicion.judge(read);
    if (doubt === null) continue;
    const guard = nameHeldSource(source, suspicion.name, doubt.digest ?? evidence.digest);
    if (approvals.has(guard)) continue;
    const { limit, found, cause, detail, readings } = doubt;
    const remedy =
      readings?.(showGuard(guard)) ??
      `${doubt.remedy} To use it: \`talent-sync approve --guard ${showGuard(guard)} --reason "…"\``;
    return new SyncError('SYNC_SOURCE_SUSPECT', {
      message: `The source ${source} is held: ${detail}. It is pending as ${showGuard(guard)}.`,
      place: evidence.at,
      remedy,
      trip: { guard, limit, found, cause, detail, held: evidence.rows, ...(readings === undefined ? {} : { remedy }) },
    });
  }
  return null;
}

/** The held sources, as guards that tripped. */
export function listHeldSources(staged: readonly StagedEntity[]): readonly GuardTrip[] {
  const trips = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ error }) => (error?.trip === undefined ? [] : [error.trip]));
  return [...new Map(trips.map((trip) => [trip.guard, trip])).values()];
}

const HELD_MARK = 'sources.held';

/** Stores the sources that the newest plan could not use, so that commands can show them without reading them. */
export function noteHeldSources({ mirror }: Stores, staged: readonly StagedEntity[]): void {
  mirror.setMark(HELD_MARK, JSON.stringify(listHeldSources(staged)));
}

export function readHeldSources({ mirror }: Stores): readonly GuardTrip[] {
  return JSON.parse(mirror.mark(HELD_MARK) ?? '[]') as readonly GuardTrip[];
}

/** After a run that used its sources, remembers the data that the next read of each source is compared with. */
export function* rememberSources(
  config: Config,
  stores: Stores,
  staged: readonly StagedEntity[],
): Generator<void, void> {
  for (const { entity, deciding } of staged) {
    for (const { source, evidence, error } of deciding) {
      if (evidence?.complete !== true || error !== null || config.sourceSuspicions[source] === undefined) continue;
      const known = yield* countPresent({ entity, source, config, stores });
      rememberKnown(stores, entity, source, { known, rows: evidence.rows });
    }
  }
}
