import { defineConfig } from 'vitest/config';
import { BUILT_MODULES, useBuiltModules } from './test/built-modules.js';
import { tellNotRun } from './test/not-run.js';
import { tellCost } from './test/tell-cost.js';
import { runsBuilt, TIERS, tierOf } from './test/tiers.js';

export default defineConfig(({ mode }) => ({
  plugins: runsBuilt(mode) ? [useBuiltModules()] : [],
  test: {
    server: { deps: { external: runsBuilt(mode) ? [BUILT_MODULES] : [] } },
    ...TIERS[tierOf(mode)],
    // `held-endpoints.ts` fails the run if no contract test covers an endpoint of the service.
    globalSetup: ['test/temp-folder.ts', 'test/contract/service/held-endpoints.ts'],
    // `tellCost` prints which files used the most CPU time. `tellNotRun` lists the tests that were skipped because a browser or an
    // OpenSSH server is missing.
    reporters: ['default', tellCost(), tellNotRun()],
    // High enough for a slow machine; a test that hangs still fails.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Three workers keep two cores busy, because tests sometimes wait; unit tests do not. Each further worker would import the
    // program and warm up again.
    maxWorkers: tierOf(mode) === 'unit' ? 2 : 3,
    // The tests keep two cores busy, so the garbage collector gets no threads. Larger semi-spaces let young objects die before they
    // are scanned, which saves 4 % of a story's time. Sparkplug compiles code that runs only a few times, which saves 6 %.
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=32', '--always-sparkplug'],
    // Importing the program again for each file would take a third of the time. Tests close everything that they open.
    isolate: false,
    // Caches the transformed modules of src between runs, which saves a fifth of the time of unit tests.
    experimental: { fsModuleCache: !runsBuilt(mode) },
    setupFiles: ['test/close-after-each.ts', 'test/same-values.ts', 'test/note-cost.ts'],
  },
}));
