import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { IS_THOROUGH } from '../depth.js';
import { ROOT } from '../module-graph.js';

const PAGE = join(ROOT, 'docs', 'engineering', 'reliability.md');

type Cells = readonly (string | number)[];

function formatRow(cells: Cells): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * A table of docs/engineering/reliability.md holds the results of a run, row by row. `WRITE_RELIABILITY=1` writes them there
 * instead. A quick
 * run finds some of its rows.
 */
export function expectKept(name: string, head: Cells, rows: readonly Cells[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name}: written by its run -->\n`, `\n<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  expect([name, page.includes(begin), to >= from]).toEqual([name, true, true]);
  const found = [formatRow(head), `|${head.map(() => '---|').join('')}`, ...rows.map(formatRow)];
  const kept = page.slice(from, to);
  if (process.env.WRITE_RELIABILITY === '1')
    writeFileSync(PAGE, page.slice(0, from) + found.join('\n') + page.slice(to));
  else if (IS_THOROUGH) expect(kept).toBe(found.join('\n'));
  else expect(kept.split('\n')).toEqual(expect.arrayContaining(found));
}
