import { isJsonObject, type Json, type JsonObject, listOf } from '../../../model/json.js';

/** Values picked from Google's lists. Each entry has the name in a row, the list, and the preferred types in order. */
const CHOSEN: Readonly<Record<string, readonly [list: string, types: readonly string[] | null]>> = {
  /** null allows any type. */
  organization: ['organizations', null],
  location: ['locations', null],
  manager: ['relations', ['manager']],
  employee: ['externalIds', ['organization']],
  phone: ['phones', ['work']],
  mobile: ['phones', ['mobile', 'work_mobile']],
  address: ['addresses', ['work']],
};

/** Returns the Google property that a place in a row comes from. */
export function nameProperty(top: string): string {
  return CHOSEN[top]?.[0] ?? top;
}

/** Copies one entry of each list to a separate property: the primary entry, or the first one if none is primary. */
export function choosePrimary(row: Json): Json {
  if (!isJsonObject(row)) return row;
  const chosen = Object.entries(CHOSEN).map(
    ([name, [list, types]]) => [name, choose(listOf(row[list]), types)] as const,
  );
  return { ...row, ...Object.fromEntries(chosen.filter(([, entry]) => entry !== null)) };
}

function choose(list: readonly Json[], types: readonly string[] | null): JsonObject | null {
  const entries = list.filter(isJsonObject);
  if (types === null) return findPrimary(entries);
  const ranked = types.map((type) => findPrimary(entries.filter((entry) => entry.type === type)));
  return ranked.find((entry) => entry !== null) ?? null;
}

function findPrimary(entries: readonly JsonObject[]): JsonObject | null {
  return entries.find(({ primary }) => primary === true) ?? entries[0] ?? null;
}
