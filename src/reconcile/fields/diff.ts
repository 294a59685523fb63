import { ENTITIES, type Entity, type IdOf } from '../../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { lackingRoles } from '../../model/staffing.js';
import { isUnsure } from '../../model/unsure.js';
import type { Authority } from '../../model/write-back.js';
import { isEmpty, isSameValue, wordsOf } from './compare.js';
import { isSameCustomField } from './custom-fields.js';
import { alignEntries, readEntries, readOurs, readTexts } from './entries.js';
import { completeScope, pickParts } from './manager-scope.js';

/** How one leaf of a mapping is managed; see `FieldRule` of the configuration. */
export interface LeafRule {
  readonly apply: 'always' | 'create' | 'empty';
  /** The side whose changes win; the source by default. */
  readonly authority?: Authority;
}
export type LeafRules = Readonly<Record<string, LeafRule>>;

export interface Difference {
  readonly fields: readonly string[];
  readonly before: Values;
  readonly after: Values;
}

export interface DiffInput {
  readonly entity: Entity;
  readonly desired: Values;
  /** null if the object does not exist yet. */
  readonly observed: Values | null;
  /** Last written values of fields that cannot be read. */
  readonly written: Values | null;
  readonly rules: LeafRules;
  /** Resolves references to ids; without this function they are compared as words. */
  readonly idOf?: IdOf;
  /** Managed values at the last agreement. They also show which entries of a list are ours if none were remembered. */
  readonly base?: Values | null;
}

/**
 * The changes that bring the service to the desired state. Only fields that the record names are compared:
 *
 * | desired  | observed | apply  | →                      |
 * |----------|----------|--------|------------------------|
 * | absent   | any      | any    | keep                   |
 * | null     | empty    | any    | keep                   |
 * | null     | value    | always | clear                  |
 * | value    | same     | any    | keep                   |
 * | value    | other    | always | set                    |
 * | value    | other    | create | keep                   |
 * | value    | empty    | empty  | set                    |
 * | value    | value    | empty  | keep                   |
 * | value    | no object| any    | set (part of create)   |
 *
 * A multilingual field is decided per language and sent complete, with the languages of others unchanged, because an
 * update replaces the entire object (spec, Conventions 4). Tags are decided per category, and only the categories that
 * differ are sent (spec, User: `ensure_unique_custom_tag_ids_by_category` replaces within its category).
 */
export function diffValues(input: DiffInput): Difference {
  const before: Record<string, Json> = {};
  const after: Record<string, Json> = {};
  for (const [name, want] of Object.entries(input.desired)) {
    const field = FIELDS[input.entity][name];
    if (field === undefined || (field.createOnly === true && input.observed !== null)) continue;
    if (field.ofRole !== undefined && lacksRole(field.ofRole, input)) continue;
    const have = readField(name, field, input);
    if (have !== undefined && isToTheLetter(field, want, have)) continue;
    const sides = { name, field, want, have };
    const moved = field.shape === 'entries' ? decideEntries(sides, input) : decide(sides, input);
    if (moved === null) continue;
    before[name] = moved.before;
    after[name] = moved.after;
  }
  completeScope(input, before, after);
  completeFields(input, before, after);
  return { fields: Object.keys(after).sort(), before, after };
}

/**
 * True if the service shows exactly the values of all the record's fields. It is only true for fields that no rule of
 * their own decides, such as references or values on a CV.
 */
export function isEqualToTheLetter(entity: Entity, desired: Values, observed: Values): boolean {
  const fields = FIELDS[entity];
  for (const name in desired) {
    const [field, want, have] = [fields[name], desired[name], observed[name]];
    if (field === undefined || want === undefined || have === undefined || isOnlySometimes(field)) return false;
    if (!isToTheLetter(field, want, have)) return false;
  }
  return true;
}

function isOnlySometimes({ createOnly, ofRole, onCv }: Field): boolean {
  return createOnly !== undefined || ofRole !== undefined || onCv !== undefined;
}

/**
 * True if the service holds exactly the desired value. This shortcut gives the same result as the comparison below, in
 * a fraction of the time. References are not decided here, because a word may mean another object by now.
 */
function isToTheLetter({ to, shape }: Field, want: Json, have: Json): boolean {
  if (to !== undefined) return false;
  if (want === have) return true;
  if (Array.isArray(want) && Array.isArray(have))
    return want.length === have.length && want.every((word, at) => word === have[at]);
  if (!isJsonObject(want) || !isJsonObject(have)) return false;
  return PARTS[shape]?.(want).every((part) => want[part] === have[part]) === true;
}

/** The parts that decide whether two values are the same. */
const PARTS: Readonly<Partial<Record<FieldShape, (want: Values) => readonly string[]>>> = {
  multilingual: Object.keys,
  tags: Object.keys,
  office: () => ['country', 'name'],
};

