import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that the tests of this run write outside the tree, their child processes' files too. */
let folder = '';

/** Called by vitest before all tests, ahead of its workers: they take over the environment. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'talent-sync-test-'));
  process.env.TMPDIR = folder;
}

/** Called by vitest after all tests. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
