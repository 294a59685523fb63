import { type Comparison, isUsual, type MatchKey, nameMatchKey, USUAL, WIDEST } from '../../model/comparison.js';
import type { Desired } from '../../model/desired.js';
import { type Entity, type IdOf, TRAITS } from '../../model/entity.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { keyValues, type Observed, scopedKey, wideName } from '../../model/observed.js';
import type { ServicePort } from '../ports.js';

/** Finds objects of one entity. */
export interface Finder {
  /** Returns ids by one key, in the form in which keys are stored. */
  ids(key: string, value: string): readonly string[];
  /** The values of an object; null if it does not exist. */
  values(id: string): Values | null;
}

/** The parts of a record that are needed to match it. */
export type Matchable = Pick<Desired, 'entity' | 'values'>;

export type Correlation =
  /** `setApart`: objects that look alike and that only the declared rules distinguish. */
  | { readonly kind: 'none'; readonly setApart: readonly string[] }
  | { readonly kind: 'match'; readonly id: string; readonly by: string }
  | { readonly kind: 'ambiguous'; readonly by: string; readonly candidates: readonly string[] };

export function createFinder(entity: Entity, service: Pick<ServicePort, 'findIds' | 'observed' | 'linkedKey'>): Finder {
  return {
    ids(key, value) {
      const ids = service.findIds(entity, key, value);
      // A name that several objects may share is not a key. A linked object belongs to another record, so it does not
      // match.
      return TRAITS[entity].sharesNames === true ? ids.filter((id) => service.linkedKey(entity, id) === null) : ids;
    },
    values: (id) => service.observed(entity, id)?.values ?? null,
  };
}

/**
 * Looks for the object of a record without a link. The entries of `match` are tried in order, and the first one with a
 * result decides. One object is a match; several are held for a person to choose. An entry with several names must
 * match on all of them; an entry with an empty value is skipped.
 */
export function correlate(
  desired: Matchable,
  match: readonly MatchKey[],
  find: Finder,
  idOf: IdOf = () => null,
): Correlation {
  const apart = new Set<string>();
  for (const key of match) {
    const found = findByKey(desired, key, find, idOf);
    if (found === null) continue;
    const [id, another] = found.ids;
    if (another !== undefined) return { kind: 'ambiguous', by: nameMatchKey(key), candidates: found.ids };
    if (id !== undefined) return { kind: 'match', id, by: nameMatchKey(key) };
    for (const one of found.setApart) apart.add(one);
  }
  return { kind: 'none', setApart: [...apart] };
}

/** The ids that one entry of `match` finds, in order. */
export interface KeyFinding {
  readonly ids: readonly string[];
  /** Objects that look alike and that only the declared rule distinguishes. */
  readonly setApart: readonly string[];
}

/**
 * Finds objects by one entry of `match`. Objects are stored under the usual form of their keys, and also under the most
 * tolerant form if it differs, so no rule needs its own index. Each object found is then compared by the declared rule.
 *
 * @returns null if the record has no value for the entry
 */
export function findByKey(
  desired: Matchable,
  { fields, compare }: MatchKey,
  find: Finder,
  idOf: IdOf,
): KeyFinding | null {
  const within = scopeOf(desired, idOf);
  if (within === null) return null;
  const isWide = compare.unicode === 'nfkc';
  let alike: readonly string[] | null = null;
  for (const name of fields) {
    const values = keysOf(desired, name, idOf, isWide);
    if (values.length === 0) return null;
    const found = new Set<string>();
    for (const value of values)
      addIds(found, find, { name, value: within === '' ? value : scopedKey(within, value), isWide });
    alike = alike === null ? [...found].sort() : alike.filter((id) => found.has(id));
  }
  alike ??= [];
  if (isUsual(compare)) return { ids: alike, setApart: [] };
  const isSame = (id: string): boolean => {
    const there = find.values(id);
    return there !== null && fields.every((name) => sharesKey(desired.values, there, name, compare));
  };
  const ids = alike.filter(isSame);
  return { ids, setApart: alike.filter((id) => !ids.includes(id)) };
}

function addIds(
  found: Set<string>,
  find: Finder,
  { name, value, isWide }: { readonly name: string; readonly value: string; readonly isWide: boolean },
): void {
  for (const id of find.ids(name, value)) found.add(id);
  if (isWide) for (const id of find.ids(wideName(name), value)) found.add(id);
}

/** Id of the object within which the record's keys are unique; '' for keys unique in the account; null if it does not exist yet. */
function scopeOf({ entity, values }: Matchable, idOf: IdOf): string | null {
  const scope = TRAITS[entity].scope;
  if (scope === undefined) return '';
  const to = FIELDS[entity][scope]?.to;
  return to === undefined ? null : idOf(to, String(values[scope] ?? ''));
}

function keysOf({ entity, values }: Matchable, name: string, idOf: IdOf, isWide: boolean): readonly string[] {
  const to = FIELDS[entity][name]?.to;
  if (to === undefined) return keyValues(values[name], isWide ? WIDEST : USUAL);
  const id = idOf(to, String(values[name] ?? ''));
  return id === null ? [] : keyValues(id);
}

/** Multilingual names are the same if they are equal in any language. */
function sharesKey(here: Values, there: Values, name: string, rule: Comparison): boolean {
  const known = keyValues(there[name], rule);
  return keyValues(here[name], rule).some((value) => known.includes(value));
}

/**
 * The unique field of an earlier entry of `match` that has a value on both sides, if the values differ by the rule of
 * that entry. For example, a new colleague gets the address of an old one, but their numbers differ. A person decides
 * about such a match. A field of the matching entry itself is not in doubt, because an entry may be listed twice, with
 * the exact rule first.
 */
export function findDoubt(desired: Desired, observed: Observed, match: readonly MatchKey[], by: string): string | null {
  const at = match.findIndex((key) => nameMatchKey(key) === by);
  for (const { fields, compare } of match.slice(0, at)) {
    const doubt = fields.find(
      (name) =>
        tellsApart(desired.entity, name) &&
        match[at]?.fields.includes(name) !== true &&
        differs(desired.values, observed.values, name, compare),
    );
    if (doubt !== undefined) return doubt;
  }
  return null;
}

/**
 * True if the linked record of an object gives up the unique value through which another record matches the object. The
 * value then no longer shows that the two are the same, and `order.ts` assigns it to nobody before it is free.
 */
export function isGivenUp(
  giver: Matchable,
  taker: Matchable,
  { match, by }: { readonly match: readonly MatchKey[]; readonly by: string },
): boolean {
  const entry = match.find((key) => nameMatchKey(key) === by);
  const isUnique = (name: string): boolean => isOneOwners(FIELDS[giver.entity][name]);
  return (
    entry?.fields.some((name) => isUnique(name) && differs(giver.values, taker.values, name, entry.compare)) === true
  );
}

/** True if both sides have a value, and the values differ. */
function differs(here: Values, there: Values, name: string, rule: Comparison): boolean {
  return [here, there].every((values) => keyValues(values[name]).length > 0) && !sharesKey(here, there, name, rule);
}

/** An external id distinguishes objects even if the service allows two of them to share one. */
function tellsApart(entity: Entity, name: string): boolean {
  return FIELDS[entity][name]?.unique === true || name === 'external_unique_id';
}
