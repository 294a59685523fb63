import type { Candidate, Desired } from '../model/desired.js';
import { type Action, isAccount } from '../model/entity.js';
import { answerFor } from '../model/identity-guards.js';
import type { Observed } from '../model/observed.js';
import { meanPeople } from '../model/people-meant.js';
import { formatPlace } from '../model/place.js';
import type { Change, Reason } from '../model/plan.js';
import { typedName } from '../model/typed.js';
import { eachWithPauses } from './each-with-pauses.js';
import { isIdTakenOnCv, isSecondLink } from './fields/cv-rules.js';
import { withoutPaths } from './fields/leaves.js';
import { portsOnCv } from './fields/on-cv.js';
import { findDeclined, isExistencePinned, reportPinned } from './fields/pins.js';
import { planFields } from './fields/plan-fields.js';
import { accountOf } from './fields/planned-places.js';
import type { Pairing } from './fields/record-draft.js';
import { holdRecord } from './hold-record.js';
import { holdFaultyRows } from './leavers/hold-faulty.js';
import { holdImplausible } from './leavers/implausible-leaving.js';
import { type Leaving, planGone, planMissing, planOutOfScope, planRemoval, removalOf } from './leavers/plan-leavers.js';
import { planPurges } from './leavers/plan-purges.js';
import { createFindStaying, type FindStaying, type StayingRow } from './leavers/staying-rows.js';
import { createEqualAdopter } from './match/adopt-equal.js';
import { askWhoItIs, giveWay } from './match/ask-who.js';
import { claimMatch, findMatch, findObject } from './match/find-object.js';
import type { Relink } from './match/judge-relink.js';
import { suspectLookAlike } from './match/look-alike.js';
import { findTakenOver, type TakenOver, takeOverMerged } from './match/merged-records.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';

/**
 * Derives the changes of one entity from its candidates:
 *
 * | the source says        | the service holds | →                                             |
 * |------------------------|-------------------|-----------------------------------------------|
 * | here                   | nothing           | create                                        |
 * | here                   | active            | update, when a managed field differs          |
 * | here                   | deactivated       | reactivate, with the fields that differ       |
 * | here, under a new key  | under one that is gone | relink, with all of the above in the same change |
 * | has left               | active            | deactivate, and nothing else of that person   |
 * | has left               | deactivated, none | nothing                                       |
 * | nothing, proven absent | active            | deactivate                                    |
 * | nothing, not proven    | anything          | nothing                                       |
 * | a row that was deleted | active            | deactivate                                    |
 * | starts later           | nothing, inactive | nothing yet                                   |
 * | held                   | anything          | nothing                                       |
 * | out of scope           | active            | nothing, or with `out_of_scope: deactivate` deactivate |
 * | has left, or is absent | deactivated by us | nothing, or with `leaver.purge` delete, once it is long ago |
 *
 * `upsert-only` leaves out the deactivations; `create-only` leaves out everything except the creates. Only people can
 * be active or inactive. Other objects that are gone stay, or are deleted if the configuration asks for it (`remove`).
 */
export function reconcileEntity(settings: EntitySettings, ports: ReconcilePorts): void {
  for (const _step of reconcileInSteps(settings, ports));
}

/** Does the same, with pauses in which other work gets its turn. */
export function* reconcileInSteps(settings: EntitySettings, ports: ReconcilePorts): Generator<void, void> {
  const { entity } = settings;
  const adoptEqual = createEqualAdopter(settings, ports);
  yield* eachWithPauses(ports.sources.unlinked(entity), (candidate) => {
    const found = findMatch(candidate.desired, settings, ports);
    if (!adoptEqual(candidate, found)) claimMatch(candidate, found, ports);
  });
  ports.memory.dropClaimed(entity);
  const alike: LookAlike[] = [];
  const taken = takeOverMerged(settings, ports);
  const findStaying = createFindStaying(settings, ports);
  yield* eachWithPauses(ports.sources.candidates(entity), (candidate) =>
    reconcileRecord(candidate, { alike, taken, findStaying }, settings, ports),
  );
  yield* eachWithPauses(alike, (one) => settleLookAlike(one, settings, ports));
  if (settings.policy === 'sync') yield* planAbsent(settings, ports, findStaying);
  holdFaultyRows(settings, ports);
}

