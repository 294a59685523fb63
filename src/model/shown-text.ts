import { FIELDS } from './fields.js';
import { objectOf, type Values } from './json.js';

/*
 * `place_of_residence` is "string or ml" on a person, and multilingual on the CV (spec, User; CV). A plain text does not say
 * which languages it stands for. The mirror stores it next to the value, and keeps the languages that the CV last showed.
 */

/** Fields of people for which a read may show one plain text instead of a text per language. */
export const SHOWN_AS_TEXT: readonly string[] = Object.keys(FIELDS.users).filter(
  (name) => FIELDS.users[name]?.maybeText === true,
);

/** The name under which the plain text is stored. */
export function textName(name: string): string {
  return `${name}_text`;
}

/** True if only a plain text was ever shown, so that the text of each language is unknown. */
export function lacksLanguages(values: Values, name: string): boolean {
  return isText(values, name) && values[name] === undefined;
}

/** True if the plain text equals none of the known languages, so that only the CV shows which language it belongs to. */
export function isDoubtful(values: Values, name: string): boolean {
  return isText(values, name) && !Object.values(objectOf(values[name])).includes(values[textName(name)] ?? null);
}

/** True if a read of the person shows a plain text. */
export function isText(values: Values, name: string): boolean {
  return typeof values[textName(name)] === 'string';
}
