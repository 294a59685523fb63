import { isAccount } from '../../model/entity.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import type { Draft } from './draft.js';

/** What is never done to an administrator: to lose one by a wrong row is to lose the account. */
const ADMINISTRATOR_FIELDS: ReadonlySet<string> = new Set(['deactivated', 'roles', 'email']);

export function isAdministrator({ values }: Observed): boolean {
  const { role, roles } = values;
  return role === 'internationalmanager' || (Array.isArray(roles) && roles.includes('internationalmanager'));
}

/** An account that is protected, and the access of administrators, is left as it is, whatever the sources say. */
export function keepProtected(draft: Draft): void {
  const allowed = guardProtected(draft, draft.observed, draft.ports);
  if (allowed !== 'held') draft.after = allowed;
  // A link is ours: it moves although nothing of the account may.
  else if (draft.movesLink) draft.after = {};
  else draft.isSettled = true;
}

/** A change as protection judges it. */
type Wanted = Pick<Change, 'key' | 'place' | 'action' | 'after'>;

/** Why a change, or a part of it, is left out: said with the values that it is about. */
interface Protection {
  readonly reason: string;
  readonly remedy: string;
  readonly values: Json;
  /** Names of the fields, where the rest of the change goes on. */
  readonly field?: string;
}

/**
 * Takes out of a change what protection forbids, and says so:
 * an account that a `protect` expression names is not touched at all; an administrator (role internationalmanager) keeps
 * activation, role and e-mail, the rest goes on. Answers 'held' when nothing of the change is left.
 */
export function guardProtected(
  change: Wanted,
  observed: Observed | null,
  { plan, service }: ReconcilePorts,
): Values | 'held' {
  const { key, place, action, after } = change;
  // Only accounts can be protected; anything else has no e-mail or role that an expression could ask for.
  if (observed === null || !isAccount(observed.entity)) return after;
  if (action === 'update' && Object.keys(after).length === 0) return after;
  const expression = service.protectedBy(observed);
  const refusal =
    expression === null ? refuseAdministrator(change, observed) : refuseNamed(change, observed, expression);
  if (refusal === null) return after;
  const { reason, remedy, values, ...alone } = refusal;
  const about = canonicalJson([reason, values]);
  plan.hold({ entity: observed.entity, key, place, code: 'SYNC_ACCOUNT_PROTECTED', reason, remedy, about, ...alone });
  const kept = expression === null ? pickFields(after, (name) => !ADMINISTRATOR_FIELDS.has(name)) : {};
  const isRest = action === 'update' || action === 'relink';
  return isRest && Object.keys(kept).length > 0 ? kept : 'held';
}

function refuseNamed({ action, after }: Wanted, { label }: Observed, expression: string): Protection {
  const isPart = action === 'update' || action === 'relink';
  const what = isPart ? `${action} of ${Object.keys(after).join(', ')} left out` : `not ${action}d`;
  return {
    reason: `${label} is protected by \`${expression}\`: ${what}.`,
    remedy: 'Make the change in the service by hand, or take the account out of `users.protect`.',
    values: after,
  };
}

function refuseAdministrator({ action, after }: Wanted, observed: Observed): Protection | null {
  const { label } = observed;
  if (!isAdministrator(observed)) return null;
  if (action === 'delete') {
    const remedy = 'Delete the account in the service by hand.';
    return { reason: `${label} is an administrator: not deleted.`, remedy, values: {} };
  }
  const fields = Object.keys(after).filter((name) => ADMINISTRATOR_FIELDS.has(name));
  const isWhole = action !== 'update' && action !== 'relink';
  const refused = [...fields, ...(action === 'reactivate' ? ['activation'] : [])];
  if (refused.length === 0) return null;
  const told = [...new Set(refused.map((name) => (name === 'deactivated' ? 'activation' : name)))];
  return {
    reason: `${label} is an administrator: ${told.join(', ')} left as ${told.length === 1 ? 'it is' : 'they are'}.`,
    remedy:
      'Change an administrator in the service by hand, or take the administrator role away there first and run `talent-sync sync --full`: only a full read shows roles.',
    values: pickFields(after, (name) => refused.includes(name)),
    ...(isWhole ? {} : { field: fields.join(', ') }),
  };
}
