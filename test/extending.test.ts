import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH, sweep } from './depth.js';
import { readGuide } from './extending-guide.js';
import { ROOT } from './module-graph.js';
import { runsBuilt } from './tiers.js';

/**
 * Applies the patches of docs/engineering/extending.md one after the other to a copy of the tree. The scenarios of the page must
 * pass in the copy. In a thorough run, the type check must pass too.
 */
const COPIED = ['src', 'types', 'test', 'config', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const MODE = process.env.MODE ?? '';
const ADDED = 'test/extended/added-field.test.ts';
const start = promisify(execFile);
const guide = readGuide(readFileSync(join(ROOT, 'docs/engineering/extending.md'), 'utf8'));
let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'talent-sync-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe.each(guide)('$title', ({ files, counted, edits, scenario }) => {
  it('gives the number of files it changes', () => expect(new Set(files).size).toBe(counted));

  it('applies to the tree', () => {
    for (const { file, before, after } of edits)
      write(file, before === null ? after : replaceOnce(file, before, after));
    write(scenario.file, scenario.text);
  });
});

it('the example of a field of people applies to the tree', () => {
  write(
    'src/model/fields.ts',
    replaceOnce('src/model/fields.ts', '    telephone: ', '    pager: text,\n    telephone: '),
  );
  write(ADDED, readFileSync(join(ROOT, 'test/model/added-field.ts'), 'utf8'));
});

sweep(
  `all scenarios pass in the copy${IS_THOROUGH ? ', and it passes the type check' : ''}`,
  async () => {
    const scenarios = [ADDED, ...guide.map(({ scenario }) => scenario.file)];
    if (runsBuilt(MODE)) buildCopy();
    const ends = await Promise.allSettled([
      // More workers would each transform and import the program.
      run('vitest/vitest.mjs', 'run', '--mode', MODE, '--maxWorkers', '1', ...scenarios),
      ...(IS_THOROUGH ? [run('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json')] : []),
    ]);
    expect(ends.flatMap((end) => (end.status === 'rejected' ? [failureOf(end.reason)] : []))).toEqual([]);
  },
  240_000,
);

function failureOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return stdout + stderr;
}

/**
 * Copies the built modules, and builds only the modules that the patches changed, because transforming all of `src` takes
 * longer than the scenarios.
 */
function buildCopy(): void {
  const dist = join(copy, 'dist');
  cpSync(join(ROOT, 'dist'), dist, { recursive: true, filter: (path) => !path.includes('/dist/bundle') });
  for (const name of readdirSync(join(copy, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(copy, 'src', name), 'utf8');
    if (text === readSource(name)) continue;
    const file = join(dist, name.replace(/ts$/, 'js'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, transformSync(text, { loader: 'ts', format: 'esm', target: 'es2023' }).code);
  }
  // The age check uses the time of this file.
  utimesSync(join(dist, 'main.js'), new Date(), new Date());
}

/** null for a file that the patches add. */
function readSource(name: string): string | null {
  const file = join(ROOT, 'src', name);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function replaceOnce(file: string, before: string, after: string): string {
  const parts = readFileSync(join(copy, file), 'utf8').split(before);
  expect(parts.length - 1, `places in ${file} that read\n${before}`).toBe(1);
  return parts.join(after);
}

function run(script: string, ...words: readonly string[]): Promise<unknown> {
  return start(process.execPath, [join(ROOT, 'node_modules', script), ...words], { cwd: copy });
}
