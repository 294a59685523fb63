import { ScimError } from './scim-error.js';

export interface FilterToken {
  /** `sub`: a sub-attribute after a bracket, as in `emails[type eq "work"].value`. */
  readonly kind: 'word' | 'sub' | 'text' | 'number' | '(' | ')' | '[' | ']' | 'end';
  /** Of a text what it says, without quotes and escapes; of a sub-attribute its name. */
  readonly value: string;
}

/** Longer ones are refused before a character of them is read. */
export const LONGEST_FILTER = 4_096;

const PATTERN =
  /\s+|(?<bracket>[()[\]])|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![-\w.:$]))|\.(?<sub>[A-Za-z$][-\w$]*)|(?<word>[A-Za-z$][-\w$.:/]*)/y;

/** Texts are JSON texts (RFC 7644, 3.4.2.2), so that `"DOMAIN\\jane"` has one backslash. */
export function lexFilter(filter: string, refuse: (detail: string) => ScimError): readonly FilterToken[] {
  if (filter.length > LONGEST_FILTER) throw refuse(`The expression is longer than ${LONGEST_FILTER} characters.`);
  const tokens: FilterToken[] = [];
  PATTERN.lastIndex = 0;
  for (let at = 0; at < filter.length; at = PATTERN.lastIndex) {
    const found = PATTERN.exec(filter)?.groups;
    if (found === undefined) throw refuse(`The expression cannot be read from character ${at + 1} on.`);
    const { bracket, text, number, sub, word } = found;
    if (bracket !== undefined) tokens.push({ kind: bracket as FilterToken['kind'], value: bracket });
    else if (text !== undefined) tokens.push({ kind: 'text', value: readText(text, at, refuse) });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else if (sub !== undefined) tokens.push({ kind: 'sub', value: sub });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
  }
  return [...tokens, { kind: 'end', value: '' }];
}

function readText(text: string, at: number, refuse: (detail: string) => ScimError): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw refuse(`The text from character ${at + 1} on is no JSON text.`);
  }
}

export function invalidFilter(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidFilter');
}

export function invalidPath(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidPath');
}
