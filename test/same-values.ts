import fc from 'fast-check';
import { IS_THOROUGH } from './depth.js';

/** Runs before each test file. Properties use the same values in each `npm test`, and new values in each `npm run test:all`. */
fc.configureGlobal(IS_THOROUGH ? {} : { seed: 1 });
