// Writes the tables of docs/engineering/reliability.md and other pages: each run writes its own table, with the date.
import { readFileSync, writeFileSync } from 'node:fs';

/** @param {string} name of the table @param {string[]} head @param {(string | number)[][]} rows */
export function writeTable(name, head, rows, file = 'docs/engineering/reliability.md') {
  const place = new URL(`../${file}`, import.meta.url);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const day = new Date().toISOString().slice(0, 10);
  const table = [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line), '', `Measured on ${day}.`].join(
    '\n',
  );
  const page = readFileSync(place, 'utf8');
  const [begin, end] = [`<!-- ${name}: written by its run -->\n`, `\n<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (!page.includes(begin) || to < from) throw new Error(`${file} has no place for ${name}`);
  writeFileSync(place, page.slice(0, from) + table + page.slice(to));
}
