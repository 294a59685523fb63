import { asSyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { Action, Entity } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { GuardPreview, ReasonKind } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';
import type { DeriveContext } from '../derive-context.js';
import { derivePlan } from '../derive-plan.js';
import { evidences } from '../reads/evidence.js';
import { type StageContext, type StagedEntity, stageEntities } from '../staging/stage-sources.js';

/** Everything needed to derive a plan under an earlier configuration: a separate scratch state over the same files. */
export interface EarlierApp {
  readonly config: Config;
  readonly stores: Stores;
  readonly mappers: Readonly<Partial<Record<Entity, Mapper>>>;
  readonly stageContext: StageContext;
  readonly protectedBy: (user: Observed) => string | null;
  close(): Promise<void>;
}

/** The configuration of the last run that went through; `open` throws if it cannot be used. */
export interface Earlier {
  readonly paths: readonly string[];
  readonly run: string | null;
  open(): Promise<EarlierApp>;
}

/** Returns the number of changes that a guard would count. */
export type PreviewOf = (guard: string, now: number) => GuardPreview;

/**
 * Derives the plan a second time from the same data, under the configuration of the last run that went through. It
 * repeats the entire derivation, because an edited key, scope or match affects people whose fields have not changed.
 * The sources are read again, because their rows are not kept. This happens only after a trip under an edited
 * configuration. Nothing is saved, and the service is not read.
 */
export async function previewEarlier(earlier: Earlier, context: DeriveContext): Promise<PreviewOf> {
  const { paths, run } = earlier;
  const fail =
    (unknown: string): PreviewOf =>
    (_guard, found) => ({ before: null, now: found, paths, run, unknown });
  let app: EarlierApp | null = null;
  try {
    app = await earlier.open();
    const { config, stores, mappers, stageContext, protectedBy } = app;
    stores.work.reset();
    const again = await stageEntities(mappers, stageContext);
    const moved = findMoved(context.staged, again);
    if (moved !== null) return fail(`${moved} had different data when it was read again`);
    const refresh = { ...context.refresh, config };
    await derivePlan({ ...context, config, stores, mappers, refresh, staged: again, protectedBy, serviceRead: true });
    const counts = countAll(stores);
    return (guard, found) => ({ before: counts(guard), now: found, paths, run });
  } catch (error) {
    return fail(asSyncError(error).message);
  } finally {
    await app?.close();
  }
}

/** The first source that cannot be read now, or whose content differs from the run's own read. */
function findMoved(staged: readonly StagedEntity[], again: readonly StagedEntity[]): string | null {
  const digests = new Map(
    staged.flatMap(({ deciding, enriching }) =>
      evidences([...deciding, ...enriching]).map(({ source, digest }) => [source, digest] as const),
    ),
  );
  for (const { deciding, enriching } of again) {
    for (const { source, evidence, error } of [...deciding, ...enriching]) {
      const known = digests.get(source);
      if (error !== null || (known !== undefined && known !== evidence?.digest)) return source;
    }
  }
  return null;
}

/** Kinds of reason that have a guard of their own, for example `users.out_of_scope`. */
export const REASON_GUARDS = ['out_of_scope', 'absent_since_edit'] as const satisfies readonly ReasonKind[];

/** Copies the numbers while the scratch state exists. */
function countAll({ work }: Stores): (guard: string) => number {
  const actions = work.counts();
  const fields = new Map(
    (Object.keys(actions) as Entity[]).map((entity) => [entity, work.touchedFields(entity, 'all')]),
  );
  const reasons = work.removalReasons('all');
  return (guard) => {
    const [entity, part, field] = guard.split('.') as [Entity, string, string | undefined];
    if (part === 'fields' && field !== undefined) return fields.get(entity)?.get(field) ?? 0;
    if (REASON_GUARDS.some((kind) => kind === part)) return reasons.get(guard) ?? 0;
    return actions[entity]?.[part as Action] ?? 0;
  };
}
