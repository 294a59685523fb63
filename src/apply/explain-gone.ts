import { asSyncError } from '../base/errors.js';
import { lookUp, type Sought } from '../mirror/look-up.js';
import { idOfIn } from '../model/directory.js';
import { type Entity, liesOnCv, TRAITS } from '../model/entity.js';
import { textOf } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';
import { ServiceError } from '../service/service-error.js';
import type { Execution } from './execution.js';
import { StepFailure } from './send-or-find.js';

/**
 * Looks up the object of a call that was answered with 404. Someone may have deleted it since the last read, which the
 * users feed does not show. An object that is gone is removed from the mirror. The next run then treats it like any
 * linked object that was deleted in the service, with the same guards. An answer of 404 alone proves nothing, because it
 * may be about another part of the call.
 */
export async function explainGone(
  change: PlannedChange,
  failure: StepFailure,
  execution: Execution,
): Promise<StepFailure> {
  const { reason, outcome } = failure;
  if (outcome !== 'refused' || !(reason instanceof ServiceError) || reason.status !== 404) return failure;
  const gone: Entity[] = [];
  for (const sought of listSought(change, execution)) if (await isGone(sought, execution)) gone.push(sought.entity);
  const [first] = gone;
  return first === undefined ? failure : new StepFailure(outcome, buildGone(first, reason));
}

/** The object of the change, and the person if the object is on a CV. Objects that the mirror lacks are unknown anyway. */
function listSought({ entity, target, after }: PlannedChange, { calls }: Execution): readonly Sought[] {
  const own = target === null ? null : calls.mirrored(entity, target);
  const userId = textOf(own?.values.user_id) || idOfIn(calls.directory)('users', textOf(after.user));
  const person = liesOnCv(entity) && userId !== null ? calls.mirrored('users', userId) : null;
  return [person, own].filter((one) => one !== null);
}

/** False if a look-up cannot decide. */
async function isGone(sought: Sought, { calls, stores, signal }: Execution): Promise<boolean> {
  const { entity, id } = sought;
  const found = await lookUp(sought, { reader: calls.reader, mirror: stores.mirror, signal }).catch(asSyncError);
  if (found === 'gone') stores.mirror.remove(entity, [id]);
  return found === 'gone';
}

function buildGone(gone: Entity, { init }: ServiceError): ServiceError {
  return new ServiceError({
    ...init,
    code: 'SYNC_OBJECT_GONE',
    message: `The service answered 404, and a look-up shows that the ${TRAITS[gone].singular} no longer exists there.`,
    remedy:
      'No action needed: the next run links a matching object or creates it again, if the guards allow it. With `drift: report` it only reports the deletion.',
  });
}
