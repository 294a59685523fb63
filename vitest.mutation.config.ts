import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';

const place = process.env.MUTATION_PLACE ?? '';

/** Runs all mutants of `npm run mutation` in one process, with scripts/mutation-runner.mjs. */
export default defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load(id) {
        const file = join(place, relative(import.meta.dirname, id));
        return file.startsWith(join(place, 'src')) && existsSync(file) ? readFileSync(file, 'utf8') : null;
      },
    },
  ],
  test: {
    include: ['test/reconcile/small-parts.test.ts'],
    runner: 'scripts/mutation-runner.mjs',
    setupFiles: ['test/close-after-each.ts', 'test/same-values.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    isolate: false,
    disableConsoleIntercept: true,
  },
});
