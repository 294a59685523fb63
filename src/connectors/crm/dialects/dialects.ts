import type { CrmDialect } from '../../../config/feed-config.js';
import type { Dialect } from './dialect.js';
import { DYNAMICS } from './dynamics.js';
import { HUBSPOT } from './hubspot.js';
import { PLAIN } from './plain.js';
import { SALESFORCE } from './salesforce.js';

export const DIALECTS: Readonly<Record<CrmDialect, Dialect>> = {
  plain: PLAIN,
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
};
