import { BIDS } from './bids.js';
import { CUSTOMERS } from './customers.js';
import { ACCOUNTS } from './idp.js';
import { KINDS_OF_TAGS, LABELS, LANDS, PLACES } from './org.js';
import type { Part } from './part.js';
import { PEOPLE } from './people.js';
import { PROJECTS } from './projects.js';
import { SEATS } from './seats.js';
import { SECTIONS } from './sections.js';

/** All parts of a campaign company. Each may build on the earlier ones. */
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
