import { type Comparison, isUsual, type MatchKey, nameMatchKey, USUAL, WIDEST } from '../../model/comparison.js';
import type { Desired } from '../../model/desired.js';
import { type Entity, type IdOf, TRAITS } from '../../model/entity.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { keyValues, type Observed, scopedKey, wideName } from '../../model/observed.js';
import type { ServicePort } from '../ports.js';

/** Where objects of one entity are looked for. */
export interface Finder {
  /** Ids by one key, in the form in which keys are kept. */
  ids(key: string, value: string): readonly string[];
  /** What an object holds; null when it is not there. */
  values(id: string): Values | null;
}

/** What of a record it is found by. */
export type Matchable = Pick<Desired, 'entity' | 'values'>;

export type Correlation =
  /** `setApart`: objects that are alike, and not the same only by the declared rules. */
  | { readonly kind: 'none'; readonly setApart: readonly string[] }
  | { readonly kind: 'match'; readonly id: string; readonly by: string }
  | { readonly kind: 'ambiguous'; readonly by: string; readonly candidates: readonly string[] };

export function createFinder(entity: Entity, service: Pick<ServicePort, 'findIds' | 'observed' | 'linkedKey'>): Finder {
  return {
    ids(key, value) {
      const ids = service.findIds(entity, key, value);
      // A name that several may have is no key: one that is linked is another record's, and no match for this one.
      return TRAITS[entity].sharesNames === true ? ids.filter((id) => service.linkedKey(entity, id) === null) : ids;
    },
    values: (id) => service.observed(entity, id)?.values ?? null,
  };
}

/**
 * Looks for the object of a record that has no link yet. The entries of `match` are tried in order and the first that
 * finds anything decides: one object is a match, several are held for a person to choose. An entry of several names must
 * match on all of them; an entry with an empty value says nothing.
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

/** What one entry of `match` finds, each in order. */
export interface KeyFinding {
  readonly ids: readonly string[];
  /** Alike, and not the same only by the declared rule. */
  readonly setApart: readonly string[];
}

/**
 * Objects are kept under the usual form of their keys, and under the widest where it differs, so that no rule needs an
 * index of its own: what is found there is then compared by the declared rule. Null when the record says nothing.
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

/** Id of the object within which the record's keys are unique; '' where they are for the account; null when it is not there yet. */
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

/** A multilingual name is the same when any of its languages is. */
function sharesKey(here: Values, there: Values, name: string, rule: Comparison): boolean {
  const known = keyValues(there[name], rule);
  return keyValues(here[name], rule).some((value) => known.includes(value));
}

/**
 * The unique field of an earlier entry of `match` that both sides have and that differs by that entry's rule: an address
 * that was given to a new colleague matches the account of the old one, but their numbers differ. Such a match is for a
 * person to decide. A field that the match is by is no doubt: an entry may be there twice, exact first.
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
 * Whether the record that an object is linked to gives up the unique value by which another one matches it. Whose the value
 * is then, no longer says that the two are one, and `order.ts` lets nobody have it before it is free.
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

/** Both have a value, and not the same one. */
function differs(here: Values, there: Values, name: string, rule: Comparison): boolean {
  return [here, there].every((values) => keyValues(values[name]).length > 0) && !sharesKey(here, there, name, rule);
}

/** An external id tells objects apart even where the service lets two of them share one. */
function tellsApart(entity: Entity, name: string): boolean {
  return FIELDS[entity][name]?.unique === true || name === 'external_unique_id';
}
