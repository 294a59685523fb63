import { readFileSync } from 'node:fs';
import { afterEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor seconds of a test file, including awaited processes if the system counts them. */
    cost?: number;
  }
}

/** Processor seconds of awaited child processes. Linux counts in hundredths of a second. */
function childSeconds(): number {
  try {
    // The values follow the name of the program, which may contain any characters.
    const [user, system] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ').slice(13, 15) ?? [];
    return (Number(user) + Number(system)) / 100;
  } catch {
    return 0;
  }
}

function spentSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

const before = spentSeconds();

/** Runs before each test file, because a worker runs one file at a time. */
afterEach(({ task }) => {
  task.file.meta.cost = spentSeconds() - before;
});
