import { SyncError } from '../../../base/errors.js';
import { isAccount } from '../../../model/entity.js';
import type { Personal } from '../../../model/fields.js';
import { type Json, type JsonObject, objectOf } from '../../../model/json.js';
import { foldKey } from '../../../model/observed.js';
import { personalFields } from '../../../model/person-fields.js';
import type { Stores } from '../../open-stores.js';
import { isPushedPerson, type PersonalRow } from '../../personal-tables.js';
import { PERSONAL_ENTITIES } from '../people.js';
import { emailOf, pseudonymOf } from '../pseudonyms.js';
import { type Belonging, marksOf, type Person, PersonFinder, stringOf } from './person.js';
import { eachSighting, parseCell, type Sighting } from './sightings.js';

/** The identifying data in one stored occurrence of a user. */
interface PersonTrace {
  readonly key: string | null;
  readonly id: string | null;
  readonly change: string | null;
  readonly emails: readonly string[];
  readonly refs: readonly string[];
  readonly names: readonly string[];
  readonly numbers: readonly string[];
}

/** A person with the facts that an operator needs before an erasure. */
export interface FoundPerson {
  readonly person: Person;
  readonly emails: readonly string[];
  readonly names: readonly string[];
  /** Names and addresses that other people have too, so they are not searched for on their own. */
  readonly shared: readonly string[];
}

/** Minimum lengths. Shorter names, parts and numbers occur in too many texts by chance. */
const SHORTEST_NAME = 5;
const SHORTEST_PART = 4;
const SHORTEST_NUMBER = 7;

/**
 * Finds a person by a source key, e-mail, external id or service id that is current or still stored. Links and entries
 * connect keys and ids. So an old address also finds what was done under the new one.
 *
 * @throws SyncError SYNC_NOT_FOUND if the words match nobody, or more than one person
 */
export function findPerson(stores: Stores, words: string): FoundPerson {
  const all = collectTraces(stores);
  const wanted = foldKey(words);
  const seeds = all.filter(({ key, id, emails, refs }) =>
    [...emails, ...refs, key, id].some((name) => name !== null && foldKey(name) === wanted),
  );
  const groups: PersonTrace[][] = [];
  for (const seed of seeds) if (!groups.some((group) => group.includes(seed))) groups.push(findGroup(seed, all));
  const [group, other] = groups;
  if (other !== undefined) throw severalPeople(words, groups);
  if (group === undefined) {
    if (!/^\S+@\S+\.\S+$/.test(words)) throw nobody(words);
    return { person: buildStranger(stores, words), emails: [words], names: [], shared: [] };
  }
  return withBelongings(stores, foundPerson(stores, group, all));
}

/**
 * Finds the person with marked source keys or service ids, even if the marked traces are not connected. Returns null if
 * there is none.
 */
export function findMarkedPerson(
  stores: Stores,
  isMarked: (kind: 'key' | 'id', value: string) => boolean,
): Person | null {
  const all = collectTraces(stores);
  const seeds = all.filter(
    ({ key, id }) => (key !== null && isMarked('key', key)) || (id !== null && isMarked('id', id)),
  );
  const group = [...new Set(seeds.flatMap((seed) => findGroup(seed, all)))];
  return group.length === 0 ? null : withBelongings(stores, foundPerson(stores, group, all)).person;
}

function withBelongings(stores: Stores, { person, ...rest }: FoundPerson): FoundPerson {
  const found = { ...rest, person: { ...person, aliases: findAliases(stores, person) } };
  const names = [...found.person.keys, ...found.person.ids, ...found.person.refs, ...found.emails];
  return { ...found, person: { ...found.person, belongings: findBelongings(stores, withPseudonyms(stores, names)) } };
}

