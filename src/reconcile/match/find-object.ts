import type { Candidate, Desired, Hold } from '../../model/desired.js';
import { isAccount, isLink, TRAITS } from '../../model/entity.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import { tellRivals } from '../../model/plural.js';
import { typed, typedName } from '../../model/typed.js';
import { isLinkPinned } from '../fields/pins.js';
import { idOfPlanned } from '../fields/planned-places.js';
import { holdRecord } from '../hold-record.js';
import { hintAtParking, type Offer, offerAll } from '../order/free-value.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { type Correlation, correlate, createFinder, findDoubt, isGivenUp } from './correlate.js';
import { isDoubtedAdministrator } from './doubt-administrator.js';
import { judgeLeaving } from './judge-leaving.js';
import { type FoundObject, formatEvidence, judgeRelink, SAME_NAME, weigh } from './judge-relink.js';

/** Leavers claim objects under a separate name. This claim keeps an object from being unowned, but takes it from no other record. */
function claimOf({ desired }: Candidate): string {
  return desired.leaver ? `${desired.entity}.left` : desired.entity;
}

export function findMatch(desired: Desired, { entity, match }: EntitySettings, ports: ReconcilePorts): Correlation {
  return correlate(desired, match, createFinder(entity, ports.service), idOfPlanned(ports));
}

/** Claims the object that an unlinked record matches before anything is decided, because two records may match the same object. */
export function claimMatch(candidate: Candidate, found: Correlation, ports: ReconcilePorts): void {
  const { entity } = candidate.desired;
  if (found.kind === 'match') ports.plan.claim(claimOf(candidate), found.id, candidate.desired.key);
  // It is unknown which of the objects is meant, but none of them is unowned.
  if (found.kind === 'ambiguous')
    for (const id of found.candidates) ports.plan.claim(`${entity}.maybe`, id, candidate.desired.key);
  if (found.kind === 'none')
    for (const id of found.setApart) ports.plan.claim(`${entity}.apart`, id, candidate.desired.key);
}

/**
 * Finds the object of a record.
 *
 * @returns 'held' if a person has to choose, 'passed' if the object of a leaver now belongs to another record
 */
export function findObject(
  candidate: Candidate,
  settings: EntitySettings,
  ports: ReconcilePorts,
): FoundObject | 'held' | 'passed' {
  const { entity } = settings;
  const { desired, linkedId } = candidate;
  if (linkedId !== null) {
    const linked = ports.service.observed(entity, linkedId);
    if (linked === null && ports.service.isDoubted(entity, linkedId)) {
      holdUnseen(candidate, linkedId, ports);
      return 'held';
    }
    // An object that was deleted and created again manually is found by its key, so that it is not created a third
    // time. A leaver does not decide about an account that was created since.
    if (linked !== null || (desired.leaver && isAccount(entity)))
      return { observed: linked, adoptedBy: null, relink: null };
  }
  if (linkedId === null && isLinkPinned(candidate, ports)) return 'held';
  const found = findMatch(desired, settings, ports);
  if (found.kind === 'none') return judgeNew(desired, ports);
  if (found.kind === 'match') {
    // A record with a link has made no claim yet.
    if (linkedId !== null) ports.plan.claim(claimOf(candidate), found.id, desired.key);
    return judgeMatch(candidate, found, settings, ports);
  }
  const chosen = chooseExperience(desired, found.candidates, ports);
  if (chosen !== null) return { observed: chosen, adoptedBy: found.by, relink: null };
  const candidates = found.candidates.map((id) => describeCandidate(desired, id, settings, ports)).join('; ');
  const reason = `${found.candidates.length} objects match by ${found.by}: ${candidates}.`;
  const remedy = 'Make the key unique on one of the two sides, or match by another field.';
  holdRecord(desired, 'SYNC_MATCH_AMBIGUOUS', { reason, remedy }, ports);
  return 'held';
}