/** True if the object should lack the role: according to the record, or to the service if the record does not say. */
function lacksRole(role: string, { desired, observed }: DiffInput): boolean {
  const roles = desired.roles ?? observed?.roles;
  return Array.isArray(roles) && !roles.includes(role);
}

/** The value to compare with: as read, or as last written if the service does not show it. */
function readField(name: string, field: Field, input: DiffInput): Json | undefined {
  if (input.observed === null) return undefined;
  const seen = input.observed[name];
  // `written` maps the ids of entries to texts, so it cannot replace the value that was read.
  if (field.shape === 'entries') return seen;
  // A category that is not shown counts as last written, or else as last agreed.
  if (field.shape === 'tag_sets' && isJsonObject(seen))
    return { ...objectOf(input.base?.[name]), ...objectOf(input.written?.[name]), ...seen };
  // If some items could not be identified, everything that was written counts as present, because it would otherwise be
  // added again.
  if (field.additive === true && Number(input.observed[`${name}_unknown`] ?? 0) > 0)
    return [...wordsOf(seen), ...wordsOf(input.written?.[name])];
  return seen === undefined ? input.written?.[name] : seen;
}

/** One field with the values of the record and of the service. */
interface FieldSides {
  readonly name: string;
  readonly field: Field;
  readonly want: Json;
  readonly have: Json | undefined;
}

interface MovedField {
  readonly before: Json;
  readonly after: Json;
}

function decide(sides: FieldSides, input: DiffInput): MovedField | null {
  const { field, have } = sides;
  const after = decideValue(sides, input);
  if (after === undefined) return null;
  return { before: field.shape in SAME_PART ? pickParts(have, after) : (have ?? null), after };
}

function decideValue(sides: FieldSides, input: DiffInput): Json | undefined {
  const { name, field, want, have } = sides;
  const creating = input.observed === null;
  if (field.shape === 'multilingual') return decideLanguages(sides, input);
  const isSame = SAME_PART[field.shape];
  if (isSame !== undefined) return decideParts(sides, isSame, input);
  if (field.shape === 'roles') {
    const lacking = lackingRoles(want, have);
    return lacking.length === 0 || !applies(input.rules[name], have, creating) ? undefined : lacking;
  }
  if (field.shape === 'industry') return decideIndustry(sides, input);
  if (field.to !== undefined) return decideReferences(sides, field.to, input);
  if (want === null) return creating || isEmpty(have) || !applies(input.rules[name], have, creating) ? undefined : null;
  // The service turns some flags of a new object on by default, so a flag that is off is sent as well.
  const same = creating ? isEmpty(want) : isSameValue(field, want, have);
  return same || !applies(input.rules[name], have, creating) ? undefined : want;
}

function applies(rule: LeafRule | undefined, have: Json | undefined, creating: boolean): boolean {
  if (creating || rule === undefined || rule.apply === 'always') return true;
  return rule.apply === 'empty' && isEmpty(have);
}

function decideLanguages({ name, want, have }: FieldSides, { observed, rules }: DiffInput): Json | undefined {
  if (!isJsonObject(want)) return undefined;
  const held = objectOf(have);
  const merged: Record<string, Json> = {};
  for (const [language, text] of Object.entries(held)) if (!isEmpty(text)) merged[language] = text;
  let moved = false;
  for (const [language, text] of Object.entries(want)) {
    const current = held[language];
    if (!applies(rules[`${name}.${language}`], current, observed === null)) continue;
    if (isSameValue({ shape: 'text' }, text, current)) continue;
    if (isEmpty(text)) delete merged[language];
    else merged[language] = text;
    moved = true;
  }
  if (!moved) return undefined;
  // An update needs at least one language, so the last one is sent blank instead of being left out.
  return isEmpty(merged) ? Object.fromEntries(Object.keys(want).map((language) => [language, ''])) : merged;
}

/** Compares two values of one part (a category, a custom field). */
type IsSame = (want: Json, have: Json | undefined) => boolean;

/** External ids are case-sensitive. */
const TAG_SET: Field = { shape: 'names' };

/**
 * Shapes that are decided part by part. A part that is not named stays unchanged, both here and in the service (spec,
 * Custom fields on projects). The tags of a category are compared as a complete list.
 */
const SAME_PART: Readonly<Partial<Record<FieldShape, IsSame>>> = {
  tags: (tag, current) => (isEmpty(tag) ? isEmpty(current) : tag === current),
  tag_sets: (tags, current) =>
    isUnsure(current) ? isEmpty(tags) && isEmpty(current) : isSameValue(TAG_SET, tags, current),
  custom_fields: isSameCustomField,
};

