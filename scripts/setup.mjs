// Installs what is missing, and nothing when all is there: `npm test` and `npm run demo` begin here on a fresh clone.
// With `--tests` also the programs beside Node that tests need, where packages may be installed (root on Debian and its kin);
// elsewhere the tests that need them are reported as not run.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const installed = 'node_modules/.package-lock.json';

function isInstalled() {
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const found = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const missing = Object.entries(wanted).filter(
    ([name, entry]) => name !== '' && !entry.optional && !entry.extraneous && found[name]?.version !== entry.version,
  );
  return missing.length === 0 && existsSync(BINDING);
}

function installTestTools() {
  const tools = Object.values(JSON.parse(readFileSync('test/tools.json', 'utf8'))).filter(
    ({ variable, places }) => process.env[variable] === undefined && !places.some(isThere),
  );
  for (const folder of new Set(tools.flatMap((tool) => tool.folder ?? []))) {
    // As for Debian's packages: without it its tests are reported as not run.
    runs(NPM, ['ci', '--no-fund', '--no-audit', '--prefix', folder]);
  }
  const compilers = isInstalled() ? [] : ['make', 'g++', 'python3'].filter((name) => !runs(name, ['--version']));
  const missing = [...compilers, ...tools.flatMap((tool) => tool.package ?? [])];
  if (missing.length === 0 || process.getuid?.() !== 0 || !runs('apt-get', ['--version'])) return;
  process.stderr.write(`Installing ${missing.join(', ')} for the tests …\n`);
  // Without a network this ends soon.
  const patience = ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];
  runs('apt-get', ['update', ...patience]);
  if (!runs('apt-get', ['install', '-y', '--no-install-recommends', ...patience, ...missing])) {
    process.stderr.write('They cannot be installed here; the tests that need them are reported as not run.\n');
  }
}

/** A plain name is looked for on the PATH (test/tools.ts). */
function isThere(place) {
  return place.includes('/') ? existsSync(place) : runs(place, ['--version']);
}

function runs(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { env, stdio: 'ignore', timeout: 600_000 }).status === 0;
}

if (process.argv.includes('--tests')) installTestTools();
if (!isInstalled()) {
  // npm would empty the folder that the link leads to, which others work with.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) {
    process.stderr.write(
      'node_modules is a link, and what it leads to does not fit package-lock.json: run npm ci there.\n',
    );
    process.exit(1);
  }
  process.stderr.write(
    'Installing dependencies; without a prebuilt SQLite it is compiled, which takes a minute or two …\n',
  );
  const { status } = spawnSync(NPM, ['ci', '--no-fund', '--no-audit'], { stdio: ['ignore', 2, 2] });
  // npm goes on without SQLite when it cannot be had: the client of the service works without it, the project does not.
  if (status !== 0 || !existsSync(BINDING)) {
    process.stderr.write(
      'The installation failed. Where no prebuilt SQLite can be had, make, g++ and python3 are needed: see README.md.\n',
    );
    process.exit(1);
  }
}
