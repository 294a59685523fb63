import { AMERICAN } from './american.js';
import { BRITISH } from './british.js';
import { CONTINENTAL } from './continental.js';
import { DIRECTORIES } from './directories.js';
import { INTERNATIONAL } from './international.js';
import { LISTS } from './lists.js';
import { NORDIC } from './nordic.js';
import type { System } from './write-export.js';

/** Systems whose exports are imitated from public information, three variants each. */
export const SYSTEMS: readonly System[] = [
  ...INTERNATIONAL,
  ...DIRECTORIES,
  ...NORDIC,
  ...CONTINENTAL,
  ...BRITISH,
  ...AMERICAN,
  ...LISTS,
];
