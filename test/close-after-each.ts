import { afterEach } from 'vitest';
import { closeOpened } from './closing.js';

/** Runs before each file of tests: modules are kept from file to file, so a hook of their own would serve the first file only. */
afterEach(closeOpened);
