import type { Part } from './part.js';
import { PEOPLE } from './people.js';

/** Everything that a company of the campaign has. */
export const PARTS: readonly Part[] = [PEOPLE];
