import { parse } from 'scim2-parse-filter';

/** The parser recurses, so neither length nor nesting may be without end. */
const MOST_CHARACTERS = 2_000;
const MOST_DEPTH = 50;

/** What is wrong with a SCIM filter (RFC 7644, 3.4.2.2); null when nothing is. */
export function findFilterProblem(filter: string): string | null {
  if (filter.length > MOST_CHARACTERS) return `it has ${filter.length} characters, at most ${MOST_CHARACTERS} are sent`;
  let depth = 0;
  for (const character of filter) {
    if (character === '(' || character === '[') depth++;
    if (character === ')' || character === ']') depth--;
    if (depth > MOST_DEPTH) return `it is nested deeper than ${MOST_DEPTH}`;
  }
  try {
    parse(filter);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
}
