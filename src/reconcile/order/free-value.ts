import { isAccount } from '../../model/entity.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { isAdministrator } from '../../model/power.js';
import { typedName } from '../../model/typed.js';
import { buildChange } from '../build-change.js';
import { eachWithPauses } from '../each-with-pauses.js';
import type { ReconcilePorts } from '../ports.js';
import type { Parking } from './park.js';

/** The record that needs a value. */
export interface Taker {
  readonly key: string;
  readonly place: string;
}

/** An account with a value that a record needs. */
export interface Handover {
  readonly taker: Taker;
  readonly holder: Observed;
  readonly parking: Parking;
  /** True if the account has the name of the taker, so that `users.same_person` asks as well. */
  readonly isAlike?: boolean;
}

/** A way for a run to free a value that a deactivated account keeps, once a person has approved this. */
export interface Offer {
  /** `entity:key` of the change that frees the value. */
  readonly ref: string;
  readonly approved: boolean;
  readonly isAlike: boolean;
  /** Text for the remedy: the effect, and how to approve it. */
  readonly text: string;
}

const FREED = /~freed_\w+$/;

/**
 * Offers to remove a unique value from the account that keeps it:
 *
 * | the account                              | the value              | →                                                             |
 * |------------------------------------------|------------------------|---------------------------------------------------------------|
 * | active, an administrator's, or protected | any                    | nothing                                                       |
 * | something else is planned for it         | any                    | nothing                                                       |
 * | deactivated                              | e-mail                 | parked (`users.parking_email`), or nothing: it is required    |
 * | deactivated                              | external id, user name | cleared                                                       |
 *
 * The change is always in the plan, under the guard `users.free_value`, which needs an approval each time.
 */
export function offerValue(
  field: string,
  { taker, holder, parking, isAlike = false }: Handover,
  ports: ReconcilePorts,
): Offer | null {
  const { entity, id, label, values } = holder;
  if (!isAccount(entity) || !isOneOwners(FIELDS[entity][field]) || !mayBeFreed(holder, ports)) return null;
  const parked = field === 'email' ? (parking.email?.replaceAll('{id}', id) ?? null) : null;
  if (field === 'email' && parked === null) return null;
  const key = `${taker.key}~freed_${field}`;
  const change = buildChange(
    {
      entity,
      action: 'update',
      key,
      target: id,
      label,
      fields: [field],
      before: { [field]: values[field] ?? null },
      after: { [field]: parked },
      reason: { kind: 'freed', text: `${field} of an inactive account, for ${taker.key}` },
      place: taker.place,
      observedHash: holder.hash,
      partOf: `${entity}:${taker.key}`,
    },
    parking.configDigest,
  );
  ports.plan.add(change);
  const what = parked === null ? `clears ${field} of ${label}` : `gives ${label} the address ${parked} instead`;
  const who = typedName('users', taker.key);
  const first = isAlike ? `\`talent-sync holds resolve ${who} --new --reason "…"\`, then ` : '';
  const text = `${first}\`talent-sync approve --guard users.free_value --who ${who} --reason "…"\` ${what}; the next run then gives ${field} to its new owner`;
  return { ref: `${entity}:${key}`, approved: ports.memory.isApproved(change.id), isAlike, text };
}

function mayBeFreed(holder: Observed, ports: ReconcilePorts): boolean {
  if (holder.active || isAdministrator(holder) || ports.service.protectedBy(holder) !== null) return false;
  return ports.plan.plannedByTarget('users', holder.id) === null;
}

/** Offers all unique values that a new person needs and an inactive account has; null if there are none, or one cannot be freed. */
export function offerAll(
  handover: Handover & { readonly wanted: Values },
  ports: ReconcilePorts,
): readonly Offer[] | null {
  const { wanted, holder } = handover;
  const shared = Object.entries(FIELDS.users).flatMap(([name, field]) => {
    const [want, held] = [wanted[name], holder.values[name]];
    if (!isOneOwners(field) || typeof want !== 'string' || typeof held !== 'string') return [];
    return foldKey(want) === foldKey(held) ? [name] : [];
  });
  const offers = shared.map((name) => offerValue(name, handover, ports));
  return offers.length === 0 || offers.includes(null) ? null : offers.filter((offer) => offer !== null);
}

/**
 * Names the setting that an offer needs, because an e-mail cannot be blank and has to become another address.
 *
 * @param isParted a person has decided that the account does not belong to the record it is linked to
 */
export function hintAtParking(field: string, holder: Observed | null, parking: Parking, isParted = false): string {
  if (field !== 'email' || parking.email !== null || holder === null || !isAccount(holder.entity)) return '';
  if (!holder.active) return ' With `users.parking_email`, the inactive account can give it up.';
  return isParted ? ` Or set \`users.parking_email\` and answer again: ${holder.label} then gives it up.` : '';
}

/** Drops an approved change if its record no longer takes the value. */
export function* dropFreedInVain({ plan, memory }: ReconcilePorts): Generator<void, void> {
  yield* eachWithPauses(plan.changesOf('users', 'update'), (change) => {
    if (!isFreeing(change) || (change.apart === undefined && !memory.isApproved(change.id))) return;
    const taker = plan.find(change.partOf ?? '');
    if (taker?.needs.includes(`users:${change.key}`) !== true) plan.drop(`users:${change.key}`);
  });
}

export function isFreeing({ key, reason }: Pick<Change, 'key' | 'reason'>): boolean {
  return reason.kind === 'freed' && FREED.test(key);
}

/**
 * Describes the holder, for example `Kari Gone <kari@example.com> (64f1…, deactivated since 2026-03-01)`; only the id
 * if nothing else is known.
 */
export function holderText(holder: Observed | null, id: string, dayOf: (iso: string) => string): string {
  if (holder === null) return `the object ${id}`;
  const { deactivated_at: stamp, external_unique_id: external } = holder.values;
  const facts = [
    id,
    ...(typeof external === 'string' && external !== '' ? [`external id ${external}`] : []),
    ...(holder.active || typeof stamp !== 'string' ? [] : [`deactivated since ${dayOf(stamp)}`]),
  ];
  return `the ${holder.active ? '' : 'deactivated '}object ${holder.label} (${facts.join(', ')})`;
}
