import { afterEach } from 'vitest';
import { closeOpened } from './closing.js';

/** Runs before each test file. Modules stay loaded between files, so a hook in a module would work only for the first file. */
afterEach(closeOpened);
