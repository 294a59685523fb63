import { isAccount } from '../../model/entity.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { recordKeyOf } from '../../model/plan.js';
import { ERASED, type PersonMatcher } from '../../store/personal-tables.js';
import { PEOPLE_FIELDS } from '../people.js';

/** By what a person is known in all that talent-sync keeps. Plain data: an erasure that was cut short goes on with it. */
export interface Person {
  /** Source keys. */
  readonly keys: readonly string[];
  /** Ids in the service. */
  readonly ids: readonly string[];
  /** Ids elsewhere, that nobody types: of the CV, and in an identity provider. */
  readonly aliases?: readonly string[];
  /** External ids: looked for where a field names people, since they may be plain numbers. */
  readonly refs: readonly string[];
  /** E-mails, names, numbers, pseudonyms: looked for in every text. Nobody else has them. */
  readonly texts: readonly string[];
  /** First and last names by themselves: looked for in the free words of operators, with their capitals. */
  readonly nameParts: readonly string[];
  /** Objects that are the person's as a whole: sections of the CV, links to projects; keys and ids with their entity. */
  readonly belongings: readonly Belonging[];
  /** Ids of changes of the person. */
  readonly changes: readonly string[];
}

export interface Belonging {
  readonly entity: string;
  readonly key: string | null;
  readonly id: string | null;
}

/** Written by hand: `Quimby has left` names somebody as well as a whole name does. */
const FREE_WORDS: ReadonlySet<string> = new Set(['reason', 'approval']);
/** A shorter id or key is in too many texts by chance. */
const SHORTEST_TOKEN = 6;

export interface PersonFinder extends PersonMatcher {
  /** The same for text that is no JSON: a report, or a file of unknown form. */
  isIn(text: string): boolean;
}

export function createFinder(person: Person): PersonFinder {
  const keys = new Set(person.keys);
  const ids = new Set(person.ids);
  const belongings = new Set(
    person.belongings.flatMap(({ entity, key, id }) => [`${entity} key ${key}`, `${entity} id ${id}`]),
  );
  const tokens = [...person.ids, ...(person.aliases ?? [])];
  const exact = new Set([...tokens, ...person.changes]);
  const refs = new Set([...person.keys, ...person.refs].map(foldKey));
  const pattern = buildPattern([
    ...person.texts,
    ...tokens.filter((token) => token.length >= SHORTEST_TOKEN),
    ...[...person.keys, ...person.refs].flatMap(wordsOfKey),
  ]);
  const parts = buildPattern(person.nameParts, 'u');
  const files = buildPattern([
    ...person.texts,
    ...[...tokens, ...person.keys, ...person.refs].filter((token) => token.length >= SHORTEST_TOKEN),
  ]);
  const isNamedIn = (text: string): boolean => exact.has(text) || pattern?.test(text.normalize('NFC')) === true;

  const isOwn = (entity: string, key: string | null, id: string | null): boolean =>
    isAccount(entity)
      ? (key !== null && keys.has(recordKeyOf(key))) || (id !== null && ids.has(id))
      : (key !== null && belongings.has(`${entity} key ${key}`)) ||
        (id !== null && belongings.has(`${entity} id ${id}`));

  const isOwnObject = (value: Json): boolean =>
    isJsonObject(value) &&
    isOwn(plain(value.entity) ?? '', plain(value.key), plain(value.target) ?? plain(value.service_id));

  /** A text as the field it is in has it read: a bare key is a person among owners, a last name in a reason. */
  const isNamedAs = (text: string, field: string): boolean =>
    isNamedIn(text) ||
    (PEOPLE_FIELDS.has(field) && refs.has(foldKey(text))) ||
    (FREE_WORDS.has(field) && parts?.test(text.normalize('NFC')) === true);

  /** @param field the nearest field that says how its texts are read, or '' */
  function mentions(value: Json, field: string): boolean {
    if (typeof value === 'string') return isNamedAs(value, field);
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some((item: Json) => mentions(item, field));
    if (isOwnObject(value)) return true;
    return Object.entries(value).some(([name, item]) => isNamedIn(name) || mentions(item as Json, within(field, name)));
  }

  function redact(value: Json, field: string, own: boolean): Json {
    if (typeof value === 'string') return own || isNamedAs(value, field) ? ERASED : value;
    if (typeof value !== 'object' || value === null) return own ? null : value;
    if (Array.isArray(value)) return value.map((item: Json) => redact(item, field, own));
    const isOwnOne = own || isOwnObject(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isOpen = !own && isOwnOne && (name === 'entity' || name === 'code');
        const shown = isNamedIn(name) ? ERASED : name;
        return [shown, isOpen ? item : redact(item as Json, within(field, name), isOwnOne)];
      }),
    );
  }

  const known = new Set([...refs, ...tokens.map(foldKey)]);
  return {
    isOwn,
    isKnownAs: (word) => known.has(foldKey(word)),
    mentions: (value, field = '') => mentions(value, field),
    redact: (value) => redact(value, '', false),
    isIn: (text) => files?.test(text.normalize('NFC')) === true,
  };
}

/** `owners.0` is read as `owners` are. */
function within(field: string, name: string): string {
  return PEOPLE_FIELDS.has(name) || FREE_WORDS.has(name) ? name : field;
}

function plain(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** In a text a key is in quotes; one that is not short and not only digits is recognised without them too. */
function wordsOfKey(key: string): readonly string[] {
  return key.length >= SHORTEST_TOKEN && /\p{L}/u.test(key) ? [key] : [`"${key}"`];
}

/** Whole words only, in any case: `ann@example.com` is not in `joann@example.com`, nor in `ann@example.com.au`. */
function buildPattern(texts: readonly string[], flags = 'iu'): RegExp | null {
  const forms = texts.flatMap((text) => {
    const normal = text.normalize('NFC').trim().replace(/\s+/gu, ' ');
    return [normal, encodeURIComponent(normal)];
  });
  const words = [...new Set(forms)].filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
  if (words.length === 0) return null;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '\\s+'));
  return new RegExp(`(?<![\\p{L}\\p{N}_.%+-])(?:${escaped.join('|')})(?![\\p{L}\\p{N}_@-]|\\.[\\p{L}\\p{N}])`, flags);
}
