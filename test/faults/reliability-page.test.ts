import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../module-graph.js';

test('keeps every generated table of docs/engineering/reliability.md complete', () => {
  const page = readFileSync(join(ROOT, 'docs', 'engineering', 'reliability.md'), 'utf8');
  const found = [...page.matchAll(/<!-- ([\w -]+): written by its run -->\n([\s\S]*?)\n<!-- \/\1 -->/g)];
  expect(found.map(([, name]) => name)).toEqual([
    'service calls',
    'source reads',
    'write-backs',
    'token calls',
    'SFTP',
    'pushed users',
    'survival',
    'mutation',
    'soak',
  ]);
  for (const [, name, table = ''] of found) {
    const widths = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').length);
    expect([name, widths.length > 2, new Set(widths).size]).toEqual([name, true, 1]);
  }
});
