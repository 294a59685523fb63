import type { Candidate } from './desired.js';
import { ENTITIES, type Entity, type IdOf } from './entity.js';
import { FIELDS } from './fields.js';
import { type Json, listOf, objectOf, type Values } from './json.js';

/** The field of a base that stores the people whom its words refer to: `{ "jane@example.com": "5f…" }`. */
export const PEOPLE_MEANT = 'people_meant';

const PEOPLE_FIELDS: ReadonlyMap<Entity, readonly string[]> = new Map(
  ENTITIES.map((entity) => [
    entity,
    Object.keys(FIELDS[entity]).filter((name) => FIELDS[entity][name]?.to === 'users'),
  ]),
);

/** The parts of a record that are compared, in the words of the record or with ids; see `meanPeople`. */
export type Said = Pick<Candidate, 'desired' | 'base' | 'written' | 'ownWords'>;

/** Lookups of people in the service, for `meanPeople`. */
export interface Account {
  readonly idOf: IdOf;
  /** True if the account has a person with that id. */
  isThere(id: string): boolean;
}

/**
 * Lets each word mean the same person as at the last agreement, even if someone else has the address now. A word that now
 * resolves to another person, or to no one, is replaced by the person's id. The current meaning counts only for new words, for
 * words that meant deleted people, and for the old address of a person whose new address is in the record.
 */
export function meanPeople<T extends Said>(record: T, { idOf, isThere }: Account): T {
  const meant = Object.entries(objectOf(record.base?.[PEOPLE_MEANT])).map(([word, id]) => [word, String(id)] as const);
  const moved = meant.filter(([word, id]) => idOf('users', word) !== id);
  if (moved.length === 0) return record;
  const { desired, base, written } = record;
  const known = new Set(meant.map(([word]) => word));
  const newAddresses = peopleIn(desired.entity, desired.values).filter(
    (word) => word.includes('@') && !known.has(word),
  );
  const renamed = new Set(newAddresses.map((word) => idOf('users', word)));
  const there = moved.filter(([, id]) => isThere(id));
  const ids = new Map(there.filter(([, id]) => !renamed.has(id)));
  const today = new Set(moved.flatMap(([word]) => (ids.has(word) ? [] : [word])));
  const byId = (values: Values | null): Values | null => values && replaceWords(desired.entity, values, new Map(there));
  return {
    ...record,
    desired: { ...desired, values: replaceWords(desired.entity, desired.values, ids) },
    base: byId(base && withoutMeant(base, today)),
    written: byId(written),
    ownWords: new Map([...ids].map(([word, id]) => [id, word])),
  };
}

/** Replaces ids by the words of the source, as a base stores them. */
export function inOwnWords({ desired, ownWords }: Pick<Said, 'desired' | 'ownWords'>, values: Values): Values {
  return ownWords === undefined ? values : replaceWords(desired.entity, values, ownWords);
}

/** Adds the people whom the words of a base refer to from now on. */
export function withPeopleMeant(entity: Entity, values: Values, base: Values | null, idOf: IdOf): Values {
  const before = objectOf(base?.[PEOPLE_MEANT]);
  const meant = peopleIn(entity, values).flatMap((word): [string, Json][] => {
    const id = before[word] ?? idOf('users', word);
    return id === null ? [] : [[word, id]];
  });
  return meant.length === 0 ? values : { ...values, [PEOPLE_MEANT]: Object.fromEntries(meant) };
}

function peopleIn(entity: Entity, values: Values): readonly string[] {
  return (PEOPLE_FIELDS.get(entity) ?? []).flatMap((name) => wordsOf(values[name]));
}

function wordsOf(value: Json | undefined): readonly string[] {
  return (typeof value === 'string' ? [value] : listOf(value)).map(String);
}

function withoutMeant(base: Values, words: ReadonlySet<string>): Values {
  const kept = Object.entries(objectOf(base[PEOPLE_MEANT])).filter(([word]) => !words.has(word));
  return { ...base, [PEOPLE_MEANT]: Object.fromEntries(kept) };
}

function replaceWords(entity: Entity, values: Values, by: ReadonlyMap<string, string>): Values {
  const replaced: Record<string, Json> = { ...values };
  const rename = (word: Json): Json => by.get(String(word)) ?? word;
  for (const name of PEOPLE_FIELDS.get(entity) ?? []) {
    const value = values[name];
    if (typeof value === 'string') replaced[name] = rename(value);
    else if (Array.isArray(value)) replaced[name] = (value as readonly Json[]).map(rename);
  }
  const meant = Object.entries(objectOf(values[PEOPLE_MEANT]));
  if (meant.length > 0)
    replaced[PEOPLE_MEANT] = Object.fromEntries(meant.map(([word, id]) => [String(rename(word)), id]));
  return replaced;
}
