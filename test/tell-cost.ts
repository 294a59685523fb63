import { relative } from 'node:path';
import type { Reporter } from 'vitest/reporters';

const LISTED = Number(process.env.COSTS ?? 20);

/**
 * Ends the output of a run with the processor seconds per folder and of the slowest files. Unlike clock time, processor
 * seconds hardly depend on other work of the machine.
 */
export function tellCost(): Reporter {
  const [files, folders] = [new Map<string, number>(), new Map<string, number>()];
  return {
    onTestModuleEnd(module) {
      const file = relative(process.cwd(), module.moduleId);
      const folder = file.split('/')[1] ?? file;
      const cost = module.meta().cost ?? 0;
      files.set(file, cost);
      folders.set(folder, (folders.get(folder) ?? 0) + cost);
    },
    onTestRunEnd() {
      if (files.size <= LISTED) return;
      tell('folder', folders);
      tell('file', files);
    },
  };
}

function tell(what: string, costs: ReadonlyMap<string, number>): void {
  const lines = [...costs]
    .sort(([, one], [, other]) => other - one)
    .slice(0, LISTED)
    .map(([name, cost]) => `${cost.toFixed(0).padStart(6)}  ${name}\n`);
  process.stdout.write(`\nProcessor seconds by ${what}:\n${lines.join('')}`);
}
