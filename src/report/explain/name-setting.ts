import type { App } from '../../app/app.js';
import { type Entity, isAccount } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { PlannedChange, ReasonKind } from '../../model/plan.js';

interface Decided {
  readonly entity: Entity;
  readonly key: string;
  readonly object: Observed | null;
  readonly change: Pick<PlannedChange, 'action' | 'reason'> | null;
}

/**
 * Names the setting that decides if the object leaves, or why it stays although its row is missing, out of scope or marks a
 * leaver. Null if no setting decides this.
 */
export function nameSetting({ config, stores }: App, { entity, key, object, change }: Decided): string | null {
  const mapping = config.mappings[entity];
  if (mapping === undefined || object === null) return null;
  const leaver = isAccount(entity) ? 'users.leaver' : `${entity}.remove`;
  const missing = `${leaver}.after_missing_reads`;
  const state = stores.work.stagedByKey(entity, key)?.state ?? null;
  if (change === null) {
    if (state === null) return mapping.leaver === null ? null : missing;
    const hasGrace = (mapping.leaver?.graceMs ?? 0) > 0;
    return nameState(state, { entity, leaver, isActive: object.active, policy: config.policy, hasGrace });
  }
  if (isAccount(entity) && change.action === 'delete') return `${leaver}.purge`;
  return nameReason(change.reason.kind, { state, leaver, missing });
}

/** Names the setting for an unchanged object whose row has a state. */
function nameState(
  state: string,
  {
    entity,
    leaver,
    isActive,
    policy,
    hasGrace,
  }: Pick<Decided, 'entity'> & {
    readonly leaver: string;
    readonly isActive: boolean;
    readonly policy: string;
    readonly hasGrace: boolean;
  },
): string | null {
  if (state === 'out') return isAccount(entity) ? 'users.out_of_scope' : `${entity}.scope`;
  if (state !== 'leaver') return null;
  if (!isActive) return `${leaver}.when`;
  if (policy !== 'sync') return 'policy';
  // Without a grace, something else keeps the person, such as a pin or a decline, which has a line of its own.
  return hasGrace ? `${leaver}.grace` : null;
}

function nameReason(
  kind: ReasonKind,
  { state, leaver, missing }: { readonly state: string | null; readonly leaver: string; readonly missing: string },
): string | null {
  switch (kind) {
    case 'left':
    case 'gone':
      if (state === 'leaver') return `${leaver}.when`;
      return state === null ? missing : null;
    case 'absent':
    case 'absent_since_edit':
      return missing;
    case 'out_of_scope':
      return 'users.out_of_scope';
    case 'unowned':
      return 'users.unowned';
    default:
      return null;
  }
}
