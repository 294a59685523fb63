import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder for all files that the tests of this run write outside the tree, including files of child processes. */
let folder = '';

const IN_MEMORY = '/dev/shm';
/** Several times the maximum space that a run needs. */
const ROOM_BYTES = 2e9;

function makeFolder(place: string): string {
  return mkdtempSync(join(place, 'talent-sync-test-'));
}

/**
 * A folder in memory, which avoids waits for the disk. Its files survive a killed process, and no test cuts the power. Null
 * if the folder lacks space, or does not allow tests to run programs in it.
 */
function makeInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ROOM_BYTES) return null;
    const made = makeFolder(IN_MEMORY);
    const script = join(made, 'probe');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    if (spawnSync(script).status === 0) return made;
    rmSync(made, { recursive: true });
  } catch {
    // This system has no folder in memory.
  }
  return null;
}

/** Vitest calls this before all tests, ahead of its workers, which inherit the environment. */
export function setup(): void {
  folder = makeInMemory() ?? makeFolder(tmpdir());
  process.env.TMPDIR = folder;
}

/** Vitest calls this after all tests. */
export function teardown(): void {
  // A killed process may still write its last data.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
