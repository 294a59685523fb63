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
    // The second fails the run when an endpoint of the service is held by no contract test.
    globalSetup: ['test/temp-folder.ts', 'test/contract/service/held-endpoints.ts'],
    // The second tells what took the processors, the third which tests were not run for want of a browser or an OpenSSH server.
    reporters: ['default', tellCost(), tellNotRun()],
    // A machine may be slow; what hangs is ended all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // For two cores: some of the time goes in waiting. Each more would import the program and warm up once more.
    maxWorkers: 3,
    // Two cores are busy without the threads of a garbage collector. The others save some of the processor time: young objects
    // die before they are looked at (4 % of a story's time, measured once), and code that runs a few times is compiled at once (6 %).
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=32', '--always-sparkplug'],
    // Importing the program anew for each file would take a third of the time; what a test opens it closes.
    isolate: false,
    // Modules of src are transformed once, not for each run: a fifth of the time of unit tests.
    experimental: { fsModuleCache: !runsBuilt(mode) },
    setupFiles: ['test/close-after-each.ts', 'test/same-values.ts', 'test/note-cost.ts'],
  },
}));
