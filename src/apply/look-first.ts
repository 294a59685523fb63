import { type Clock, isoNow } from '../base/clock.js';
import { asSyncError, SyncError } from '../base/errors.js';
import { observeUser } from '../mirror/observe.js';
import { isSameStamp } from '../model/departure.js';
import type { Observed } from '../model/observed.js';
import type { PlannedChange } from '../model/plan.js';
import { isAdministrator } from '../model/power.js';
import type { TalentService } from '../service/talent-service.js';
import { findPowerGiven } from '../store/audit/power-given.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import { isReadFirst } from './calls.js';
import type { ExecutionResult, OnEnd } from './end-change.js';
import { executeChange } from './execute-change.js';
import type { Execution } from './execution.js';
import { dropFromMirror } from './note-departure.js';
import { recordEnd } from './outcome.js';

export interface LookContext {
  readonly run: string;
  readonly stores: Stores;
  readonly service: TalentService;
  readonly clock: Clock;
  readonly contextOf: ContextOf;
  /** True if this run has read every user, so that people to deactivate need not be read again. */
  readonly usersFresh: boolean;
  readonly protectedBy: (user: Observed) => string | null;
}

/**
 * Reads the person by id before their account is deactivated or deleted. The users feed does not show changes of roles,
 * activation or deletion, so the mirror may be out of date.
 *
 * | the service has now                  | deactivate | delete                                            |
 * |--------------------------------------|------------|---------------------------------------------------|
 * | nobody with that id                  | already so | already so                                        |
 * | an administrator, a protected account| `refused`  | `refused`                                         |
 * | an active account                    | send       | `refused`: it is active again                     |
 * | a deactivated account                | already so | send, unless it was active in the meantime        |
 */
export async function lookFirst(
  change: PlannedChange,
  execution: Execution,
  context: LookContext,
  onEnd: OnEnd,
): Promise<void> {
  const { stores } = context;
  const { target } = change;
  const isLookedAt = target !== null && isReadFirst(change, context.usersFresh);
  const found = isLookedAt ? await findEnd(change, target, context) : null;
  if (found === null) return executeChange(change, execution, onEnd);
  await stores.commits.now(() => {
    if (found.records !== undefined) recordAlreadySo(change, found.records, context);
    onEnd(change, found);
  });
  if (found.isGone) dropFromMirror(stores, change);
}

/** The end of a change without a call. `records` is the object to include in the audit log. */
interface FoundEnd extends ExecutionResult {
  readonly records?: Observed | null;
  readonly isGone?: true;
}

/** @returns null if the change still has to be carried out */
async function findEnd(change: PlannedChange, target: string, context: LookContext): Promise<FoundEnd | null> {
  const { stores, service } = context;
  const user = await service.reader.users.get(target).catch(asSyncError);
  if (user instanceof SyncError) return { result: 'refused', error: user };
  if (user === null) {
    const records = change.action === 'delete' ? { records: null } : {};
    return { result: 'already so', error: null, isGone: true, ...records };
  }
  const observed = observeUser(user);
  stores.absorb(observed);
  if (change.action === 'deactivate' && !observed.active) {
    return { result: 'already so', error: null, records: observed };
  }
  const error = findProtection(change, observed, context) ?? findUse(change, observed, stores);
  return error === null ? null : { result: 'refused', error };
}

function recordAlreadySo(change: PlannedChange, observed: Observed | null, context: LookContext): void {
  const { stores, run, clock } = context;
  const end = { change, run, at: isoNow(clock), approval: change.approval, calls: [], error: null, observed };
  recordEnd(stores, { ...end, result: 'already so' }, context.contextOf, () => undefined);
}

function findProtection(
  change: PlannedChange,
  observed: Observed,
  { protectedBy, stores }: LookContext,
): SyncError | null {
  const isOurs = change.action === 'deactivate' && findPowerGiven(stores, observed.id) !== null;
  const administrator = isAdministrator(observed) && !isOurs;
  const expression = protectedBy(observed);
  if (!administrator && expression === null) return null;
  return new SyncError('SYNC_ACCOUNT_PROTECTED', {
    message: administrator
      ? 'The person is now an administrator in the service.'
      : `The account is now protected by \`${expression}\`.`,
    place: change.place,
    remedy: `${change.action === 'delete' ? 'Delete' : 'Deactivate'} the account in the service by hand.`,
  });
}

/** A deletion cannot be undone, so the account must still be as talent-sync left it. */
function findUse({ action, key, place }: PlannedChange, observed: Observed, { departures }: Stores): SyncError | null {
  if (action !== 'delete') return null;
  const departure = departures.find(key);
  if (!observed.active && departure?.serviceId === observed.id && isSameStamp(departure.stamp, observed)) return null;
  return new SyncError('SYNC_PURGE_DOUBTFUL', {
    message: observed.active
      ? 'Not deleted: the account is active again in the service.'
      : 'Not deleted: after talent-sync deactivated the account, it became active again and was deactivated by others.',
    place,
    remedy: 'No action needed: a person who is still a leaver is deactivated first, and the time counts again.',
  });
}
