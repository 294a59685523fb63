import type { CrmDialect } from '../feed-config.js';
import { PLAIN } from '../plain/write.js';
import { DYNAMICS } from './dynamics/write.js';
import { HUBSPOT } from './hubspot/write.js';
import type { WriteStrategy } from './manner.js';
import { SALESFORCE } from './salesforce/write.js';

export const MANNERS: Readonly<Record<CrmDialect, WriteStrategy>> = {
  plain: PLAIN,
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
};