/** Judges the one object that a record matches. The object is the record's own unless other records claim it. */
function judgeMatch(
  candidate: Candidate,
  found: MatchedObject,
  settings: EntitySettings,
  ports: ReconcilePorts,
): FoundObject | 'held' | 'passed' {
  const { entity, match } = settings;
  const { desired } = candidate;
  const observed = ports.service.observed(entity, found.id);
  const rivals = findRivals(desired, found, observed, ports);
  const owner = findOwner(desired, found.id, ports);
  // A leaver does not decide about an account that now belongs to another record.
  if (desired.leaver && (owner !== null || rivals.length > 0))
    return judgeFormer(desired, { ...found, owner, rivals }, settings, ports);
  const others = desired.leaver
    ? ports.plan.claimants(`${entity}.left`, found.id).filter((key) => key !== desired.key)
    : rivals;
  if (others.length > 0 || owner !== null)
    return judgeClaim(candidate, { ...found, owner, rivals: others }, settings, ports);
  const doubt = observed === null ? null : findDoubt(desired, observed, match, found.by);
  if (observed !== null && isDoubtedAdministrator(desired, observed, { match, by: found.by })) {
    holdStranger(desired, observed, found.by, ports);
    return 'held';
  }
  if (doubt === null || observed === null) return { observed, adoptedBy: found.by, relink: null };
  const offers = offersFor(candidate, observed, settings, ports);
  if (offers?.every(({ approved }) => approved)) return NEW;
  const reason = `Matches ${objectText(observed, found.id)} by ${found.by}, but ${doubt} differs: ${JSON.stringify(desired.values[doubt])} in the source, ${JSON.stringify(observed.values[doubt])} in the service. It may be someone else.`;
  const remedy = `${describeDoubt(desired, found.by)}${describeOffers(offers, desired, observed, settings)}`;
  const relink = { key: desired.key, id: found.id };
  holdTaker(desired, { code: 'SYNC_MATCH_DOUBTFUL', reason, remedy, relink }, offers, ports);
  return 'held';
}

/** Judges a leaver whose object other records have. If one of them is present, the row is noted, so that it does not vanish. */
function judgeFormer(
  desired: Desired,
  { owner, ...found }: ClaimedObject,
  settings: EntitySettings,
  ports: ReconcilePorts,
): FoundObject | 'held' | 'passed' {
  const { entity, key, place } = desired;
  const judged = owner === null ? 'passed' : judgeLeaving(desired, { ...found, owner }, settings, ports);
  const others = [...found.rivals, ...(owner === null ? [] : [owner])];
  const keptBy = others.find((other) => ports.sources.stagedState(entity, other) === 'desired');
  if (judged === 'passed' && keptBy !== undefined) ports.plan.pass({ entity, key, place: formatPlace(place), keptBy });
  return judged;
}

/** The keys of other records that match the object. */
function findRivals(
  desired: Desired,
  { id }: MatchedObject,
  observed: Observed | null,
  { plan }: ReconcilePorts,
): readonly string[] {
  const { entity } = desired;
  // The second of two records of one link was held earlier.
  if (isLink(entity)) return [];
  // A record that may also mean another object is a rival, unless the object is named like this record.
  const maybe = observed === null || isNamedAlike(desired, observed) ? [] : plan.claimants(`${entity}.maybe`, id);
  return [...plan.claimants(entity, id), ...maybe].filter((key) => key !== desired.key);
}

/** True unless both names are known and differ. */
function isNamedAlike({ values: { name } }: Desired, { values }: Observed): boolean {
  const [here, there] = [name, values.name];
  return typeof here !== 'string' || typeof there !== 'string' || foldKey(here) === foldKey(there);
}

/** A record with the address of an administrator is not necessarily the administrator's. */
function holdStranger(desired: Desired, observed: Observed, by: string, ports: ReconcilePorts): void {
  const names = [desired, observed].map(({ values }) => JSON.stringify(values.name ?? null));
  const reason = `Matches ${objectText(observed, observed.id)}, an administrator, by ${by}, but the name differs: ${names[0]} in the source, ${names[1]} in the service. It may be someone else.`;
  const relink = { key: desired.key, id: observed.id };
  holdRecord(desired, 'SYNC_MATCH_DOUBTFUL', { reason, remedy: describeDoubt(desired, by), relink }, ports);
}

