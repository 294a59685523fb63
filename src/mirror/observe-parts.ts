import type { TagNames } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import type { Json, JsonObject, Multilingual } from '../model/json.js';
import type { WireTag } from '../service/wire.js';
import type { WireCustomFieldValue, WireProjectEntry } from '../service/wire-project-parts.js';

/**
 * Returns `{ category: [tag, …] }` by external ids. It lists every category shown on such records, even without tags.
 * For other categories, the last written value counts, because the service does not show them.
 */
export function observeTags(tags: readonly WireTag[] | undefined, on: Entity, names: TagNames): Json | undefined {
  if (tags === undefined) return undefined;
  const found: Record<string, string[]> = {};
  for (const category of [...names.shownCategories(on)].sort()) found[category] = [];
  for (const { id } of tags) {
    const known = names.tagById(id);
    if (known === null) continue;
    found[known.category] = [...(found[known.category] ?? []), known.tag].sort();
  }
  return found;
}

/** Returns `[{ id, value, label }]`; the label is optional, and an empty entry has an empty value. */
export function observeEntries(entries: readonly WireProjectEntry[] | undefined): Json | undefined {
  return entries?.map(observeEntry);
}

export function observeEntry({ id, value, label }: WireProjectEntry): JsonObject {
  const [texts, labels] = [filled(value), filled(label)];
  return { id, value: texts, ...(Object.keys(labels).length === 0 ? {} : { label: labels }) };
}

function filled(texts: Multilingual | undefined): Multilingual {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([, text]) => text !== ''));
}

/** Returns every defined field by name, as a plain value or in parts; null if unset. */
export function observeCustomFields(fields: readonly WireCustomFieldValue[] | null | undefined): Json | undefined {
  if (!fields) return undefined;
  return Object.fromEntries(fields.map((field) => [field.name, observeCustomField(field)]));
}

const PARTS = ['amount', 'currency', 'unit', 'from', 'to'] as const;

function observeCustomField(field: WireCustomFieldValue): Json {
  const parts: Record<string, Json> = {};
  const { value } = field;
  // Options are identified by external id (spec, Custom fields 2). Without it, a source cannot name the option.
  if (value !== null && value !== undefined)
    parts.value = typeof value === 'string' ? value : (value.external_unique_id ?? value.id ?? null);
  for (const name of PARTS) {
    const part = field[name];
    if (part !== null && part !== undefined && part !== '') parts[name] = part;
  }
  if (field.sensitivity) parts.sensitivity = field.sensitivity;
  const anonymized = filled(field.anonymized);
  if (Object.keys(anonymized).length > 0) parts.anonymized = anonymized;
  const names = Object.keys(parts);
  if (names.length === 0) return null;
  return names.length === 1 && parts.value !== undefined ? parts.value : parts;
}

/**
 * Returns the types of custom fields by name. An answer with custom fields contains every defined one (spec, Custom
 * fields 7).
 */
export function readDefinitions(
  fields: readonly WireCustomFieldValue[] | null | undefined,
): Readonly<Record<string, string>> | null {
  if (!fields) return null;
  return Object.fromEntries(fields.map(({ name, type }) => [name, type ?? '']));
}
