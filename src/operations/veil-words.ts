import { isJsonObject, type Json } from '../model/json.js';

/** Of a run's or plan's document: what says of records what the sources do. */
const LISTS: ReadonlySet<string> = new Set(['held', 'conflicts', 'failed', 'left_out', 'declined']);
/** Parts that are only names and values of people. */
const OF_NAMES: ReadonlySet<string> = new Set(['adoption', 'near_misses']);
const WORDS: ReadonlySet<string> = new Set(['reason', 'cause', 'message', 'label', 'about', 'because']);

/**
 * The document for readers who see no names: who its records are by key, and why they were set aside by code alone. The samples
 * of adoptions and of near matches are left out.
 *
 * @param instead what stands where words were; null where their fields are left out
 */
export function replaceWords(document: object, instead: string | null): object {
  const parts = Object.entries(document).flatMap(([name, value]) => {
    if (OF_NAMES.has(name)) return [];
    const isList = LISTS.has(name) && Array.isArray(value);
    return [[name, isList ? value.map((item: Json) => replaceIn(item, instead)) : value] as const];
  });
  return Object.fromEntries(parts);
}

function replaceIn(item: Json, instead: string | null): Json {
  if (!isJsonObject(item)) return item;
  const fields = Object.entries(item).flatMap(([name, value]): (readonly [string, Json])[] => {
    if (!WORDS.has(name)) return [[name, value]];
    return instead === null ? [] : [[name, instead]];
  });
  return Object.fromEntries(fields);
}
