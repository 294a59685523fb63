import type { Desired } from '../../model/desired.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Json, Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import {
  isNamedInAddress,
  isSamePersonName,
  listSharedParts,
  type NameParts,
  readPersonName,
} from '../../model/person-name.js';
import type { NameCounts } from '../ports.js';
import { yearOf } from './same-person.js';

/** A record and the account that its key or its address identifies. */
export interface ClaimedPair {
  readonly desired: Pick<Desired, 'values'>;
  readonly observed: Pick<Observed, 'values' | 'active'>;
  /** Values that both sides last agreed on; null before the first agreement. */
  readonly base: Values | null;
  /** True if the account would be reactivated. */
  readonly isReturning: boolean;
}

/** A part of a name that this many people share says nothing about a person. */
const SHARED_BY = { percent: 1, people: 5 } as const;

/**
 * Checks whether a record and the account that it identifies belong to different people:
 *
 * | the address | the first name | years of birth | then |
 * |-------------|----------------|----------------|------|
 * | unchanged   | the same       | any            | the same person: a marriage, a numeric mailbox |
 * | unchanged   | any            | the same       | the same person: one who changes script, or name |
 *
 * | otherwise                                                                                        | →       |
 * |--------------------------------------------------------------------------------------------------|---------|
 * | both years are known and differ, and name or address changes                                     | another |
 * | no part of the names is the same, and the address changes, or has nothing of the new name        | another |
 * | a deactivated account would be activated under another name                                      | another |
 * | anything else                                                                                    | the same |
 *
 * A part that more than 1 % of all people, and at least five, have in common does not count, unless the years agree. A
 * person with the last agreed name and address has not changed, even if another user has edited them in the service.
 */
export function isOtherPerson(
  { desired, observed, base, isReturning }: ClaimedPair,
  counts: () => NameCounts,
): boolean {
  const [wanted, held] = [desired.values, observed.values];
  const years = compareYears(wanted, held);
  const isMoved = !isSameText(wanted.email, held.email);
  if (isAsAgreed(wanted, base) || (!isMoved && (years === 'agree' || isSameText(wanted.name, held.name)))) return false;
  const [now, then] = [readName(wanted.name), readName(held.name)];
  if (now === null || then === null || isCalledSo(now, [then, readName(base?.name)]))
    return years === 'differ' && isMoved;
  if (!isMoved && now.first !== null && now.first === then.first) return false;
  if (years === 'differ' || isReturning) return true;
  if (!isMoved && isNamedInAddress(String(wanted.email ?? ''), now)) return false;
  return !sharesTellingPart(now, then, years === 'agree' ? null : counts);
}

/** True if both names are known and agree, and the years of birth do not differ. */
export function isNamedAsPerson(wanted: Values, held: Values): boolean {
  const [here, there] = [textOf(wanted.name), textOf(held.name)];
  if (here === null || there === null || compareYears(wanted, held) === 'differ') return false;
  return here === there || isSamePersonName(readPersonName(here), readPersonName(there));
}

/** True if the years of birth, or other unique values than the address, are known on both sides and differ. */
export function hasOtherSign(wanted: Values, held: Values): boolean {
  return compareYears(wanted, held) === 'differ' || listOtherKeys(wanted, held).length > 0;
}

/** Values that only one account has. */
export const UNIQUE = Object.entries(FIELDS.users).flatMap(([name, field]) => (isOneOwners(field) ? [name] : []));
/** Those that `isOtherPerson` does not compare. */
const KEYS = UNIQUE.filter((name) => name !== 'email');

/** Lists the external id and the user name if both sides have one, and they differ. */
export function listOtherKeys(wanted: Values, held: Values): readonly string[] {
  const isKnown = (name: string): boolean => textOf(wanted[name]) !== null && textOf(held[name]) !== null;
  return KEYS.filter((name) => isKnown(name) && !isSameText(wanted[name], held[name]));
}

/** True if the account has this name, or the source had it before, because another user may have changed the name in the service. */
function isCalledSo(now: NameParts, known: readonly (NameParts | null)[]): boolean {
  return known.some((name) => name !== null && isSamePersonName(now, name));
}

/** Null if either year is unknown. */
function compareYears(a: Values, b: Values): 'agree' | 'differ' | null {
  const [one, other] = [yearOf(a.born_year), yearOf(b.born_year)];
  if (one === null || other === null) return null;
  return one === other ? 'agree' : 'differ';
}

function isAsAgreed(wanted: Values, base: Values | null): boolean {
  return (
    base !== null &&
    isSameText(wanted.name, base.name) &&
    isSameText(wanted.email, base.email) &&
    yearOf(wanted.born_year) === yearOf(base.born_year)
  );
}

/** @param counts null if every part counts */
function sharesTellingPart(a: NameParts, b: NameParts, counts: (() => NameCounts) | null): boolean {
  const shared = listSharedParts(a, b);
  if (counts === null || shared.length === 0) return shared.length > 0;
  const { people, countOf } = counts();
  return shared.some((part) => {
    const count = countOf(part);
    return count < SHARED_BY.people || count * 100 <= people * SHARED_BY.percent;
  });
}

function isSameText(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [textOf(a), textOf(b)];
  return one === null || other === null ? one === other : foldKey(one) === foldKey(other);
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function readName(value: Json | undefined): NameParts | null {
  const text = textOf(value);
  return text === null ? null : readPersonName(text);
}