/** Plans the removal of objects without a candidate. */
function* planAbsent(settings: EntitySettings, ports: ReconcilePorts, findStaying: FindStaying): Generator<void, void> {
  if (settings.removes) {
    planMissing(settings, ports);
    yield;
    planGone(settings, ports);
  }
  if (settings.outOfScope === 'deactivate') planOutOfScope(settings, ports);
  planPurges(settings, ports, findStaying);
}

/** A leaver whose account also matches a row that does not report a leaver. */
interface LookAlike {
  readonly candidate: Candidate;
  readonly observed: Observed;
  readonly reason: Reason;
  readonly relink: Relink | null;
  /** Null if the other row is an active record that claims the account. */
  readonly staying?: StayingRow | null;
}

/**
 * Settles a leaver whose account another record matches. If that record takes over the account, the account no longer
 * belongs to a leaver. While it is unknown whether the two are one person, the account stays unchanged.
 */
function settleLookAlike(leaver: LookAlike, settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  const { candidate, observed, staying = null } = leaver;
  const { key, place } = candidate.desired;
  if (ports.plan.plannedByTarget(entity, observed.id) !== null) return;
  planRemoval(leavingOf(leaver), settings, ports);
  const [claimant = ''] = ports.plan.claimants(entity, observed.id);
  const other = staying === null ? claimant : staying.key;
  const text = staying?.text ?? `record ${claimant}, which is present, matches the same account`;
  const answer =
    other === null ? 'correct that row' : `\`talent-sync holds resolve ${typedName(entity, key)} --same --reason "…"\``;
  ports.plan.suspect(`${entity}:${key}`, {
    entity,
    key,
    place: formatPlace(place),
    code: 'SYNC_PROBABLE_SAME_PERSON',
    reason: `${observed.label} has left as ${key}, but ${text}.`,
    ...(other === null ? {} : { relink: { key: other, id: observed.id } }),
    remedy: `If they are one, ${answer}; if they are two, \`talent-sync holds resolve ${typedName(entity, key)} --new --reason "…"\`.`,
  });
}

/** Data gathered while the records of an entity are reconciled. */
interface RunOfEntity {
  readonly alike: LookAlike[];
  readonly taken: TakenOver;
  readonly findStaying: FindStaying;
}

function reconcileRecord(
  delivered: Candidate,
  { alike, taken, findStaying }: RunOfEntity,
  settings: EntitySettings,
  given: ReconcilePorts,
): void {
  const { entity } = settings;
  const candidate = meanPeople(delivered, accountOf(given));
  const { desired } = candidate;
  const own = portsOnCv(entity, { values: desired.values, userId: null }, given);
  if (own === null || isSecondLink(candidate, own)) return;
  const found = findTakenOver(candidate, taken, own) ?? findObject(candidate, settings, own);
  if (found === 'held' || found === 'passed') return;
  const { observed, adoptedBy, relink } = found;
  const ports = relink === null ? own : withPinsOf(relink.from, desired, own);
  const action = chooseAction(candidate, observed, settings);
  if (observed !== null && adoptedBy !== null) ports.memory.adopt(entity, desired.key, observed.id, adoptedBy);
  if (isUndone({ desired, observed, action }, ports)) return;
  const isReplaced = adoptedBy !== null && candidate.linkedId !== null;
  const pair = { candidate: isReplaced ? forgetPair(candidate) : candidate, observed, action, adoptedBy, relink };
  if (isRemoval(action)) planLeaving({ ...pair, action }, { alike, findStaying }, settings, ports);
  else if (action !== 'none') planWhoStays({ ...pair, action }, settings, ports);
  else if (observed !== null && desired.leaver && !observed.active) ports.memory.agree(candidate, observed);
}

