import { canonicalJson, isJsonObject, itemsOf, type Json, objectOf, type Values } from '../../model/json.js';
import { PEOPLE_MEANT } from '../../model/people-meant.js';
import type { Explanation } from '../explain/explain.js';
import type { TerminalLook } from '../writers/style.js';
import { LONGEST_VALUE, listPairs, showValue } from './values-text.js';

export function listMirror(mirror: Explanation['steps']['mirror'], look: TerminalLook): readonly string[] {
  if (mirror === null) return ['not there'];
  // Ids of offices, countries and owners are internal, so their names are shown instead.
  const named = Object.entries(mirror.values).filter(
    ([name, value]) => (name === 'external_unique_id' || !/_ids?$/.test(name)) && !isBlank(value),
  );
  const state = mirror.active ? 'active' : look.style.bad('deactivated');
  return [`${mirror.id}, ${state}`, ...listPairs(named.map(showPair), look)];
}

function showPair([name, value]: readonly [string, Json]): string {
  return `${name} = ${showValue(withoutBlanks(value), LONGEST_VALUE)}`;
}

/** The values that differ from the service or cannot be read back. All others are already shown. */
export function listBase({ base, mirror, unverifiable }: Explanation['steps'], look: TerminalLook): readonly string[] {
  if (base === null) return ['nothing yet: the two sides have never agreed'];
  const values: Values = mirror?.values ?? {};
  const { [PEOPLE_MEANT]: meant, ...agreed } = base;
  const other = Object.entries(agreed).filter(
    ([name, value]) =>
      !isBlank(value) && !isPartOf(value, values[name]) && !areMeant(itemsOf(value), objectOf(meant), values, name),
  );
  const differs = other.filter(([name]) => values[name] !== undefined);
  const unread = other.filter(([name]) => values[name] === undefined);
  const list = (title: string, pairs: typeof other): readonly string[] =>
    pairs.length === 0 ? [] : [title, ...listPairs(pairs.map(showPair), look)];
  return [
    ...(differs.length === 0 ? ['the same as in the service'] : list('different from the service now:', differs)),
    ...list(
      'known by its key:',
      unread.filter(([name]) => !unverifiable.includes(name)),
    ),
    ...list(
      'not shown by the service, as last written:',
      unread.filter(([name]) => unverifiable.includes(name)),
    ),
  ];
}

/** True if the words refer to exactly the people in the service's ids, even under other names. */
function areMeant(words: readonly Json[], meant: Values, values: Values, name: string): boolean {
  const ids = [values[`${name}_id`] ?? Object.values(objectOf(values[`${name}_ids`]))].flat();
  const wanted = new Set(words.map((word) => meant[String(word)]));
  return words.length > 0 && wanted.size === ids.length && ids.every((id) => wanted.has(id));
}

function isPartOf(value: Json, whole: Json | undefined): boolean {
  if (!isJsonObject(value) || !isJsonObject(whole)) return canonicalJson(value) === canonicalJson(whole ?? null);
  return Object.entries(value).every(([key, item]) => canonicalJson(item) === canonicalJson(whole[key] ?? null));
}

/** Also true for an empty object or list, such as a category without tags, and for an object with only an id. */
function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.every((item: Json) => isBlank(item));
  return isJsonObject(value) && Object.entries(value).every(([name, item]) => name === 'id' || isBlank(item));
}

function withoutBlanks(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => !isBlank(item)));
}
