import { OFFICE_IDS } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS, type Field } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { withPeopleMeant } from '../../model/people-meant.js';
import { type DiffInput, diffValues } from './diff.js';
import { isKeyed } from './leaves.js';

/**
 * The base of a pair that is only partly equal. Every field, language, category or custom field with the same value on
 * both sides is agreed from now on; the others keep their earlier base. Otherwise our own write of one field would look
 * like a change by others while another field is held.
 */
export function agreeInPart(input: DiffInput, base: Values | null): Values {
  const { entity, desired, observed } = input;
  const agreed: Record<string, Json> = {};
  for (const [name, want] of Object.entries(desired)) {
    const field = FIELDS[entity][name];
    const both = field === undefined ? undefined : agreedValue({ name, field, want, before: base?.[name] }, input);
    if (both !== undefined) agreed[name] = both;
  }
  // An office that was agreed before keeps its earlier id; a newly agreed one takes the id that the service shows.
  for (const [name, ids] of Object.entries(OFFICE_IDS)) {
    const id = agreed[name] === base?.[name] ? base?.[ids] : observed?.[ids];
    if (agreed[name] !== undefined && id !== undefined && id !== null) agreed[ids] = id;
  }
  return input.idOf === undefined ? agreed : withPeopleMeant(entity, agreed, base, input.idOf);
}

/**
 * Keeps the earlier base of values that this run could not read in the sources. Otherwise an edit after an outage of a
 * source would look like the first value of its field.
 *
 * @param unread paths, for example `telephone`, `title.no`, `office.country`
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
