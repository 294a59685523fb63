import type { Dialect } from '../../listing/dialect.js';
import type { CrmDialect } from '../feed-config.js';
import { PLAIN } from '../plain/read.js';
import { DYNAMICS } from './dynamics/read.js';
import { HUBSPOT } from './hubspot/read.js';
import { SALESFORCE } from './salesforce/read.js';

export const DIALECTS: Readonly<Record<CrmDialect, Dialect>> = {
  plain: PLAIN,
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
};
