import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './module-graph.js';

const files = readdirSync(join(ROOT, '.github'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yml'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, '.github', name), 'utf8') }));

it('keeps every file of .github valid YAML without a fixed owner or repository', () => {
  expect(files.length).toBeGreaterThan(5);
  for (const { name, text } of files) {
    expect(parse(text), name).toBeTypeOf('object');
    expect(text, name).not.toMatch(/github\.com\/[\w-]+\/|ghcr\.io\/[\w-]+\//);
  }
});

it('pins every action to a version', () => {
  const used = files.flatMap(({ text }) => [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((action) => !/^[\w-]+\/[\w/-]+@v\d+$/.test(action))).toEqual([]);
});

it('rejects a release if its tag, the files that name the version and the changelog differ', () => {
  const script = join(ROOT, 'scripts/release-notes.mjs');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const fits = spawnSync(process.execPath, [script, version], { encoding: 'utf8' });
  expect(fits.status, fits.stderr).toBe(0);
  expect(fits.stdout).toContain('\n- ');
  const other = spawnSync(process.execPath, [script, '99.0.0'], { encoding: 'utf8' });
  expect(other.status).toBe(1);
  expect(other.stderr.split('\n')).toEqual(
    expect.arrayContaining([`  package.json says ${version}`, '  CHANGELOG.md has no section "## 99.0.0"']),
  );
});
