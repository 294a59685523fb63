import type { Reporter } from 'vitest/reporters';

/** Ends the output of a run with what it did not prove on this machine, and what would let it. */
export function tellNotRun(): Reporter {
  const counts = new Map<string, number>();
  return {
    onTestCaseResult(test) {
      const result = test.result();
      if (result.state !== 'skipped' || result.note === undefined) return;
      counts.set(result.note, (counts.get(result.note) ?? 0) + 1);
    },
    onTestRunEnd() {
      for (const [note, count] of counts) process.stdout.write(`\nNot run: ${count} tests of ${note}.\n`);
    },
  };
}
