import { isJsonObject, type Json } from './json.js';

/**
 * What is in place of a tag, or of the tags of a category, that no read shows, once nobody knows what became of a call
 * that was to change them: each of these may be there, and none has to be. It equals no value.
 */
export interface Unsure {
  readonly any_of: readonly Json[];
}

export function isUnsure(value: Json | undefined): value is Json & Unsure {
  return isJsonObject(value) && Array.isArray(value.any_of);
}

/** All that may be there. */
function listPossible(value: Json | undefined): readonly Json[] {
  if (isUnsure(value)) return value.any_of;
  if (Array.isArray(value)) return value as readonly Json[];
  return value === undefined || value === null ? [] : [value];
}

export function unsureOf(...values: readonly (Json | undefined)[]): Json {
  return { any_of: [...new Set(values.flatMap(listPossible))] };
}
