import { BIDS } from './bids.js';
import { CUSTOMERS } from './customers.js';
import { ACCOUNTS } from './idp.js';
import { KINDS_OF_TAGS, LABELS, LANDS, PLACES } from './org.js';
import type { Part } from './part.js';
import { PEOPLE } from './people.js';
import { PROJECTS } from './projects.js';
import { SEATS } from './seats.js';
import { SECTIONS } from './sections.js';

/** Everything that a company of the campaign has; each part may build on those before it. */
export const PARTS: readonly Part[] = [
  LANDS,
  PLACES,
  KINDS_OF_TAGS,
  LABELS,
  ACCOUNTS,
  PEOPLE,
  CUSTOMERS,
  PROJECTS,
  SECTIONS,
  SEATS,
  BIDS,
];