function describeDoubt({ entity, key }: Desired, by: string): string {
  return `If they are the same: \`talent-sync holds resolve ${typedName(entity, key)} --same --reason "…"\`; if not, correct ${by} in the source.`;
}

interface MatchedObject {
  readonly id: string;
  readonly by: string;
}

interface ClaimedObject extends MatchedObject {
  /** The other record that the object is linked to. */
  readonly owner: string | null;
  /** Other records that match the object. */
  readonly rivals: readonly string[];
}

/** The other record that an object is linked to; null if there is none. */
function findOwner({ entity, key }: Desired, id: string, { service, sources }: ReconcilePorts): string | null {
  const linked = service.linkedKey(entity, id);
  // The key of a link contains its person, so a person with a new number keeps the links.
  const isRenamed = isLink(entity) && linked !== null && !sources.isStaged(entity, linked);
  return linked === key || isRenamed ? null : linked;
}

/** Holds a record whose linked object is not listed. The object may still exist, and would then be created twice. */
function holdUnseen(candidate: Candidate, id: string, ports: ReconcilePorts): void {
  const { entity, key } = candidate.desired;
  const kind = TRAITS[entity].singular;
  const reason = `The service does not list ${kind} ${id}, which the record is linked to, but no read proves that it is gone.`;
  const remedy = `No action needed: the next run looks again. If it was deleted, \`talent-sync unlink ${entity} ${typed(key)}\` and then \`talent-sync undo --unpin ${typedName(entity, key)}\` let the next run create it.`;
  holdRecord(candidate.desired, 'SYNC_OBJECT_UNSEEN', { reason, remedy }, ports);
}

/** Handles a record without a match. A list that lacks one existing object may lack this one too, so the record is then held. */
function judgeNew(desired: Desired, ports: ReconcilePorts): FoundObject | 'held' {
  const { entity, leaver } = desired;
  const lacking = leaver ? null : ports.service.lackOf(entity);
  if (lacking === null) return NEW;
  const many = entity.replaceAll('_', ' ');
  const reason = `The service's list of ${many} lacks ${lacking}, though a look-up finds it, and may lack this record too. No ${TRAITS[entity].singular} is created in this run.`;
  const remedy = `Ask the service's support, or the operator of a proxy in front of it, why the list of ${many} ends early. The next run reads it again.`;
  holdRecord(desired, 'SYNC_OBJECT_UNSEEN', { reason, remedy }, ports);
  return 'held';
}

/** Judges a match that other records claim too, or that is linked to one. The record takes it over only if that is certain. */
function judgeClaim(
  candidate: Candidate,
  claimed: ClaimedObject,
  settings: EntitySettings,
  ports: ReconcilePorts,
): FoundObject | 'held' {
  const { entity } = settings;
  const { desired } = candidate;
  const { id, by, owner } = claimed;
  const observed = ports.service.observed(entity, id);
  const rivals = [...new Set([...claimed.rivals, ...ports.plan.claimants(`${entity}.maybe`, id)])];
  const verdict =
    observed === null || owner === null ? null : judgeRelink({ desired, observed, owner, rivals }, settings, ports);
  if (verdict !== null && verdict.certain !== null) return { observed, adoptedBy: null, relink: verdict.certain };
  const offers =
    observed === null || owner === null || rivals.length > 0 ? null : offersFor(candidate, observed, settings, ports);
  if (offers?.every(({ approved }) => approved)) return NEW;
  const giver = owner === null ? null : ports.sources.desired(entity, owner);
  const isAlike = verdict?.evidence.speaks.includes(SAME_NAME) === true;
  if (giver?.leaver === false && !isAlike && isGivenUp(giver, desired, { match: settings.match, by })) return NEW;
  if (owner === null) {
    const reason = `Matches ${objectText(observed, id)} by ${by}, but ${tellRivals(claimed.rivals, 'claim')}.`;
    const remedy = 'Decide which record is right and correct the other one in the source.';
    holdRecord(desired, 'SYNC_MATCH_CLAIMED', { reason, remedy }, ports);
    return 'held';
  }
  const weighed = verdict === null ? '' : ` Are they the same (${formatEvidence(verdict.evidence)})?`;
  const reason = `Matches ${objectText(observed, id)} by ${by}, but it is linked to record ${owner}.${weighed}`;
  const remedy = `If they are the same: \`talent-sync link ${entity} ${typed(desired.key)} ${id}\`; if not, correct the source.${describeOffers(offers, desired, observed, settings)}`;
  const relink = { key: desired.key, id };
  holdTaker(desired, { code: 'SYNC_MATCH_CLAIMED', reason, remedy, relink }, offers, ports);
  return 'held';
}

