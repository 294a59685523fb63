import { isAccount, isLink } from './entity.js';
import { type Change, reopens } from './plan.js';

/** Of what the service may tell people by e-mail. */
export interface Notifications {
  readonly create: boolean;
  readonly reactivate: boolean;
  readonly staffing: boolean;
}

/**
 * Whether the service sends somebody an e-mail along with a change (spec, Events). Never with what an undo does: who is
 * put back got no e-mail either when they were taken out.
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
