// `npm run test:all`: the checks for a release. It runs all tests of `npm test` with the full sweeps. Then it runs generated
// companies for some minutes, the checks of the benches, and the container image. Each part gets one line at the end.
// Usage: npm run test:all [-- --minutes 10], the time for the generated companies
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;

const parts = [
  ['all tests', () => node(vitest, 'run', '--mode', 'all')],
  [`generated companies, ${values.minutes} minutes`, () => node('scripts/survival.mjs', '--minutes', values.minutes)],
  ['mutations that unit tests notice', () => node('scripts/mutation.mjs')],
  [
    'bench: compared with a plain script, on an idle machine',
    () => node('scripts/bench.mjs', '100000', '--runs', '3', '--check'),
  ],
  ['bench-reads: memory for every kind of source', () => node('scripts/bench-reads.mjs', '100000')],
  ['container image', () => (mayBuildImages() ? run('npm', ['run', '--silent', 'image']) : null)],
];

function run(command, args) {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

function node(...args) {
  return run(process.execPath, args);
}

/** The requirements of scripts/prove-image.sh. */
function mayBuildImages() {
  const has = (tool) => spawnSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' }).status === 0;
  return process.getuid?.() === 0 && ['apt-get', 'buildah', 'debootstrap'].every(has);
}

const told = parts.map(([name, prove]) => {
  const hasPassed = prove();
  if (hasPassed === false) process.exitCode = 1;
  if (hasPassed === null) return `skipped  ${name}: needs root, Debian's apt, buildah and debootstrap`;
  return `${hasPassed ? 'passed ' : 'FAILED '}  ${name}`;
});
process.stdout.write(`\n${told.join('\n')}\n`);