/** Returns ids that belong to the person but never serve as a name. */
function findAliases({ erasure }: Stores, person: Person): readonly string[] {
  const finder = new PersonFinder(person);
  const isOwn = (entity: unknown, key: string | null, id: string | null): boolean =>
    isAccount(entity) && finder.isOwn('users', key, id);
  const aliases = new Set<string | null>();
  for (const row of erasure.rows('mirror', 'objects'))
    if (isOwn(row.entity, null, stringOf(row.id))) aliases.add(cvOf(row.body));
  for (const row of erasure.rows('state', 'journal'))
    if (isOwn(row.entity, stringOf(row.key), null)) aliases.add(cvOf(row.observed));
  // Users from an identity provider: pushed people, and rows kept only between reads of changes.
  for (const row of erasure.rows('state', 'pushed_resources'))
    if (row.type === 'User' && isPushedPerson(row, parseCell(row.body), finder)) aliases.add(stringOf(row.id));
  for (const row of erasure.rows('mirror', 'source_rows')) if (isKeptPerson(row, finder)) aliases.add(stringOf(row.id));
  return [...aliases].flatMap((alias) => alias || []).sort();
}

/** Returns the id of a user's CV, from the mirror or the journal. */
function cvOf(cell: Json | undefined): string | null {
  const object = objectOf(parseCell(cell));
  return stringOf(objectOf(object.values ?? object).default_cv_id);
}

function isKeptPerson(row: PersonalRow, finder: PersonFinder): boolean {
  const key = stringOf(row.key);
  if (key !== null && key !== row.id && finder.isOwn('users', key, null)) return true;
  const body = parseCell(row.body);
  return objectOf(body).userName !== undefined && isPushedPerson(row, body, finder);
}

/** Builds a person who is not a user but whom other objects may name, such as a project owner without an account. */
export function buildStranger(stores: Stores, email: string): Person {
  const texts = withPseudonyms(stores, [email]);
  return { keys: [], ids: [], refs: [], texts, nameParts: [], belongings: [], changes: [] };
}

/** Collects all sightings that share a key or id with the first one, directly or through others. */
function findGroup(seed: PersonTrace, all: readonly PersonTrace[]): PersonTrace[] {
  const keys = new Set<string>();
  const ids = new Set<string>();
  const group = new Set<PersonTrace>();
  const take = (one: PersonTrace): void => {
    group.add(one);
    if (one.key !== null) keys.add(one.key);
    if (one.id !== null) ids.add(one.id);
  };
  take(seed);
  for (let known = 0; known < group.size; ) {
    known = group.size;
    for (const one of all)
      if ((one.key !== null && keys.has(one.key)) || (one.id !== null && ids.has(one.id))) take(one);
  }
  return [...group];
}

