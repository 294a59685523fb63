import { isJsonObject, type Json } from './json.js';

/**
 * Replaces an unreadable tag, or the tags of a category, after a call with an unknown outcome. Any of the values may have been
 * set, or none. It equals no other value.
 */
export interface Unsure {
  readonly any_of: readonly Json[];
}

export function isUnsure(value: Json | undefined): value is Json & Unsure {
  return isJsonObject(value) && Array.isArray(value.any_of);
}

/** Lists all values that may have been set. */
function listPossible(value: Json | undefined): readonly Json[] {
  if (isUnsure(value)) return value.any_of;
  if (Array.isArray(value)) return value as readonly Json[];
  return value === undefined || value === null ? [] : [value];
}

export function unsureOf(...values: readonly (Json | undefined)[]): Json {
  return { any_of: [...new Set(values.flatMap(listPossible))] };
}
