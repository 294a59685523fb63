import type { CrmDialect } from '../../../config/feed-config.js';
import { DYNAMICS } from './dynamics.js';
import { HUBSPOT } from './hubspot.js';
import type { Manner } from './manner.js';
import { PLAIN } from './plain.js';
import { SALESFORCE } from './salesforce.js';

export const MANNERS: Readonly<Record<CrmDialect, Manner>> = {
  plain: PLAIN,
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
};
