import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The second fails the run when an endpoint of the service is held by no contract test.
    globalSetup: ['test/temp-folder.ts', 'test/contract/service/held-endpoints.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    // Importing the program anew for each file would take a third of the time; what a test opens it closes.
    isolate: false,
    setupFiles: ['test/close-after-each.ts'],
  },
});
