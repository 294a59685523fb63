import type { Candidate } from '../../model/desired.js';
import type { Action } from '../../model/entity.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import type { ReconcilePorts } from '../ports.js';

/** What is never done to an administrator: to lose one by a wrong row is to lose the account. */
const ADMINISTRATOR_FIELDS: ReadonlySet<string> = new Set(['deactivated', 'roles', 'email']);

export function isAdministrator({ values }: Observed): boolean {
  const { role, roles } = values;
  return role === 'internationalmanager' || (Array.isArray(roles) && roles.includes('internationalmanager'));
}

/**
 * Takes out of a change what protection forbids, and says so:
 * an account that a `protect` expression names is not touched at all; an administrator (role internationalmanager) keeps
 * activation, role and e-mail, the rest goes on. Answers 'held' when nothing of the change is left.
 */
export function guardProtected(
  record: Candidate | { readonly key: string; readonly place: string },
  observed: Observed | null,
  after: Values,
  action: Action,
  ports: ReconcilePorts,
): Values | 'held' {
  // Only accounts can be protected; anything else has no e-mail or role that an expression could ask for.
  if (
    observed === null ||
    observed.entity !== 'users' ||
    Object.keys(after).length + (action === 'update' ? 0 : 1) === 0
  )
    return after;
  const key = 'desired' in record ? record.desired.key : record.key;
  const place = 'desired' in record ? formatPlace(record.desired.place) : record.place;
  const report = (reason: string, remedy: string, values: Json = {}): void =>
    ports.plan.hold({
      ...{ entity: observed.entity, key, place, code: 'SYNC_ACCOUNT_PROTECTED', reason, remedy },
      about: canonicalJson([reason, values]),
    });
  const expression = ports.service.protectedBy(observed);
  if (expression !== null) {
    const what = action === 'delete' ? 'not deleted' : `${action} of ${Object.keys(after).join(', ')} left out`;
    report(
      `${observed.label} is protected by \`${expression}\`: ${what}.`,
      'Make the change in the service by hand, or take the account out of `users.protect`.',
      after,
    );
    return 'held';
  }
  if (!isAdministrator(observed)) return after;
  if (action === 'delete') {
    report(`${observed.label} is an administrator: not deleted.`, 'Delete the account in the service by hand.');
    return 'held';
  }
  const kept: Record<string, Json> = {};
  const refused: string[] = [];
  for (const [name, value] of Object.entries(after)) {
    if (ADMINISTRATOR_FIELDS.has(name)) refused.push(name);
    else kept[name] = value;
  }
  if (action === 'reactivate') refused.push('activation');
  if (refused.length === 0) return after;
  report(
    `${observed.label} is an administrator: ${refused.join(', ')} left as ${refused.length === 1 ? 'it is' : 'they are'}.`,
    'Change an administrator in the service by hand, or take the administrator role away there first.',
    Object.fromEntries(Object.entries(after).filter(([name]) => refused.includes(name))),
  );
  const isRest = action === 'update' || action === 'relink';
  return isRest && Object.keys(kept).length > 0 ? kept : 'held';
}