/** The new key takes over the pins of the old one together with its link. */
function withPinsOf(from: string, { key }: Desired, ports: ReconcilePorts): ReconcilePorts {
  const { memory } = ports;
  const old = (of: string): string => (of === key ? from : of);
  return {
    ...ports,
    memory: {
      ...memory,
      pins: (entity, of) => memory.pins(entity, old(of)),
      unpin: (entity, of, path, decline) => memory.unpin(entity, old(of), path, decline),
    },
  };
}

/** An agreement about an object that is gone does not apply to its replacement. */
function forgetPair(candidate: Candidate): Candidate {
  return { ...candidate, sourceUnchanged: false, base: null, written: null, untaken: {} };
}

/** True if an active record claims the account of a leaver. */
function isTaken({ desired, observed }: Judged, { plan }: ReconcilePorts): boolean {
  return desired.leaver && observed !== null && plan.claimants(desired.entity, observed.id).length > 0;
}

interface Judged {
  readonly desired: Desired;
  readonly observed: Observed | null;
}

/** True if an operator has undone the existence or activation of the object; also reports this. */
function isUndone(
  { desired, observed, action }: Judged & { readonly action: Action | 'none' },
  ports: ReconcilePorts,
): boolean {
  // An old row of a person who now has another key says nothing about the state that the source asks for.
  if (isTaken({ desired, observed }, ports)) return false;
  const isPinned = isExistencePinned(desired, desired.leaver ? 'gone' : 'here', ports);
  if (!isPinned || (action !== 'create' && action !== 'reactivate')) return false;
  reportPinned(desired, action === 'create' ? 'its creation' : 'being active', ports);
  return true;
}

function isRemoval(action: Action | 'none'): action is 'deactivate' | 'delete' {
  return action === 'deactivate' || action === 'delete';
}

function planLeaving(
  pair: Pairing,
  { alike, findStaying }: Pick<RunOfEntity, 'alike' | 'findStaying'>,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const { candidate, observed, relink } = pair;
  const found = observed === null ? null : findLeaver(candidate, observed, ports);
  if (found === null || holdImplausible(candidate, settings, ports)) return;
  const leaver = { ...found, relink };
  const isClaimed = isTaken({ desired: candidate.desired, observed }, ports);
  const staying = isClaimed ? null : findStaying(leaver.observed, candidate.desired.key);
  if (isClaimed || staying !== null) alike.push({ ...leaver, staying });
  else {
    planRemoval(leavingOf(leaver), settings, ports);
    if (askWhoItIs(pair, settings, ports) === 'apart') ports.plan.drop(`${settings.entity}:${candidate.desired.key}`);
    if (findDeclined(candidate.desired, 'gone', ports)?.isEdited === false) keepUpToDate(leaver, settings, ports);
  }
}

/** A declined leaver stays. Other sources keep the account up to date, and the row that reports the leaver writes nothing. */
function keepUpToDate({ candidate, observed }: LookAlike, settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity, key, values } = candidate.desired;
  ports.memory.leaveUnread(entity, key, [...settings.saysLeft]);
  const kept = {
    ...candidate,
    desired: { ...candidate.desired, values: withoutPaths(entity, values, settings.saysLeft) },
  };
  const pair = { candidate: kept, observed, action: 'update', adoptedBy: null, relink: null } as const;
  planFields(pair, settings, ports);
}

/** Plans a record that asks for an existing, active object, but that may be about a different person. */
function planWhoStays(pair: Pairing, settings: EntitySettings, ports: ReconcilePorts): void {
  planStay(pair, settings, ports);
  const { observed } = pair;
  if (observed === null || askWhoItIs(pair, settings, ports) !== 'apart') return;
  const ref = `${settings.entity}:${pair.candidate.desired.key}`;
  const refused = ports.plan.find(ref);
  if (refused === null) return;
  ports.plan.drop(ref);
  planApart(pair, { left: observed, refused }, settings, ports);
}

/** An account that a record is separated from, and the change that the record had asked for. */
interface Parted {
  readonly left: Observed;
  readonly refused: Change;
}

