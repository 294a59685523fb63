import type { ListedSystem } from '../listed-system.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** A system that is asked and written to as its configuration says, and in no other way. */
export const PLAIN: Omit<ListedSystem, 'noun'> = { read: READ, write: WRITE };
