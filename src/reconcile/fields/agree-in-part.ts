import { OFFICE_IDS } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS, type Field } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { withPeopleMeant } from '../../model/people-meant.js';
import { type DiffInput, diffValues } from './diff.js';
import { isKeyed } from './leaves.js';

/**
 * The base of a pair that is equal in part: a field, language, category or custom field that both sides hold alike is agreed
 * on from now on, whatever keeps the others apart; of those what was agreed before stays. Else our own write of one field
 * would look like somebody else's for as long as another field is held.
 */
export function agreeInPart(input: DiffInput, base: Values | null): Values {
  const { entity, desired, observed } = input;
  const agreed: Record<string, Json> = {};
  for (const [name, want] of Object.entries(desired)) {
    const field = FIELDS[entity][name];
    const both = field === undefined ? undefined : agreedValue({ name, field, want, before: base?.[name] }, input);
    if (both !== undefined) agreed[name] = both;
  }
  // What an office was called when it was agreed on goes with the office itself.
  for (const [name, ids] of Object.entries(OFFICE_IDS)) {
    const id = agreed[name] === base?.[name] ? base?.[ids] : observed?.[ids];
    if (agreed[name] !== undefined && id !== undefined && id !== null) agreed[ids] = id;
  }
  return input.idOf === undefined ? agreed : withPeopleMeant(entity, agreed, base, input.idOf);
}

/**
 * What was agreed on before of what this run could not read in the sources: an outage of one of them makes nobody's later edit
 * look like the first word on a field.
 *
 * @param unread paths, `telephone`, `title.no`, `office.country`
 */
export function keepUnread(agreed: Values, before: Values | null, entity: Entity, unread: readonly string[]): Values {
  if (before === null || unread.length === 0) return agreed;
  const names = new Set(unread.map((path) => path.replace(/[.[].*$/, '')));
  return Object.assign(
    {},
    agreed,
    ...[...names].map((name) => keptOf(name, { agreed, before, entity, unread })),
  ) as Values;
}

interface UnreadSides {
  readonly agreed: Values;
  readonly before: Values;
  readonly entity: Entity;
  readonly unread: readonly string[];
}

function keptOf(name: string, { agreed, before, entity, unread }: UnreadSides): Values {
  const [field, old] = [FIELDS[entity][name], before[name]];
  if (field === undefined || old === undefined) return {};
  if (isKeyed(field) && isJsonObject(old)) {
    const isUnread = (part: string): boolean => unread.some((path) => `${path}.`.startsWith(`${name}.${part}.`));
    const parts = Object.entries(old).filter(([part]) => isUnread(part));
    return parts.length === 0 ? {} : { [name]: { ...Object.fromEntries(parts), ...objectOf(agreed[name]) } };
  }
  if (agreed[name] !== undefined) return {};
  const ids = OFFICE_IDS[name] ?? '';
  return { [name]: old, ...(before[ids] === undefined ? {} : { [ids]: before[ids] }) };
}

interface AgreedField {
  readonly name: string;
  readonly field: Field;
  readonly want: Json;
  readonly before: Json | undefined;
}

function agreedValue({ name, field, want, before }: AgreedField, input: DiffInput): Json | undefined {
  const differs = (value: Json): boolean => diffValues({ ...input, desired: { [name]: value } }).fields.length > 0;
  if (field.createOnly === true && before !== undefined) return before;
  if (!isKeyed(field) || !isJsonObject(want)) return differs(want) ? before : want;
  const old = objectOf(before);
  const parts = Object.entries(want).flatMap(([part, value]): [string, Json][] => {
    if (!differs({ [part]: value })) return [[part, value]];
    return part in old ? [[part, old[part] ?? null]] : [];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}
