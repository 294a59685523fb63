import { isAccount } from '../../model/entity.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { accessFields } from '../../model/person-fields.js';
import type { Change } from '../../model/plan.js';
import { ADMINISTRATOR, fillsKey, isAdministrator, rulingRoles } from '../../model/power.js';
import type { ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import type { Draft } from './draft.js';

/** Fields of an administrator that no change touches, because a wrong row could otherwise cost access to the account. */
const KEPT: ReadonlySet<string> = new Set(accessFields('identity', 'power'));

/** Leaves protected accounts and the access of administrators unchanged, whatever the sources say. */
export function keepProtected(draft: Draft): void {
  const allowed = guardProtected(draft, draft.observed, draft.ports);
  if (allowed !== 'held') draft.after = allowed;
  // The link is our own data, so it moves even if nothing of the account may change.
  else if (draft.movesLink) draft.after = {};
  else draft.isSettled = true;
}

/** The parts of a change that protection judges. */
type Wanted = Pick<Change, 'key' | 'place' | 'action' | 'after'>;

/** The reason why a change, or a part of it, is left out, and the affected values. */
interface Protection {
  readonly reason: string;
  readonly remedy: string;
  readonly values: Json;
  /** The other values of an update, which are still planned. */
  readonly kept: Values;
  /** Names of the fields, if the other parts of the change are still planned. */
  readonly field?: string;
}

/**
 * Removes from a change the values that protection forbids, and holds them:
 *
 * | the account                                      | keeps                                                                        |
 * |--------------------------------------------------|------------------------------------------------------------------------------|
 * | is named by a `protect` expression               | everything                                                                   |
 * | belongs to an administrator                      | activation and every field that gives access; an empty external id is filled |
 * | belongs to an administrator made by this program | nothing by this rule: `users.promote` and the like ask                       |
 * | belongs to the last active administrator         | activation and roles                                                         |
 *
 * @returns the values that are left, or 'held' if nothing is left of the change
 */
export function guardProtected(change: Wanted, observed: Observed | null, ports: ReconcilePorts): Values | 'held' {
  const { key, place, action, after } = change;
  // Only accounts can be protected, because no other object has an e-mail or role for an expression to test.
  if (observed === null || !isAccount(observed.entity)) return after;
  if (action === 'update' && Object.keys(after).length === 0) return after;
  const expression = ports.service.protectedBy(observed);
  const refusal =
    expression === null ? refuseAdministrator(change, observed, ports) : refuseNamed(change, observed, expression);
  if (refusal === null) return after;
  const { reason, remedy, values, kept, ...alone } = refusal;
  const about = canonicalJson([reason, values]);
  const { entity } = observed;
  ports.plan.hold({ entity, key, place, code: 'SYNC_ACCOUNT_PROTECTED', reason, remedy, about, ...alone });
  const isRest = action === 'update' || action === 'relink';
  return isRest && Object.keys(kept).length > 0 ? kept : 'held';
}

function refuseNamed({ action, after }: Wanted, { label }: Observed, expression: string): Protection {
  const isPart = action === 'update' || action === 'relink';
  const what = isPart ? `${action} of ${Object.keys(after).join(', ')} left out` : `not ${action}d`;
  return {
    reason: `${label} is protected by \`${expression}\`: ${what}.`,
    remedy: 'Make the change in the service by hand, or remove the account from `users.protect`.',
    values: after,
    kept: {},
  };
}

function refuseAdministrator(change: Wanted, observed: Observed, ports: ReconcilePorts): Protection | null {
  const { action, after } = change;
  const { label, id, values } = observed;
  if (!isAdministrator(observed)) return null;
  if (action === 'delete') {
    const remedy = 'Delete the account in the service by hand.';
    return { reason: `${label} is an administrator: not deleted.`, remedy, values: {}, kept: {} };
  }
  if (ports.memory.powerGiven(id) !== null) return refuseLast(change, observed, ports);
  const fields = Object.keys(after).filter((name) => isKept(name, values));
  const refused = [...fields, ...(action === 'reactivate' ? ['activation'] : [])];
  if (refused.length === 0) return null;
  const told = [...new Set(refused.map((name) => (name === 'deactivated' ? 'activation' : name)))];
  const remedy =
    'Change administrators in the service by hand, or remove the administrator role there first and run `talent-sync sync --full`: only a full read shows roles.';
  return keepFields(change, fields, { reason: `${label} is an administrator: ${tellLeft(told)}`, remedy });
}

/** Without an administrator, nobody could repair the account. */
function refuseLast(change: Wanted, observed: Observed, { service, plan }: ReconcilePorts): Protection | null {
  const { action, after } = change;
  const fields = Object.keys(after).filter((name) => endsPower(name, after));
  const isEnding = action === 'deactivate' || fields.length > 0;
  if (!observed.active || !isEnding) return null;
  for (const other of service.administrators()) {
    const planned = other.id === observed.id ? null : plan.plannedByTarget('users', other.id);
    const isLeft = planned === null || !Object.keys(planned.after).some((name) => endsPower(name, planned.after));
    if (other.id !== observed.id && isLeft) return null;
  }
  const told = fields.map((name) => (name === 'deactivated' ? 'activation' : name));
  const remedy =
    'Make someone else an administrator first. The next run, or the same undo command, then carries it out.';
  return keepFields(change, fields, {
    reason: `${observed.label} is the last active administrator: ${tellLeft(told)}`,
    remedy,
  });
}

function keepFields(
  { action, after }: Wanted,
  fields: readonly string[],
  why: Pick<Protection, 'reason' | 'remedy'>,
): Protection {
  const isWhole = action !== 'update' && action !== 'relink';
  return {
    ...why,
    values: pickFields(after, (name) => fields.includes(name)),
    kept: pickFields(after, (name) => !fields.includes(name)),
    ...(isWhole ? {} : { field: fields.join(', ') }),
  };
}

function isKept(name: string, now: Values): boolean {
  return name === 'deactivated' || (KEPT.has(name) && !fillsKey(name, now));
}

function endsPower(name: string, after: Values): boolean {
  if (name === 'deactivated') return after[name] === true;
  return name === 'roles' && !rulingRoles({ roles: after[name] ?? null }).includes(ADMINISTRATOR);
}

function tellLeft(told: readonly string[]): string {
  return `${told.join(', ')} left unchanged.`;
}
