import { isJsonObject, itemsOf, type Json, type JsonObject } from '../model/json.js';
import type { Attribute } from './attributes.js';
import { findNamed } from './attributes.js';
import type { AttributePath } from './resource-type.js';

/** Every value at a path of a stored resource: none, one, or one an element. */
export function readValues(resource: JsonObject, { extension, attribute, sub }: AttributePath): readonly Json[] {
  const holder = extension === null ? resource : resource[extension.id];
  if (attribute === null) return holder === undefined ? [] : [holder];
  const value = isJsonObject(holder) ? holder[attribute.name] : undefined;
  const items = itemsOf(value);
  if (sub === null) return items;
  return items.flatMap((item) => (isJsonObject(item) ? itemsOf(item[sub.name]) : []));
}

/** What a comparison with a complex attribute means: its `value` (RFC 7644, 3.4.2.2). null where it has none. */
export function comparedPart(attribute: Attribute): Attribute | null {
  return attribute.type === 'complex' ? findNamed(attribute.subAttributes ?? [], 'value') : attribute;
}
