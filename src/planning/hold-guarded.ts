import type { Config } from '../config/config.js';
import type { Action, Entity } from '../model/entity.js';
import type { GuardTrip } from '../model/plan.js';
import { describeTrip, type Excess, findExcess, findFieldExcess } from '../reconcile/guard.js';
import type { CauseEvidence } from '../reconcile/guard-cause.js';
import type { Stores } from '../store/open-stores.js';
import { type PreviewContext, previewEarlier } from './preview.js';

type Held = Excess & { readonly held: number };

/**
 * Marks what an operator has approved, lets the guards count the rest, and sets aside what trips and all that needs it.
 * Everything else stays in the plan.
 *
 * @param preview what the earlier configuration would have done is derived only when something trips under an edited one
 */
export async function holdGuarded(
  config: Config,
  stores: Stores,
  evidence: (entity: Entity) => CauseEvidence,
  now: string,
  preview: PreviewContext | null = null,
): Promise<readonly GuardTrip[]> {
  const { work, history } = stores;
  const approvals = history.approvalsAt(now);
  for (const [changeId, { id, who, reason }] of approvals)
    work.approveId(changeId, `${id} by ${who}: ${reason || 'no reason given'}`);
  const found = [...holdFields(config, stores), ...holdActions(config, stores)];
  work.propagateWithheld();
  const isEdited = found.some(({ entity }) => evidence(entity).configurationChanged);
  const previewOf = isEdited && preview !== null ? await previewEarlier(preview) : null;
  return found.map(({ held, ...excess }) => {
    const facts = evidence(excess.entity);
    const shown = previewOf !== null && facts.configurationChanged;
    return {
      ...describeTrip(excess, shown ? { ...facts, preview: previewOf(excess.guard, excess.found) } : facts),
      held,
    };
  });
}

/** All fields are counted before any of them holds its changes, so that one change may wait for several. */
function holdFields({ guards }: Config, { work }: Stores): readonly Held[] {
  const touched = (entity: Entity): ReadonlyMap<string, number> => work.touchedFields(entity, 'unapproved');
  return findFieldExcess(guards, touched, work.linkedActive).map(({ field, ...excess }) => ({
    ...excess,
    held: work.withholdField(excess.entity, field, excess.guard),
  }));
}

/** After the fields: what these hold is not counted a second time, so that the guard with the narrower name speaks. */
function holdActions({ guards }: Config, { work }: Stores): readonly Held[] {
  return findExcess(guards, work.countUnapproved, work.linkedActive).map((excess) => {
    const [entity, action] = excess.guard.split('.') as [Entity, Action];
    return { ...excess, held: work.withhold(entity, action, { by: 'guard', name: excess.guard }) };
  });
}
