import { messageOf } from '../../base/errors.js';
import { parseFilter } from '../scim-protocol/parse-filter.js';

/** The maximum length of a filter, which is sent in an address. */
const MOST_CHARACTERS = 2_000;

/** Finds the problem in a SCIM filter (RFC 7644, 3.4.2.2); null if there is none. */
export function findFilterProblem(filter: string): string | null {
  if (filter.length > MOST_CHARACTERS)
    return `It has ${filter.length} characters, at most ${MOST_CHARACTERS} are sent.`;
  try {
    parseFilter(filter, MOST_CHARACTERS);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
