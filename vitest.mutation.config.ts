import { defineConfig } from 'vitest/config';
import { TIERS } from './test/tiers.js';

/** For `npm run mutation`: the tests of single parts, which every mutant is held against. */
export default defineConfig({
  test: {
    include: ['reconcile', 'mapping', 'apply', 'planning'].map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: TIERS.unit.exclude,
    globalSetup: ['test/temp-folder.ts'],
    setupFiles: ['test/close-after-each.ts'],
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});
