import type { CrmSystem } from '../crm-system.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** A system that is asked and written to as its configuration says, and in no other way. */
export const PLAIN: CrmSystem = { read: READ, write: WRITE };
