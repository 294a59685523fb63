import { isAccount } from '../../../model/entity.js';
import { type Json, objectOf, textOf } from '../../../model/json.js';
import { foldKey } from '../../../model/observed.js';
import { recordKeyOf } from '../../../model/plan.js';
import { ERASED, type PersonMatcher } from '../../personal-tables.js';
import { PEOPLE_FIELDS } from '../people.js';

/**
 * Everything that identifies a person in talent-sync's data. It is plain data, so that it can be stored to continue an
 * interrupted erasure.
 */
export interface Person {
  /** The person's source keys. */
  readonly keys: readonly string[];
  /** The person's ids in the service. */
  readonly ids: readonly string[];
  /** Other ids that nobody types: of the CV, and in an identity provider. */
  readonly aliases?: readonly string[];
  /** External ids. They may be plain numbers, so only fields that name people are searched for them. */
  readonly refs: readonly string[];
  /** E-mails, names, numbers and pseudonyms that only this person has. Every text is searched for them. */
  readonly texts: readonly string[];
  /** First and last names on their own. Operators' texts are searched for them, case-sensitively. */
  readonly nameParts: readonly string[];
  /** Objects that belong only to the person: CV sections and links to projects. */
  readonly belongings: readonly Belonging[];
  /** Ids of changes to the person. */
  readonly changes: readonly string[];
}

export interface Belonging {
  readonly entity: string;
  readonly key: string | null;
  readonly id: string | null;
}

/** Fields that operators write. `Quimby has left` identifies someone as well as a full name does. */
const FREE_WORDS: ReadonlySet<string> = new Set(['reason', 'approval']);
/** Minimum length. Shorter ids or keys occur in too many texts by chance. */
const SHORTEST_TOKEN = 6;

/** Finds a person in all data that talent-sync stores. */
export class PersonFinder implements PersonMatcher {
  private readonly keys: ReadonlySet<string>;
  private readonly ids: ReadonlySet<string>;
  private readonly belongings: ReadonlySet<string>;
  /** External ids and keys in a form for comparison. `known` also includes the ids that nobody types. */
  private readonly refs: ReadonlySet<string>;
  private readonly known: ReadonlySet<string>;
  private readonly exact: ReadonlySet<string>;
  private readonly pattern: RegExp | null;
  private readonly parts: RegExp | null;
  private readonly files: RegExp | null;

  constructor({ keys, ids, aliases = [], refs, texts, nameParts, belongings, changes }: Person) {
    const tokens = [...ids, ...aliases];
    const names = [...keys, ...refs];
    const long = (words: readonly string[]) => words.filter((word) => word.length >= SHORTEST_TOKEN);
    this.keys = new Set(keys);
    this.ids = new Set(ids);
    this.belongings = new Set(belongings.flatMap(marksOf));
    this.refs = new Set(names.map(foldKey));
    this.known = new Set([...names, ...tokens].map(foldKey));
    this.exact = new Set([...tokens, ...changes]);
    this.pattern = buildPattern([...texts, ...long(tokens), ...names.flatMap(wordsOfKey)]);
    this.parts = buildPattern(nameParts, 'u');
    this.files = buildPattern([...texts, ...long([...tokens, ...names])]);
  }

  isOwn(entity: string, key: string | null, id: string | null): boolean {
    if (!isAccount(entity)) return marksOf({ entity, key, id }).some((mark) => this.belongings.has(mark));
    return (key !== null && this.keys.has(recordKeyOf(key))) || (id !== null && this.ids.has(id));
  }

  isKnownAs(word: string): boolean {
    return this.known.has(foldKey(word));
  }

  /** True if a text that is not JSON names the person, such as a report or a file in an unknown format. */
  isIn(text: string): boolean {
    return this.files?.test(text.normalize('NFC')) === true;
  }

  /** @param field the nearest field that determines how texts are read; '' if there is none */
  mentions(value: Json, field = ''): boolean {
    if (typeof value === 'string') return this.isNamedAs(value, field);
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some((item: Json) => this.mentions(item, field));
    if (this.isOwnObject(value)) return true;
    return Object.entries(value).some(
      ([name, item]) => this.isNamedIn(name) || this.mentions(item as Json, within(field, name)),
    );
  }

  redact(value: Json, field = '', own = false): Json {
    if (typeof value === 'string') return own || this.isNamedAs(value, field) ? ERASED : value;
    if (typeof value !== 'object' || value === null) return own ? null : value;
    if (Array.isArray(value)) return value.map((item: Json) => this.redact(item, field, own));
    const isOwnOne = own || this.isOwnObject(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isOpen = !own && isOwnOne && (name === 'entity' || name === 'code');
        const shown = this.isNamedIn(name) ? ERASED : name;
        return [shown, isOpen ? item : this.redact(item as Json, within(field, name), isOwnOne)];
      }),
    );
  }

  private isOwnObject(value: Json): boolean {
    const { entity, key, target, service_id: id } = objectOf(value);
    return this.isOwn(textOf(entity), stringOf(key), stringOf(target) ?? stringOf(id));
  }

  private isNamedIn(text: string): boolean {
    return this.exact.has(text) || this.pattern?.test(text.normalize('NFC')) === true;
  }

  /** Reads a text according to its field. A bare key names a person in `owners`; a last name does so in a reason. */
  private isNamedAs(text: string, field: string): boolean {
    return (
      this.isNamedIn(text) ||
      (PEOPLE_FIELDS.has(field) && this.refs.has(foldKey(text))) ||
      (FREE_WORDS.has(field) && this.parts?.test(text.normalize('NFC')) === true)
    );
  }
}

/** Returns the marks that identify an object. */
export function marksOf({ entity, key, id }: Belonging): readonly string[] {
  return [...(key === null ? [] : [`${entity} key ${key}`]), ...(id === null ? [] : [`${entity} id ${id}`])];
}

/** Reads `owners.0` like `owners`. */
function within(field: string, name: string): string {
  return PEOPLE_FIELDS.has(name) || FREE_WORDS.has(name) ? name : field;
}

export function stringOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Texts quote keys. A long key that contains a letter is also recognised without quotation marks. */
function wordsOfKey(key: string): readonly string[] {
  return key.length >= SHORTEST_TOKEN && /\p{L}/u.test(key) ? [key] : [`"${key}"`];
}

/**
 * Matches complete words regardless of case. `ann@example.com` does not match in `joann@example.com` or
 * `ann@example.com.au`.
 */
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
