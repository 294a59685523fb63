import type { CrmSystem } from './crm-system.js';
import type { CrmDialect } from './listed-stream.js';
import { PLAIN } from './plain/plain.js';
import { VENDORS } from './vendors/vendors.js';

export const SYSTEMS: Readonly<Record<CrmDialect, CrmSystem>> = { plain: PLAIN, ...VENDORS };
