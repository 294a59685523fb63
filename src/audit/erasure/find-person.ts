import { SyncError } from '../../errors.js';
import { isAccount } from '../../model/entity.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { Stores } from '../../store/open-stores.js';
import { isPushedPerson, type PersonalRow } from '../../store/personal-tables.js';
import { parseRow } from '../audit-log.js';
import { pseudonymOf } from '../pseudonyms.js';
import { contentOf } from '../read-log.js';
import { findBelongings } from './find-belongings.js';
import { createFinder, type Person, type PersonFinder } from './person.js';

/** One place where some user stands, with all that it tells of who that is. */
export interface Sighting {
  readonly key: string | null;
  readonly id: string | null;
  readonly change: string | null;
  readonly emails: readonly string[];
  readonly refs: readonly string[];
  readonly names: readonly string[];
  readonly numbers: readonly string[];
}

/** A person with what an operator has to know before anything is erased. */
export interface FoundPerson {
  readonly person: Person;
  readonly emails: readonly string[];
  readonly names: readonly string[];
  /** Names and addresses that somebody else has too, and that are therefore not looked for by themselves. */
  readonly shared: readonly string[];
}

/** Fewer letters, or a single word, are in too many texts by chance. */
const SHORTEST_NAME = 5;
const SHORTEST_PART = 4;
const SHORTEST_NUMBER = 7;

/**
 * Finds a person by source key, e-mail, external id or service id, now or at any time that is kept. Keys and ids lead to
 * each other through links and entries, so that an old address finds what was done under the new one.
 *
 * @throws SyncError SYNC_NOT_FOUND when nobody, or more than one person, is known by the words
 */
export function findPerson(stores: Stores, words: string, more: Iterable<Sighting>): FoundPerson {
  const all = collectSightings(stores, more);
  const wanted = foldKey(words);
  const seeds = all.filter((one) => namesOf(one).some((name) => foldKey(name) === wanted));
  const groups: Sighting[][] = [];
  for (const seed of seeds) if (!groups.some((group) => group.includes(seed))) groups.push(findGroup(seed, all));
  const [group, other] = groups;
  if (other !== undefined) throw severalPeople(words, groups);
  if (group === undefined) {
    if (!/^\S+@\S+\.\S+$/.test(words)) throw nobody(words);
    return { person: buildStranger(stores, words), emails: [words], names: [], shared: [] };
  }
  return withBelongings(stores, describePerson(stores, group, all));
}

/**
 * Finds whoever a test on source keys and service ids says is meant, in all places and however far apart they are; null
 * when nobody is.
 */
export function findMarkedPerson(
  stores: Stores,
  isMarked: (kind: 'key' | 'id', value: string) => boolean,
  more: Iterable<Sighting>,
): Person | null {
  const all = collectSightings(stores, more);
  const seeds = all.filter(
    ({ key, id }) => (key !== null && isMarked('key', key)) || (id !== null && isMarked('id', id)),
  );
  const group = [...new Set(seeds.flatMap((seed) => findGroup(seed, all)))];
  return group.length === 0 ? null : withBelongings(stores, describePerson(stores, group, all)).person;
}

function withBelongings(stores: Stores, { person, ...rest }: FoundPerson): FoundPerson {
  const found = { ...rest, person: { ...person, aliases: findAliases(stores, person) } };
  const names = [...found.person.keys, ...found.person.ids, ...found.person.refs, ...found.emails];
  return { ...found, person: { ...found.person, belongings: findBelongings(stores, withPseudonyms(stores, names)) } };
}

/** Ids that belong to the person without anybody calling them by it. */
function findAliases({ erasure }: Stores, person: Person): readonly string[] {
  const finder = createFinder(person);
  const isOwn = (entity: unknown, key: string | null, id: string | null): boolean =>
    isAccount(entity) && finder.isOwn('users', key, id);
  const aliases = new Set<string | null>();
  for (const row of erasure.rows('mirror', 'objects'))
    if (isOwn(row.entity, null, text(row.id))) aliases.add(cvOf(row.body));
  for (const row of erasure.rows('state', 'journal'))
    if (isOwn(row.entity, text(row.key), null)) aliases.add(cvOf(row.observed));
  // Users of an identity provider: people who were pushed, and rows that are kept between reads of changes alone.
  for (const row of erasure.rows('state', 'pushed_resources'))
    if (row.type === 'User' && isPushedPerson(row, parse(row.body), finder)) aliases.add(text(row.id));
  for (const row of erasure.rows('mirror', 'source_rows')) if (isKeptPerson(row, finder)) aliases.add(text(row.id));
  return [...aliases].flatMap((alias) => alias || []).sort();
}

/** The id of the CV of a user, as the mirror or the journal holds it. */
function cvOf(cell: Json | undefined): string | null {
  const object = parse(cell);
  const values = isJsonObject(object) && isJsonObject(object.values) ? object.values : object;
  return isJsonObject(values) ? text(values.default_cv_id) : null;
}

function isKeptPerson(row: PersonalRow, finder: PersonFinder): boolean {
  const key = text(row.key);
  if (key !== null && key !== row.id && finder.isOwn('users', key, null)) return true;
  const body = parse(row.body);
  return isJsonObject(body) && body.userName !== undefined && isPushedPerson(row, body, finder);
}