/** Plans another account for the record: a new one, or an existing one that it matches. */
function planApart(
  { candidate }: Pairing,
  { left, refused }: Parted,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const { entity, key, values } = candidate.desired;
  const { service, plan } = ports;
  const findIds: typeof service.findIds = (...asked) => service.findIds(...asked).filter((id) => id !== left.id);
  const fresh = { ...forgetPair(candidate), linkedId: null };
  const found = findObject(fresh, settings, { ...ports, service: { ...service, findIds } });
  if (found === 'held' || found === 'passed') return;
  const action = chooseAction(fresh, found.observed, settings);
  if (action === 'none') return;
  planWhoStays({ ...found, candidate: fresh, action }, settings, ports);
  const planned = plan.find(`${entity}:${key}`);
  if (planned === null) return;
  const apart = { from: left.id, answer: answerFor(refused.id) };
  const way = giveWay(refused, { holder: left, wanted: values }, settings, ports);
  if (way !== null) plan.add({ ...way, apart });
  const needs = way === null ? planned.needs : [...planned.needs, `${entity}:${way.key}`].sort();
  plan.add({ ...planned, needs, apart });
}

/** Plans a record that asks for an existing, active object. */
function planStay(pair: Pairing, settings: EntitySettings, ports: ReconcilePorts): void {
  const { candidate, action, relink } = pair;
  if (settings.drift === 'report' && isDriftOfExistence(candidate, action)) {
    holdDrift(candidate, action, ports);
    return;
  }
  if (action === 'create' && isIdTakenOnCv(candidate.desired, ports)) return;
  if (action === 'create' && candidate.linkedId === null) suspectLookAlike(candidate, settings, ports);
  // The new key takes over the base of the old one.
  const old = relink === null ? null : ports.memory.link(settings.entity, relink.from);
  const linked =
    old === null ? candidate : meanPeople({ ...candidate, ...old, linkedId: old.serviceId }, accountOf(ports));
  planFields({ ...pair, candidate: linked }, settings, ports);
}

function holdDrift({ desired }: Candidate, action: Action, ports: ReconcilePorts): void {
  const reason =
    action === 'create'
      ? 'Deleted in the service by somebody else.'
      : 'Deactivated in the service by somebody else, while the source has not changed.';
  const remedy = 'Restore it in the service, record in the source that it is gone, or set `drift: correct`.';
  holdRecord(desired, 'SYNC_DRIFT_REPORTED', { reason, remedy }, ports);
}

/** Null while the leaver is not due. */
function findLeaver(candidate: Candidate, observed: Observed, { sources }: ReconcilePorts): LookAlike | null {
  const { entity, key, left } = candidate.desired;
  const { due, text: said } = sources.explicitLeaver(entity, key);
  if (!due) return null;
  const text = left === undefined ? said : `${said}; ${left.column} is ${left.on}`;
  return { candidate, observed, relink: null, reason: { kind: isAccount(entity) ? 'left' : 'gone', text } };
}

function leavingOf({ candidate: { desired, desiredHash }, observed, reason, relink }: LookAlike): Leaving {
  return { observed, relink, record: { key: desired.key, place: formatPlace(desired.place) }, reason, desiredHash };
}

/** True if the object existed through our own link, and another user has deleted or deactivated it. */
function isDriftOfExistence({ linkedId, sourceUnchanged }: Candidate, action: Action): boolean {
  return action === 'create' ? linkedId !== null : action === 'reactivate' && sourceUnchanged;
}

function chooseAction(candidate: Candidate, observed: Observed | null, settings: EntitySettings): Action | 'none' {
  const { leaver, starts } = candidate.desired;
  const early = starts !== undefined;
  if (observed === null) return leaver || early ? 'none' : 'create';
  if (settings.policy === 'create-only') return 'none';
  // Before the first day of work, an account is kept up to date, but neither created nor activated.
  if (early && !observed.active) return 'none';
  if (leaver)
    return observed.active && settings.removes && settings.policy === 'sync' ? removalOf(settings.entity) : 'none';
  return observed.active ? 'update' : 'reactivate';
}