function foundPerson(stores: Stores, group: readonly PersonTrace[], all: readonly PersonTrace[]): FoundPerson {
  const own = new Set(group);
  const others = new Set(
    all
      .filter((one) => !own.has(one))
      .flatMap(({ emails, names, numbers }) => [...emails, ...names, ...numbers].map(foldKey)),
  );
  const collect = (pick: (one: PersonTrace) => readonly (string | null)[]): readonly string[] =>
    [
      ...new Map(
        group.flatMap(pick).flatMap((text) => (text === null ? [] : [[foldKey(text), text] as const])),
      ).values(),
    ].sort();
  const emails = collect((one) => one.emails);
  const names = collect((one) => one.names);
  const numbers = collect((one) => one.numbers).filter(
    (text) => text.replace(/[^\p{L}\p{N}]/gu, '').length >= SHORTEST_NUMBER,
  );
  const fullNames = names.filter((name) => name.length >= SHORTEST_NAME && /\s/.test(name.trim()));
  const searched = [...emails, ...fullNames, ...numbers];
  const texts = searched.filter((text) => !others.has(foldKey(text)));
  const person = {
    keys: collect((one) => [one.key]),
    ids: collect((one) => [one.id]),
    refs: collect((one) => one.refs),
    texts: withPseudonyms(stores, texts),
    nameParts: [...new Set(names.flatMap((name) => name.split(/[^\p{L}'-]+/u)))].filter(
      (part) => part.length >= SHORTEST_PART,
    ),
    belongings: [],
    changes: collect((one) => [one.change]),
  };
  return { person, emails, names, shared: searched.filter((text) => others.has(foldKey(text))) };
}

function withPseudonyms({ audit }: Stores, texts: readonly string[]): readonly string[] {
  const key = audit.pseudonymKey();
  if (key === null) return texts;
  return [...texts, ...texts.filter((text) => !/^p_[0-9a-f]{20}$/.test(text)).map((text) => pseudonymOf(key, text))];
}

/**
 * Keeps one copy of each distinct trace. So their number depends on people and changes, not on the length of the
 * history.
 */
function collectTraces(stores: Stores): readonly PersonTrace[] {
  const seen = new Map<string, PersonTrace>();
  for (const sighting of eachSighting(stores)) {
    if (!isAccount(sighting.entity)) continue;
    const trace = describeTrace(sighting);
    const text = JSON.stringify(trace);
    if (!seen.has(text)) seen.set(text, trace);
  }
  return [...seen.values()];
}

function describeTrace({ key, id, change, label, sides }: Sighting): PersonTrace {
  const named = label === null ? {} : { name: label.replace(/\s*<[^>]*>\s*$/, ''), email: emailOf(label) };
  const pick = (kind: Personal): readonly string[] => {
    const fields = personalFields(kind);
    const all = [...sides, named as JsonObject].flatMap((side) => fields.flatMap((field) => textsIn(side[field])));
    return [...new Set(all)];
  };
  return {
    key,
    id,
    change,
    emails: pick('address'),
    refs: pick('key'),
    names: pick('name'),
    numbers: pick('number'),
  };
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return Object.values(objectOf(value)).flatMap(textsIn);
}

function nobody(words: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `Nothing is stored about a person "${words}".`,
    place: 'audit erase',
    remedy: 'Ask by source key, e-mail, external id or the id in the service.',
  });
}

function severalPeople(words: string, groups: readonly (readonly PersonTrace[])[]): SyncError {
  const people = groups.map((group) => {
    const one = (pick: (trace: PersonTrace) => string | null): string =>
      group.map(pick).find((found) => found !== null) ?? '-';
    return `key ${one(({ key }) => key)}, service id ${one(({ id }) => id)}`;
  });
  return new SyncError('SYNC_NOT_FOUND', {
    message: `${groups.length} people are known by "${words}", now or earlier: ${people.join('; ')}.`,
    place: 'audit erase',
    remedy: 'Name the right person by source key or service id.',
  });
}

interface SeenBelonging extends Belonging {
  /** The object's owners, if this occurrence names them. An update does not repeat them. */
  readonly users: readonly string[];
}

/**
 * Finds the objects that belong to a person. `names` are all of the person's keys, ids, addresses and pseudonyms. Some
 * sightings of an object do not name its owner. They are found by the source key or service id of a sighting that does.
 */
function findBelongings(stores: Stores, names: readonly string[]): readonly Belonging[] {
  const wanted = new Set(names.map(foldKey));
  const seen = [...new Map([...eachSeen(stores)].map((one) => [JSON.stringify(one), one])).values()];
  const known = new Set<string>();
  const found = new Set<SeenBelonging>();
  const isTheirs = (one: SeenBelonging): boolean =>
    one.users.some((user) => wanted.has(foldKey(user))) || marksOf(one).some((mark) => known.has(mark));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const one of seen.filter(isTheirs)) {
      found.add(one);
      for (const mark of marksOf(one)) known.add(mark);
    }
  }
  return [...found].map(({ entity, key, id }) => ({ entity, key, id }));
}

function* eachSeen(stores: Stores): Iterable<SeenBelonging> {
  for (const { entity, key, id, sides } of eachSighting(stores)) {
    if (!PERSONAL_ENTITIES.has(entity)) continue;
    const users = sides.flatMap(({ user, user_id }) => [user, user_id]).flatMap((one) => stringOf(one) ?? []);
    yield { entity, key, id, users };
  }
}
