import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that the tests of this run write outside the tree, their child processes' files too. */
let folder = '';

const IN_MEMORY = '/dev/shm';
/** Several times what a run has there at most. */
const ROOM_BYTES = 2e9;

function makeFolder(place: string): string {
  return mkdtempSync(join(place, 'talent-sync-test-'));
}

/**
 * Where there is room in memory, nothing waits for a disk: no test pulls the plug, and what a killed process has written is
 * there still. Some systems let no program in it be run, as tests do.
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
    // Not on this system.
  }
  return null;
}

/** Called by vitest before all tests, ahead of its workers: they take over the environment. */
export function setup(): void {
  folder = makeInMemory() ?? makeFolder(tmpdir());
  process.env.TMPDIR = folder;
}

/** Called by vitest after all tests. */
export function teardown(): void {
  // A process that was killed may write its last yet.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
