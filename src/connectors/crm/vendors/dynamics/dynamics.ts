import type { Vendor } from '../../crm-system.js';
import { PRESET } from './preset.js';
import { MERGES, READ } from './read.js';
import { WRITE } from './write.js';

export const DYNAMICS: Vendor = { preset: PRESET, read: READ, write: WRITE, merges: MERGES };
