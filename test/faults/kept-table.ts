import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../module-graph.js';

const PAGE = join(ROOT, 'docs', 'reliability.md');

/** A table as Markdown. */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** A table of docs/reliability.md is what a run found; `WRITE_RELIABILITY=1` writes it there instead. */
export function expectKept(name: string, table: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name}: written by its run -->\n`, `\n<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  expect([name, page.includes(begin), to >= from]).toEqual([name, true, true]);
  if (process.env.WRITE_RELIABILITY === '1') writeFileSync(PAGE, page.slice(0, from) + table + page.slice(to));
  else expect(page.slice(from, to)).toBe(table);
}
