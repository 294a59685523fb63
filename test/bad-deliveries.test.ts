import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './module-graph.js';

const HEADING = '## Bad deliveries';

interface Told {
  readonly delivery: string;
  readonly file: string;
  readonly name: string;
}

function readTable(): readonly Told[] {
  const page = readFileSync(join(ROOT, 'docs/engineering/reliability.md'), 'utf8');
  const [, section = ''] = page.split(HEADING);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => {
    const cells = line.split(' | ');
    const [, file = '', name = ''] = /`(test\/[^`]+)`: (.+?) \|$/.exec(line) ?? [];
    return { delivery: cells[0] ?? '', file, name };
  });
}

test('docs/engineering/reliability.md names an existing test for each kind of bad delivery', () => {
  const rows = readTable();
  expect(rows.length).toBeGreaterThan(15);
  const missing = rows.filter(({ file, name }) => {
    const path = join(ROOT, file);
    return (
      file === '' ||
      name.length < 8 ||
      !existsSync(path) ||
      !namesOf(readFileSync(path, 'utf8')).some((one) => one.includes(name))
    );
  });
  expect(missing).toEqual([]);
});

/** Quoted text: the names of tests, and table rows that form names. */
function namesOf(text: string): readonly string[] {
  return [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}
