import { AMERICAN } from './american.js';
import { DIRECTORIES } from './directories.js';
import { INTERNATIONAL } from './international.js';
import { NORDIC } from './nordic.js';
import type { System } from './write-export.js';

/** Systems whose exports are imitated, three variants each, by what is public about them. */
export const SYSTEMS: readonly System[] = [...INTERNATIONAL, ...AMERICAN, ...NORDIC, ...DIRECTORIES];