const NEW: FoundObject = { observed: null, adoptedBy: null, relink: null };

/** Offers to free the values that a new person needs and an inactive account has, if the two may well be two people. */
function offersFor(
  { desired }: Candidate,
  holder: Observed,
  settings: EntitySettings,
  ports: ReconcilePorts,
): readonly Offer[] | null {
  const { entity, parkingEmail, configDigest } = settings;
  if (!isAccount(entity) || desired.leaver) return null;
  const taker = { key: desired.key, place: formatPlace(desired.place) };
  const parking = { email: parkingEmail, configDigest };
  const isAlike = weigh(desired, holder, settings, ports).speaks.includes(SAME_NAME);
  return offerAll({ taker, holder, parking, isAlike, wanted: desired.values }, ports);
}

/**
 * Holds a record that needs a value of another account. With the same name they are most likely one person, and an
 * approval to free a value does not confirm that they are two.
 */
function holdTaker(
  { entity, key, place: at }: Desired,
  found: Pick<Hold, 'code' | 'reason' | 'remedy' | 'relink'>,
  offers: readonly Offer[] | null,
  ports: ReconcilePorts,
): void {
  const hold = { entity, key, place: formatPlace(at), ...found };
  const asked = offers?.find(({ isAlike, approved }) => isAlike && !approved);
  if (asked === undefined) ports.plan.hold(hold);
  else ports.plan.suspect(asked.ref, hold);
}

function describeOffers(
  offers: readonly Offer[] | null,
  { values }: Desired,
  holder: Observed | null,
  { parkingEmail, configDigest }: EntitySettings,
): string {
  if (offers !== null) return ` If they are two: ${offers.map(({ text }) => text).join('; ')}.`;
  const isShared = typeof values.email === 'string' && foldKey(values.email) === foldKey(String(holder?.values.email));
  return isShared ? hintAtParking('email', holder, { email: parkingEmail, configDigest }) : '';
}

/** Describes one of several objects that a record may mean, with the evidence for and against it. */
function describeCandidate(desired: Desired, id: string, settings: EntitySettings, ports: ReconcilePorts): string {
  const observed = ports.service.observed(settings.entity, id);
  const evidence = observed === null ? '' : formatEvidence(weigh(desired, observed, settings, ports));
  return `${objectText(observed, id)}${evidence === '' ? '' : ` [${evidence}]`}`;
}

/**
 * Other users have put the person on the project more than once; the entry without a record is ours, of the desired
 * kind if possible.
 */
function chooseExperience(desired: Desired, ids: readonly string[], ports: ReconcilePorts): Observed | null {
  if (!isLink(desired.entity)) return null;
  const isFree = (id: string): boolean => {
    const owner = ports.service.linkedKey('staffing', id);
    return owner === null || !ports.sources.isStaged('staffing', owner);
  };
  const all = ids.filter(isFree).flatMap((id) => ports.service.observed('staffing', id) ?? []);
  const wanted = desired.values.link === true;
  return all.find(({ values }) => values.link === wanted) ?? all[0] ?? null;
}

function objectText(observed: Observed | null, id: string): string {
  return observed === null ? id : `${observed.label} (${id})`;
}
