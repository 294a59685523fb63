import { FIELDS } from './fields.js';
import { objectOf, type Values } from './json.js';

/*
 * `place_of_residence` is "string or ml" on a person, and multilingual on the CV (spec, User; CV). A plain text does not say
 * in which languages it is. It is stored next to the value, and the languages that the CV last showed are kept.
 */

/** Fields of people for which a read may show one text instead of all languages. */
export const SHOWN_AS_TEXT: readonly string[] = Object.keys(FIELDS.users).filter(
  (name) => FIELDS.users[name]?.maybeText === true,
);

/** The name under which the plain text is stored. */
export function textName(name: string): string {
  return `${name}_text`;
}

/** True if only a plain text was ever shown, so the text per language is unknown. */
export function lacksLanguages(values: Values, name: string): boolean {
  return isText(values, name) && values[name] === undefined;
}

/** True if a plain text was shown that no known language contains: only the CV shows more. */
export function isDoubtful(values: Values, name: string): boolean {
  return isText(values, name) && !Object.values(objectOf(values[name])).includes(values[textName(name)] ?? null);
}

/** True if a read of the person shows a plain text. */
export function isText(values: Values, name: string): boolean {
  return typeof values[textName(name)] === 'string';
}
