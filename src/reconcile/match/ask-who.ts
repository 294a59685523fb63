import { USUAL } from '../../model/comparison.js';
import type { Candidate, Desired, Hold } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { answerFor } from '../../model/identity-guards.js';
import type { Json, Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { FORMER_MS, IDENTITY, personalFields } from '../../model/person-fields.js';
import { formatPlace } from '../../model/place.js';
import { type Change, givingWayKey } from '../../model/plan.js';
import { isAdministrator } from '../../model/power.js';
import { typedName } from '../../model/typed.js';
import { buildChange } from '../build-change.js';
import type { Pairing } from '../fields/record-draft.js';
import type { EntitySettings, LinkedPair, NameCounts, ReconcilePorts } from '../ports.js';
import { compareKeys, formatEvidence, type StrayKey, weighPerson } from './judge-relink.js';
import { hasOtherSign, isNamedAsPerson, isOtherPerson, listOtherKeys, UNIQUE } from './other-person.js';

/**
 * Holds a record that seems to be about a different person from the one in its account, until somebody confirms the
 * identity.
 *
 * | a person says      | the planned change                | the account                                          |
 * |--------------------|-----------------------------------|------------------------------------------------------|
 * | nothing yet        | waits, `users.other_person`       | stays unchanged, and unlinked if it was              |
 * | the same person    | is applied                        | gets it                                              |
 * | another person     | an account is created, or matched | keeps its activation, and gives up unique values     |
 *
 * A leaver is asked about only if both sides have never agreed on a name, because many sources blank the names of leavers.
 *
 * @returns 'apart' if a person has decided that the record does not belong to the account
 */
export function askWhoItIs(pair: Pairing, settings: EntitySettings, ports: ReconcilePorts): 'apart' | 'asked' | 'same' {
  const { candidate, observed, adoptedBy } = pair;
  const { entity, key } = candidate.desired;
  const ref = `${entity}:${key}`;
  const change = ports.plan.find(ref);
  if (observed === null || change === null || !canBeAnothers(pair, change)) return 'same';
  const reasons = findReasons({ ...pair, observed }, settings, ports);
  if (reasons === null || ports.memory.isAnswered(change.id)) return 'same';
  // A link would make the next run treat the account as the record's own.
  if (adoptedBy !== null) ports.memory.unadopt(entity, key);
  // The record may belong to these accounts, so none of them is unowned.
  for (const id of reasons.strays.flatMap(({ ids }) => ids)) ports.plan.claim(`${entity}.left`, id, key);
  if (ports.memory.isAnswered(answerFor(change.id))) return 'apart';
  ports.plan.question(entity, observed.id);
  // The question is stored on the change, in case fields are left out of the change later.
  ports.plan.add({ ...change, asks: answerFor(change.id) });
  ports.plan.suspect(ref, describeQuestion({ ...pair, observed }, reasons));
  return 'asked';
}

/** A record with an account that exists. */
type ExistingPair = Pairing & { readonly observed: Observed };

/** Evidence that the record is about someone else, apart from what a comparison of both sides shows. */
interface ReasonsToAsk {
  readonly strays: readonly StrayKey[];
  readonly former: LinkedPair['was'];
}

function findReasons(pair: ExistingPair, settings: EntitySettings, ports: ReconcilePorts): ReasonsToAsk | null {
  const { candidate, observed, action } = pair;
  const { desired, linkedId, base } = candidate;
  const isLinked = linkedId === observed.id;
  if (!isLinked && isNamedAsPerson(desired.values, observed.values)) return null;
  const said = ports.memory.saidSame(desired.key, observed.id);
  if (said === 'same') return null;
  const isReturning = action === 'reactivate';
  const isTrusted = said === null && !isReturning && !desired.leaver && isAsMatched(pair);
  const isOther =
    (!isTrusted || hasOtherSign(desired.values, observed.values)) &&
    isOtherPerson({ desired, observed, base: isLinked ? base : null, isReturning }, ports.service.nameCounts);
  const strays = findStrayKeys(pair, settings, ports);
  const former = isOther || isTrusted ? null : findFormer(candidate, observed, ports);
  return isOther || strays.length > 0 || former !== null ? { strays, former } : null;
}

/**
 * The keys that contradict a match by an address under another name: some belong to another account, or to another
 * record. They do not show which of the pairs is right.
 */
function findStrayKeys(
  { candidate: { desired }, observed, adoptedBy }: ExistingPair,
  { entity, match }: EntitySettings,
  ports: ReconcilePorts,
): readonly StrayKey[] {
  if (adoptedBy === null || !isAddress(adoptedBy)) return [];
  const unique = UNIQUE.filter((name) => !match.some(({ fields }) => fields.length === 1 && fields[0] === name));
  const entries = [...match, ...unique.map((name) => ({ fields: [name], compare: USUAL }))];
  const { strays } = compareKeys(desired, observed, { entity, match: entries }, ports);
  const owner = findOwner(desired, observed, ports);
  const text = `the external id of the account is that of record ${owner}`;
  return owner === null ? strays : [...strays, { text, ids: [] }];
}

/** The other record of the sources that has the external id of the account, usually as its key. */
function findOwner(
  { entity, values: own }: Desired,
  { values: { external_unique_id: id } }: Observed,
  { sources }: ReconcilePorts,
): string | null {
  const hasId = (values: Values): boolean => textOf(values.external_unique_id) === textOf(id);
  if (typeof id !== 'string' || hasId(own) || !sources.isStaged(entity, id)) return null;
  const other = sources.desired(entity, id);
  // A row that cannot be used may have any id.
  return other === null || hasId(other.values) ? id : null;
}

/** False if the change cannot give an account to another person, or take it from one. */
function canBeAnothers({ candidate, action, adoptedBy, relink }: Pairing, { entity, after }: Change): boolean {
  const { desired, base, sourceUnchanged } = candidate;
  // If the source has not changed, a difference is drift in the service.
  if (!isAccount(entity) || relink !== null || sourceUnchanged) return false;
  if (desired.leaver) return base?.name === undefined;
  // A change without a name or address, because either was undone or left out, does not turn the account into another
  // person's. At a first match, the external id can.
  const names = adoptedBy === null ? IDENTITY : KEYED;
  return action === 'reactivate' || names.some((name) => name in after);
}

/**
 * An address is passed on together with an active account, so a match by address is adopted even under another name,
 * as long as no other sign differs. The same holds for a link with the same address whose sides have never agreed on a
 * name.
 */
function isAsMatched({ candidate: { desired, linkedId, base }, observed, adoptedBy }: ExistingPair): boolean {
  if (adoptedBy !== null) return isAddress(adoptedBy);
  if (linkedId !== observed.id || base?.name !== undefined) return false;
  return ADDRESSES.some((name) => {
    const [here, there] = [textOf(desired.values[name]), textOf(observed.values[name])];
    return here !== null && here === there;
  });
}

const ADDRESSES = personalFields('address');
const KEYED = personalFields('key', 'name', 'address');

/** @param entry the name of an entry of `match` */
function isAddress(entry: string): boolean {
  return ADDRESSES.some((name) => entry.includes(name));
}

/**
 * The person that the account belonged to earlier, if the record is about a different person. A change in several steps
 * may hide such a difference.
 */
function findFormer(
  { desired, linkedId }: Candidate,
  { id, active }: Observed,
  { memory }: ReconcilePorts,
): LinkedPair['was'] {
  const was = linkedId === id ? (memory.link(desired.entity, desired.key)?.was ?? null) : null;
  if (was === null || Date.parse(was.at) < Date.parse(memory.now) - FORMER_MS) return null;
  const pair = { desired, observed: { values: was.values, active }, base: null, isReturning: false };
  return isOtherPerson(pair, () => EVERY_PART_TELLS) ? was : null;
}

function describeQuestion(
  { candidate: { desired, linkedId }, observed, action }: ExistingPair,
  { strays, former }: ReasonsToAsk,
): Hold {
  const { entity, key, place } = desired;
  const { speaks, against } = weighPerson(desired, observed);
  for (const name of listOtherKeys(desired.values, observed.values)) {
    const [here, there] = [desired.values[name], observed.values[name]];
    against.push(`another ${FIELDS.users[name]?.word ?? name} (${here} in the source, ${there} in the service)`);
  }
  against.push(...strays.map(({ text }) => text));
  if (former !== null) {
    const { name, email } = former.values;
    against.push(
      `until ${former.at.slice(0, 10)} it belonged to ${textOf(name) === null ? 'someone' : name} (${email})`,
    );
  }
  const [here, there] = [textOf(desired.values.email), textOf(observed.values.email)];
  if (here !== null && there !== null)
    (here === there ? speaks : against).push(
      here === there ? 'the same address' : `another address (${here} in the source, ${there} in the service)`,
    );
  const leads = linkedId === observed.id ? 'Is linked to' : 'Matches';
  const state = action === 'reactivate' ? ', which is deactivated' : '';
  const resolve = `\`talent-sync holds resolve ${typedName(entity, key)}`;
  return {
    ...{ entity, key, place: formatPlace(place), code: 'SYNC_OTHER_PERSON', relink: { key, id: observed.id } },
    reason: `${leads} ${observed.label} (${observed.id})${state}, but the row seems to be about someone else; ${formatEvidence({ speaks, against })}.`,
    remedy: `If it is the same person, ${resolve} --same --reason "…"\`; if it is another one, ${resolve} --new-account --reason "…"\` ${desired.leaver ? 'leaves the account unchanged' : 'leaves the account unchanged and creates one for the row'}. If the row is wrong, correct it in the source.`,
  };
}

/** Every part of a former name counts, because the name is the person's own and not a colleague's. */
const EVERY_PART_TELLS: NameCounts = { people: 0, countOf: () => 0 };

/**
 * Frees the unique values that the record needs, on the account that the record is separated from; null if there are
 * none to free.
 */
export function giveWay(
  { key, place }: Change,
  { holder, wanted }: { readonly holder: Observed; readonly wanted: Values },
  { parkingEmail, configDigest }: EntitySettings,
  { service }: ReconcilePorts,
): Change | null {
  if (isAdministrator(holder) || service.protectedBy(holder) !== null) return null;
  const freed: Record<string, Json> = {};
  for (const name of UNIQUE) {
    const [want, held] = [textOf(wanted[name]), textOf(holder.values[name])];
    // An e-mail cannot be blank, so it becomes the parking address.
    const instead = FIELDS.users[name]?.required === true ? parkingEmail?.replaceAll('{id}', holder.id) : null;
    if (want !== null && want === held && instead !== undefined) freed[name] = instead;
  }
  const fields = Object.keys(freed).sort();
  if (fields.length === 0) return null;
  return buildChange(
    {
      ...{ entity: 'users', action: 'update', key: givingWayKey(key), target: holder.id, label: holder.label, fields },
      before: Object.fromEntries(fields.map((name) => [name, holder.values[name] ?? null])),
      after: freed,
      reason: { kind: 'freed', text: `${fields.join(', ')} of somebody else's account, for ${key}` },
      ...{ place, observedHash: holder.hash, partOf: `users:${key}` },
    },
    configDigest,
  );
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? foldKey(value) : null;
}
