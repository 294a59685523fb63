import { FIELDS } from './fields.js';
import { objectOf, type Values } from './json.js';

/*
 * `place_of_residence` is "string or ml" on a person, and multilingual on the CV (spec, User; CV). A plain text is one of the
 * languages, or made of them, and does not say which: it is kept beside the value, and what the CV showed last stays.
 */

/** Fields of people of which a read may show one text in place of all languages. */
export const SHOWN_AS_TEXT: readonly string[] = Object.keys(FIELDS.users).filter(
  (name) => FIELDS.users[name]?.maybeText === true,
);

/** Under which name the plain text is kept. */
export function textName(name: string): string {
  return `${name}_text`;
}

/** Whether a plain text is all that was ever shown: what there is in which language, nobody knows. */
export function lacksLanguages(values: Values, name: string): boolean {
  return isText(values, name) && values[name] === undefined;
}

/** Whether a plain text was shown that no language holds as far as is known: only the CV tells. */
export function isDoubtful(values: Values, name: string): boolean {
  return isText(values, name) && !Object.values(objectOf(values[name])).includes(values[textName(name)] ?? null);
}

/** Whether a read of the person shows a plain text. */
export function isText(values: Values, name: string): boolean {
  return typeof values[textName(name)] === 'string';
}
