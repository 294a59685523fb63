import type { Desired } from '../model/desired.js';
import { type IdOf, SCOPES } from '../model/entity-keys.js';
import { FIELDS } from '../model/fields.js';
import { keyValues, type Observed, scopedKey } from '../model/observed.js';

/** Finds ids of the mirror's objects by one folded key. */
export type FindIds = (key: string, value: string) => readonly string[];

/** What of a record it is found by. */
export type Matchable = Pick<Desired, 'entity' | 'values'>;

export type Correlation =
  | { readonly kind: 'none' }
  | { readonly kind: 'match'; readonly id: string; readonly by: string }
  | { readonly kind: 'ambiguous'; readonly by: string; readonly candidates: readonly string[] };

/**
 * Looks for the object of a record that has no link yet. The entries of `match` are tried in order and the first that
 * finds anything decides: one object is a match, several are held for a person to choose. An entry of several names must
 * match on all of them; an entry with an empty value says nothing.
 */
export function correlate(
  desired: Matchable,
  match: readonly (readonly string[])[],
  find: FindIds,
  idOf: IdOf = () => null,
): Correlation {
  const within = scopeOf(desired, idOf);
  if (within === null) return { kind: 'none' };
  for (const names of match) {
    const sets: ReadonlySet<string>[] = [];
    for (const name of names) {
      const values = keysOf(desired, name, idOf);
      if (values.length === 0) break;
      sets.push(new Set(values.flatMap((value) => find(name, within === '' ? value : scopedKey(within, value)))));
    }
    const [first, ...rest] = sets;
    if (first === undefined || sets.length < names.length) continue;
    const ids = [...first].filter((id) => rest.every((set) => set.has(id))).sort();
    const by = names.join(' + ');
    const id = ids[0];
    if (ids.length === 1 && id !== undefined) return { kind: 'match', id, by };
    if (ids.length > 1) return { kind: 'ambiguous', by, candidates: ids };
  }
  return { kind: 'none' };
}

/** Id of the object within which the record's keys are unique; '' where they are for the account; null when it is not there yet. */
function scopeOf({ entity, values }: Matchable, idOf: IdOf): string | null {
  const scope = SCOPES[entity];
  if (scope === undefined) return '';
  const to = FIELDS[entity][scope]?.to;
  return to === undefined ? null : idOf(to, String(values[scope] ?? ''));
}

function keysOf({ entity, values }: Matchable, name: string, idOf: IdOf): readonly string[] {
  const to = FIELDS[entity][name]?.to;
  if (to === undefined) return keyValues(values[name]);
  const id = idOf(to, String(values[name] ?? ''));
  return id === null ? [] : keyValues(id);
}

/**
 * The unique field of an earlier entry of `match` that both sides have and that differs: an address that was given to a
 * new colleague matches the account of the old one, but their numbers differ. Such a match is for a person to decide.
 */
export function findDoubt(
  desired: Desired,
  observed: Observed,
  match: readonly (readonly string[])[],
  by: string,
): string | null {
  for (const names of match) {
    if (names.join(' + ') === by) return null;
    for (const name of names) {
      // An external id tells objects apart even where the service lets two of them share one.
      if (FIELDS[desired.entity][name]?.unique !== true && name !== 'external_unique_id') continue;
      const [here, there] = [keyValues(desired.values[name]), keyValues(observed.values[name])];
      if (here.length > 0 && there.length > 0 && !here.some((value) => there.includes(value))) return name;
    }
  }
  return null;
}
