import { isAccount, isLink } from './entity.js';
import { type Change, reopens } from './plan.js';

/** The occasions on which the service may e-mail people. */
export interface Notifications {
  readonly create: boolean;
  readonly reactivate: boolean;
  readonly staffing: boolean;
}

/**
 * Checks whether the service e-mails a person because of a change (spec, Events). An undo sends no e-mail, because people who
 * are restored got no e-mail when they were removed.
 */
export function sendsMail(
  { entity, action, undoes, after }: Pick<Change, 'entity' | 'action' | 'undoes' | 'after'>,
  notify: Notifications,
): boolean {
  if (undoes !== undefined) return false;
  if (isLink(entity)) return action === 'create' && notify.staffing;
  if (!isAccount(entity)) return false;
  return action === 'create' ? notify.create : reopens({ action, after }) && notify.reactivate;
}
