import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** @returns the files of this project that a file under `test` imports */
function listImports(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/ from '(\.[^']+)\.js'/g)].map(([, path = '']) => join(dirname(file), `${path}.ts`));
}

/** @returns the test files that import depth.ts, directly or through a shared file */
export function findSweeps(): readonly string[] {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => file.endsWith('.ts')).map((file) => join('test', file));
  const imports = new Map(own.map((file) => [file, listImports(file)]));
  const found = new Set([join('test', 'depth.ts')]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [file, targets] of imports) if (targets.some((target) => found.has(target))) found.add(file);
  }
  return [...found].filter((file) => file.endsWith('.test.ts')).sort();
}
