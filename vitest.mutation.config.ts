import { defineConfig } from 'vitest/config';
import { TIERS } from './test/tiers.js';

/** Of the main jobs one each: every story of more than a second would be played for each mutant. */
const STORIES = [
  ...['joiner-mover-leaver', 'customers-and-projects', 'staffing', 'proposals', 'cv-sections', 'tags', 'write-back'],
  ...['undo', 'too-much-change', 'drift', 'relink', 'held-records', 'unique-values', 'saved-plan', 'first-contact'],
];

/** What every mutant of `npm run mutation` is held against. */
export default defineConfig({
  test: {
    include: [
      ...['reconcile', 'mapping', 'apply', 'planning'].map((folder) => `test/${folder}/**/*.test.ts`),
      ...STORIES.map((name) => `test/scenarios/${name}.test.ts`),
    ],
    exclude: TIERS.unit.exclude,
    globalSetup: ['test/temp-folder.ts'],
    setupFiles: ['test/close-after-each.ts'],
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});
