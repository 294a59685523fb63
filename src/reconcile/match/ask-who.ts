import type { Candidate, Hold } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import { answerFor } from '../../model/identity-guards.js';
import type { Json, Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { personalFields } from '../../model/person-fields.js';
import { formatPlace } from '../../model/place.js';
import { type Change, givingWayKey } from '../../model/plan.js';
import { isAdministrator } from '../../model/power.js';
import { typedName } from '../../model/typed.js';
import { buildChange } from '../build-change.js';
import type { Pairing } from '../fields/record-draft.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { formatEvidence, weighPerson } from './judge-relink.js';
import { isOtherPerson } from './other-person.js';

/**
 * A record that is about another person than the account that it leads to waits for somebody to say who it is. Answers what
 * to do in place of the planned change, where that has been said: the record is none of that account's.
 *
 * | a person says      | the planned change                | the account                                          |
 * |--------------------|-----------------------------------|------------------------------------------------------|
 * | nothing yet        | waits, `users.other_person`       | stays as it is                                       |
 * | the same person    | goes on                           | gets it                                              |
 * | another one        | an account is made, or matched    | keeps its activation, and gives up what is unique    |
 */
export function askWhoItIs(
  { candidate, observed, action, adoptedBy, relink }: Pairing,
  ports: ReconcilePorts,
): 'apart' | 'asked' | 'same' {
  const { desired, base, linkedId, sourceUnchanged } = candidate;
  const { entity, key } = desired;
  // What the source said before, and somebody else has changed in the service, is drift.
  if (!isAccount(entity) || observed === null || relink !== null || sourceUnchanged) return 'same';
  const isReturning = action === 'reactivate';
  // An address is handed on with the account, as long as it is in use: who is called otherwise there is adopted.
  const isByAddress = adoptedBy?.startsWith('external_unique_id') === false;
  // So it is with a link where both sides have never agreed on a name: that is as it was matched.
  const isFirst = linkedId === observed.id && base?.name === undefined;
  if ((isByAddress || isFirst) && !isReturning) return 'same';
  const agreed = linkedId === observed.id ? base : null;
  const pair = { desired, observed, base: agreed, isReturning };
  if (!isOtherPerson(pair, ports.service.nameCounts)) return 'same';
  const ref = `${entity}:${key}`;
  const change = ports.plan.find(ref);
  // A name that somebody has taken back, or that is left as it is, makes nobody of the account.
  if (change === null || !(isReturning || IDENTITY.some((name) => name in change.after))) return 'same';
  if (ports.memory.isAnswered(change.id) || ports.memory.isSaidSame(key, observed.id)) return 'same';
  if (ports.memory.isAnswered(answerFor(change.id))) return 'apart';
  ports.plan.question(entity, observed.id);
  // Taken along when fields are left out of the change later.
  ports.plan.add({ ...change, asks: answerFor(change.id) });
  ports.plan.suspect(ref, describeQuestion(candidate, observed, isReturning));
  return 'asked';
}

function describeQuestion({ desired, linkedId }: Candidate, observed: Observed, isReturning: boolean): Hold {
  const { entity, key, place } = desired;
  const { speaks, against } = weighPerson(desired, observed);
  const [here, there] = [textOf(desired.values.email), textOf(observed.values.email)];
  if (here !== null && there !== null)
    (here === there ? speaks : against).push(
      here === there ? 'the same address' : `another address (${here} here, ${there} there)`,
    );
  const leads = linkedId === observed.id ? `${key} is linked to` : `${key} matches`;
  const state = isReturning ? ', which is deactivated' : '';
  const resolve = `\`talent-sync holds resolve ${typedName(entity, key)}`;
  return {
    ...{ entity, key, place: formatPlace(place), code: 'SYNC_OTHER_PERSON', relink: { key, id: observed.id } },
    reason: `${leads} ${observed.label} (${observed.id})${state}, and its row seems to be about somebody else; ${formatEvidence({ speaks, against })}.`,
    remedy: `If it is the same person, ${resolve} --same --reason "…"\`; if it is another one, ${resolve} --new-account --reason "…"\` leaves the account as it is and makes one for the row. If the row is wrong, correct it in the source.`,
  };
}

/** What makes an account somebody's. */
const IDENTITY = personalFields('name', 'address');

/** The account that a record is parted from gives up what nobody else can have; null where it need not. */
export function giveWay(
  { key, place }: Change,
  { holder, wanted }: { readonly holder: Observed; readonly wanted: Values },
  { parkingEmail, configDigest }: EntitySettings,
  { service }: ReconcilePorts,
): Change | null {
  if (isAdministrator(holder) || service.protectedBy(holder) !== null) return null;
  const freed: Record<string, Json> = {};
  for (const [name, by] of Object.entries(GIVEN_UP)) {
    const [want, held] = [textOf(wanted[name]), textOf(holder.values[name])];
    const value = by(parkingEmail?.replaceAll('{id}', holder.id) ?? null);
    if (want !== null && want === held && value !== undefined) freed[name] = value;
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

/** What two accounts cannot both have, and what the one that gives it up has instead: an e-mail cannot be blank. */
const GIVEN_UP: Readonly<Record<string, (parked: string | null) => Json | undefined>> = {
  external_unique_id: () => null,
  email: (parked) => parked ?? undefined,
  upn: () => null,
};

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? foldKey(value) : null;
}
