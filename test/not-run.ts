import type { Reporter } from 'vitest/reporters';

declare module 'vitest' {
  interface TaskMeta {
    /** Blocks of pages that did not run, each with its place and the reason. */
    notRun?: readonly string[];
  }
}

/** Ends the output of a run with the tests that did not run on this machine, and with their requirements. */
export function tellNotRun(): Reporter {
  const counts = new Map<string, number>();
  const blocks: string[] = [];
  return {
    onTestCaseResult(test) {
      blocks.push(...(test.meta().notRun ?? []));
      const result = test.result();
      if (result.state !== 'skipped' || result.note === undefined) return;
      counts.set(result.note, (counts.get(result.note) ?? 0) + 1);
    },
    onTestRunEnd() {
      if (blocks.length > 0)
        process.stdout.write(`\nNot run, of the pages:\n${blocks.map((one) => `  ${one}\n`).join('')}`);
      for (const [note, count] of counts) process.stdout.write(`\nNot run: ${count} tests of ${note}.\n`);
    },
  };
}
