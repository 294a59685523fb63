// Mutation testing: small changes of the code, each of which some test must notice: the tests of single parts, and the main
// stories. The sample is the same
// each time: whole files of the stages that decide and write, in the order of their hashes, until they have so many lines.
// It prints the share that was noticed by folder, writes it into docs/reliability.md, and fails under the share that is wanted.
// Usage: npm run mutation [-- --lines 1200] [--from 0] [--at-least 85]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from './reliability.mjs';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1200' },
    from: { type: 'string', default: '0' },
    'at-least': { type: 'string', default: '85' },
  },
});
const FOLDERS = ['reconcile', 'mapping', 'apply', 'planning'];
const root = new URL('..', import.meta.url).pathname;
const hashOf = (file) => createHash('sha256').update(file).digest('hex');

/** Files of a folder, in the order of their hashes, from the line where its part begins. */
function chooseFiles(folder) {
  const files = readdirSync(join(root, 'src', folder), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', folder, file))
    .sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
  const [from, most] = [Number(values.from), Number(values.lines)].map((lines) => lines / FOLDERS.length);
  let lines = 0;
  return files.filter((file) => {
    const at = lines;
    lines += readFileSync(join(root, file), 'utf8').split('\n').length;
    return at >= from && at < from + most;
  });
}

const sample = FOLDERS.flatMap(chooseFiles);
const out = mkdtempSync(join(tmpdir(), 'talent-sync-mutation-'));
const config = {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: true },
  mutate: sample,
  concurrency: 1,
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { logTests: false, reportScoreTable: false, allowColor: false },
  jsonReporter: { fileName: join(out, 'mutation.json') },
  tempDirName: join(out, 'tree'),
  allowEmpty: false,
};
writeFileSync(join(out, 'stryker.json'), JSON.stringify(config));
const stryker = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
const { status } = spawnSync(process.execPath, [stryker, 'run', join(out, 'stryker.json')], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

const report = JSON.parse(readFileSync(join(out, 'mutation.json'), 'utf8'));
rmSync(out, { recursive: true });
const NOTICED = new Set(['Killed', 'Timeout']);
const MISSED = new Set(['Survived', 'NoCoverage']);
const count = (folder, kinds) =>
  Object.entries(report.files)
    .filter(([file]) => file.startsWith(`src/${folder}`))
    .flatMap(([, { mutants }]) => mutants)
    .filter((mutant) => kinds.has(mutant.status)).length;
const rows = [...FOLDERS, ''].map((folder) => {
  const [noticed, missed] = [count(folder, NOTICED), count(folder, MISSED)];
  const share = noticed + missed === 0 ? '–' : `${((100 * noticed) / (noticed + missed)).toFixed(1)} %`;
  return [folder === '' ? 'all' : `\`${folder}/\``, noticed + missed, noticed, share];
});
for (const row of rows) process.stdout.write(`${row.join('  ')}\n`);
writeTable('mutation', ['folder', 'mutants', 'noticed', 'share'], rows);
const [, all, noticed] = rows.at(-1);
if ((100 * noticed) / all < Number(values['at-least'])) process.exitCode = 1;