/** Somebody who is no user of ours, but perhaps named by others: an owner of a project who has no account. */
export function buildStranger(stores: Stores, email: string): Person {
  const texts = withPseudonyms(stores, [email]);
  return { keys: [], ids: [], refs: [], texts, nameParts: [], belongings: [], changes: [] };
}

function namesOf({ key, id, emails, refs }: Sighting): readonly string[] {
  return [...emails, ...refs, ...(key === null ? [] : [key]), ...(id === null ? [] : [id])];
}

/** All sightings that share a key or id with the first, through as many steps as it takes. */
function findGroup(seed: Sighting, all: readonly Sighting[]): Sighting[] {
  const keys = new Set<string>();
  const ids = new Set<string>();
  const group = new Set<Sighting>();
  const take = (one: Sighting): void => {
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

function describePerson(stores: Stores, group: readonly Sighting[], all: readonly Sighting[]): FoundPerson {
  const own = new Set(group);
  const others = new Set(
    all
      .filter((one) => !own.has(one))
      .flatMap(({ emails, names, numbers }) => [...emails, ...names, ...numbers].map(foldKey)),
  );
  const collect = (pick: (one: Sighting) => readonly (string | null)[]): readonly string[] =>
    [
      ...new Map(
        group.flatMap(pick).flatMap((text) => (text === null ? [] : [[foldKey(text), text] as const])),
      ).values(),
    ].sort();
  const emails = collect((one) => one.emails);
  const names = collect((one) => one.names);
  const numbers = collect((one) => one.numbers).filter((number) => number.replace(/\D/g, '').length >= SHORTEST_NUMBER);
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

/** Equal sightings once: as many as there are people and changes, however long the history is. */
function collectSightings(stores: Stores, more: Iterable<Sighting>): readonly Sighting[] {
  const seen = new Map<string, Sighting>();
  const add = (one: Sighting): void => {
    const text = JSON.stringify(one);
    if (!seen.has(text)) seen.set(text, one);
  };
  for (const one of eachSighting(stores)) add(one);
  for (const one of more) add(one);
  return [...seen.values()];
}

function* eachSighting({ erasure, audit }: Stores): Iterable<Sighting> {
  for (const row of erasure.rows('state', 'links')) {
    if (isAccount(row.entity))
      yield buildSighting(row.source_key, row.service_id, [parse(row.agreed), parse(row.written)]);
  }
  for (const row of erasure.rows('state', 'absences'))
    if (isAccount(row.entity)) yield buildSighting(row.source_key, null, []);
  for (const row of erasure.rows('mirror', 'objects'))
    if (isAccount(row.entity)) yield buildSighting(null, row.id, [parse(row.body)]);
  for (const row of erasure.rows('state', 'journal')) yield* sightChange(parse(row.change));
  for (const row of audit.rows()) {
    const line = parseRow(row);
    if (line === null) continue;
    const content = contentOf(line);
    if (content.kind === 'change') yield* sightChange({ ...content, id: content.change } as unknown as Json);
  }
}

/** A change of a user, as plans, journal and audit hold it. */
export function* sightChange(change: Json): Iterable<Sighting> {
  if (!isJsonObject(change) || !isAccount(change.entity)) return;
  const { key, target, before, after, label, id } = change;
  const email = typeof label === 'string' ? /<([^>]*)>\s*$/.exec(label)?.[1] : undefined;
  const named = typeof label === 'string' ? { name: label.replace(/\s*<[^>]*>\s*$/, ''), email: email ?? null } : {};
  yield { ...buildSighting(key, target, [before ?? null, after ?? null, named]), change: text(id) };
}

function buildSighting(key: Json | undefined, id: Json | undefined, sides: readonly Json[]): Sighting {
  const pick = (fields: readonly string[]): readonly string[] => [
    ...new Set(sides.flatMap((side) => (isJsonObject(side) ? fields.flatMap((field) => texts(side[field])) : []))),
  ];
  return {
    key: text(key),
    id: text(id),
    change: null,
    emails: pick(['email', 'upn']),
    refs: pick(['external_unique_id']),
    names: pick(['name', 'name_multilang']),
    numbers: pick(['telephone', 'landline']),
  };
}

function texts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return isJsonObject(value) ? Object.values(value).flatMap(texts) : [];
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function parse(value: PersonalRow[string] | undefined): Json {
  return typeof value === 'string' ? (JSON.parse(value) as Json) : null;
}

function nobody(words: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `Nobody that talent-sync has kept anything of is "${words}".`,
    place: 'audit erase',
    remedy: 'Ask by source key, e-mail, external id or the id in the service.',
  });
}

function severalPeople(words: string, groups: readonly (readonly Sighting[])[]): SyncError {
  const people = groups.map((group) => {
    const one = (pick: (sighting: Sighting) => string | null): string =>
      group.map(pick).find((found) => found !== null) ?? '-';
    return `key ${one(({ key }) => key)}, service id ${one(({ id }) => id)}`;
  });
  return new SyncError('SYNC_NOT_FOUND', {
    message: `${groups.length} people are known by "${words}", now or earlier: ${people.join('; ')}.`,
    place: 'audit erase',
    remedy: 'Name the one who is meant by source key or service id.',
  });
}