function decideParts(
  { name, field, want, have }: FieldSides,
  isSame: IsSame,
  { observed, rules }: DiffInput,
): Json | undefined {
  if (!isJsonObject(want)) return undefined;
  const there = objectOf(have);
  const moved: Record<string, Json> = {};
  for (const [part, value] of Object.entries(want)) {
    const current = there[part];
    const held = isSame(null, current) ? null : current;
    if (isSame(value, current) || !applies(rules[`${name}.${part}`], held, observed === null)) continue;
    moved[part] = field.shape === 'tag_sets' ? (value ?? []) : value;
  }
  return Object.keys(moved).length === 0 ? undefined : moved;
}

/** The service shows an id or nothing, but the source names the industry by a word. */
function decideIndustry({ name, want, have }: FieldSides, input: DiffInput): Json | undefined {
  const creating = input.observed === null;
  const idOf = (word: Json | undefined): string | null =>
    isEmpty(word) ? null : (input.idOf?.('industries', String(word)) ?? foldKey(String(word)));
  if (idOf(want) === idOf(have) || !applies(input.rules[name], have, creating)) return undefined;
  if (!isEmpty(want)) return want;
  return creating ? undefined : null;
}

/**
 * Compares the entries slot by slot, with the lists before and after aligned. An emptied list removes only the entries
 * that we wrote.
 */
function decideEntries({ name, want, have }: FieldSides, input: DiffInput): MovedField | null {
  const there = readEntries(have);
  const isFilled = there.some(({ value }) => !isEmpty(value));
  if (!applies(input.rules[name], isFilled ? have : null, input.observed === null)) return null;
  const ours = readOurs(input.written?.[name], input.base?.[name], there);
  const { slots } = alignEntries(readTexts(want), there, ours);
  if (slots.length === 0) return null;
  return {
    before: slots.map((slot) => slot.before as unknown as Json),
    after: slots.map((slot) => slot.after as unknown as Json),
  };
}

/** Compares words by their meaning if it is known, because an external id and an e-mail may name the same person. */
function decideReferences({ name, field, want, have }: FieldSides, to: Entity, input: DiffInput): Json | undefined {
  const creating = input.observed === null;
  // The source removes nothing from a list that only grows.
  if (isEmpty(want)) {
    const keeps = creating || isEmpty(have) || field.additive === true || !applies(input.rules[name], have, creating);
    return keeps ? undefined : null;
  }
  // A word of the source means its object after this run; a word in the service means the object shown there.
  const idOf = (word: string): string => input.idOf?.(to, word) ?? identify(word, name, to, input);
  const held = new Set(wordsOf(have).map((word) => identify(word, name, to, input)));
  const lacking = [...new Map(wordsOf(want).map((word) => [idOf(word), word] as const))].flatMap(([id, word]) =>
    held.has(id) ? [] : [word],
  );
  const same = lacking.length === 0 && (field.additive === true || held.size === new Set(wordsOf(want).map(idOf)).size);
  if (same || !applies(input.rules[name], have, creating)) return undefined;
  return field.additive === true ? lacking : want;
}

/** The id that a word means, as the object shows it or as the account knows the word; otherwise the folded word. */
function identify(word: string, name: string, to: Entity, { observed, idOf }: DiffInput): string {
  const shown = shownIdOf(observed, name, word);
  if (shown !== null) return shown;
  const only = observed?.[`${name}_id`];
  if (typeof only === 'string' && foldKey(String(observed?.[name] ?? '')) === foldKey(word)) return only;
  return idOf?.(to, word) ?? foldKey(word);
}

/** The id of a word in a list, if the object shows it. */
export function shownIdOf(observed: Values | null, name: string, word: string): string | null {
  const id = objectOf(observed?.[`${name}_ids`])[foldKey(word)];
  return typeof id === 'string' ? id : null;
}

/** Entity → pairs of a field and the field that must be sent with it. */
const COMPANIONS: ReadonlyMap<Entity, readonly (readonly [string, string])[]> = new Map(
  ENTITIES.map((entity) => [
    entity,
    Object.entries(FIELDS[entity]).flatMap(([name, { sentWith }]) =>
      sentWith === undefined ? [] : [[name, sentWith]],
    ),
  ]),
);

/** Adds the fields that the service only accepts together, such as the type of a template with its id. */
function completeFields(
  { entity, desired, observed, written }: DiffInput,
  before: Record<string, Json>,
  after: Record<string, Json>,
): void {
  for (const [name, other] of COMPANIONS.get(entity) ?? []) {
    if (isEmpty(after[name]) || after[other] !== undefined) continue;
    const known = observed?.[other] ?? written?.[other];
    const value = desired[other] ?? known;
    if (isEmpty(value)) continue;
    after[other] = value as Json;
    before[other] = known ?? null;
  }
}
