import { messageOf } from '../../base/errors.js';
import { parseFilter } from '../scim-protocol/parse-filter.js';

/** A filter is sent in an address. */
const MOST_CHARACTERS = 2_000;

/** The problem of a SCIM filter (RFC 7644, 3.4.2.2); null if it has none. */
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
