import { afterEach } from 'vitest';
import { closeOpened } from './closing.js';

/** Runs before each file of tests: modules are kept from file to file, so hooks of their own would only work for the first file. */
afterEach(closeOpened);
