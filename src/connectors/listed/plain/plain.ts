import type { ListedSystem } from '../listed-system.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** A system that is read and written as its configuration specifies, without vendor rules. */
export const PLAIN: Omit<ListedSystem, 'noun'> = { read: READ, write: WRITE };
