import { type DueDeparture, formatSpan, isSameStamp } from '../../model/departure.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import type { Reason, ReasonKind } from '../../model/plan.js';
import type { EntitySettings, LeaverVerdict, ReconcilePorts } from '../ports.js';
import { planRemoval } from './plan-leavers.js';
import type { FindStaying, StayingRow } from './staying-rows.js';

/**
 * Permanently deletes leavers whom talent-sync itself deactivated at least `purge.after` ago. This needs the same proof
 * as a deactivation, provided again by this run:
 *
 * | the sources now           | →                                                                   |
 * |---------------------------|---------------------------------------------------------------------|
 * | say that the person left  | delete                                                              |
 * | do not have the person    | delete, if as many complete reads prove it as a deactivation needs  |
 * | have the row out of scope | delete, if `out_of_scope: deactivate` makes that a leaving          |
 * | want the person           | nothing: the account is activated again, and the time starts again  |
 * | have a row that is held   | nothing                                                             |
 *
 * If others used the account in the meantime and deactivated it themselves, it stays, because it is theirs from then
 * on.
 */
export function planPurges(settings: EntitySettings, ports: ReconcilePorts, findStaying: FindStaying): void {
  const { entity, purgeAfterMs } = settings;
  if (purgeAfterMs === null) return;
  for (const departure of ports.memory.dueDepartures(purgeAfterMs)) {
    const { key } = departure;
    const account = ports.service.observed(entity, departure.serviceId);
    if (account === null || account.active || !isSameStamp(departure.stamp, account)) continue;
    // An active record under another key matches the account, so the person may only have been given a new key.
    if (ports.plan.claimants(entity, account.id).length > 0) continue;
    const proof = prove(departure, settings, ports);
    if (proof === null) continue;
    const record = { key, place: departure.place === null ? 'absent' : formatPlace(departure.place) };
    if (isInDoubt(account, record, findStaying(account, key), ports)) continue;
    const text = `deactivated by run ${departure.run} on ${ports.memory.dayOf(departure.at)}, more than ${formatSpan(purgeAfterMs)} ago; ${proof.text}`;
    planRemoval({ observed: account, record, reason: { ...proof, text }, action: 'delete' }, settings, ports);
  }
}

/** The reason that a deactivation would have now; null if there is none. */
function prove(
  { key, state }: DueDeparture,
  { entity, outOfScope }: EntitySettings,
  ports: ReconcilePorts,
): Reason | null {
  // The grace had already passed before the deactivation.
  if (state === 'leaver') return { kind: 'left', text: ports.sources.explicitLeaver(entity, key).text };
  if (state === null) {
    const verdict = ports.sources.absentLeaver(entity, key);
    return reasonOf(verdict, verdict.sinceEdit === true ? 'absent_since_edit' : 'absent');
  }
  return outOfScope === 'deactivate' ? reasonOf(ports.sources.outOfScopeLeaver(entity, key), 'out_of_scope') : null;
}

function reasonOf({ due, text }: LeaverVerdict, kind: ReasonKind): Reason | null {
  return due ? { kind, text } : null;
}

/** Holds the deletion if a row that no link knows, or that cannot be used, may be the person's new row. */
function isInDoubt(
  account: Observed,
  { key, place }: { readonly key: string; readonly place: string },
  staying: StayingRow | null,
  ports: ReconcilePorts,
): boolean {
  const rows = ports.sources.unreadableRows();
  if (rows === 0 && staying === null) return false;
  const doubt =
    staying?.text ??
    (rows === 1 ? 'an unusable row may be about the person' : `one of ${rows} unusable rows may be about the person`);
  ports.plan.hold({
    entity: 'users',
    key,
    place,
    code: 'SYNC_PURGE_DOUBTFUL',
    reason: `${account.label} (${account.id}) is to be deleted for good, but ${doubt}.`,
    remedy: 'Correct the held rows; the next run then continues with the deletion.',
  });
  return true;
}
