// Installs missing packages. `npm test` and `npm run demo` start with this script; it does nothing if all packages are
// present. With `--build` it also builds the program.
// With `--tests` it also installs the programs that tests need, if it can install packages (root on Debian and similar).
// Otherwise, the tests that need these programs are reported as skipped. At the same time it lints, checks types and builds.
// Each of these tasks keeps one core busy, as does the compilation of SQLite for a minute or two.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { runLong } from './run-long.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const installed = 'node_modules/.package-lock.json';
const CHECKS = ['lint', 'types'];
const COMPILERS = ['make', 'g++', 'python3'];
/** Debian's servers may be unreachable. */
const LONGEST_APT_MS = 600_000;

function hasPackages() {
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const found = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || entry.extraneous || found[name]?.version === entry.version,
  );
}

function listTools() {
  return Object.values(JSON.parse(readFileSync('test/tools.json', 'utf8'))).filter(
    ({ variable, places }) => process.env[variable] === undefined && !places.some(isThere),
  );
}

/** A plain name is searched for on the PATH (test/tools.ts). */
function isThere(place) {
  return place.includes('/') ? existsSync(place) : hasCommand(place);
}

function hasCommand(name) {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}

async function runs(command, args, stdio = 'ignore', timeout = 0) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const [code] = await once(spawn(command, args, { env, stdio, timeout }), 'exit');
  return code === 0;
}

async function installFolders(tools) {
  // As with Debian's packages, tests that need a missing folder are reported as skipped.
  for (const folder of new Set(tools.flatMap((tool) => tool.folder ?? []))) {
    await runs(NPM, ['ci', '--no-fund', '--no-audit', '--prefix', folder]);
  }
}

async function installDebian(names) {
  if (names.length === 0 || process.getuid?.() !== 0 || !hasCommand('apt-get')) return;
  process.stderr.write(`Installing ${names.join(', ')} for the tests …\n`);
  // Fails quickly without a network.
  const patience = ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];
  const runApt = (...args) => runs('apt-get', [...args, ...patience], 'ignore', LONGEST_APT_MS);
  await runApt('update');
  if (!(await runApt('install', '-y', '--no-install-recommends', ...names))) {
    process.stderr.write('They cannot be installed here; the tests that need them are reported as skipped.\n');
  }
}

/** Installs only the packages, which is enough for the checks. */
async function installPackages() {
  if (hasPackages()) return;
  // npm would empty the folder behind the link, which others use.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) {
    stop('node_modules is a link to a folder that does not match package-lock.json. Run npm ci in that folder.');
  }
  process.stderr.write('Installing dependencies …\n');
  const args = ['ci', '--no-fund', '--no-audit', '--ignore-scripts'];
  const hasThem = await runLong(NPM, args, { doing: 'Installing dependencies' });
  if (!hasThem) stop('The installation failed. The output of npm above says why.');
}

/** Runs the install scripts of packages: better-sqlite3 downloads a prebuilt SQLite from GitHub, or compiles it. */
async function prepare() {
  if (existsSync(BINDING)) return;
  process.stderr.write('Preparing SQLite. If no prebuilt one can be downloaded, compiling it takes some minutes …\n');
  // npm only shows the output of compilers with this flag.
  await runLong(NPM, ['rebuild', '--foreground-scripts'], { doing: 'Preparing SQLite' });
  // The service's client works without SQLite, but the other parts of the project do not.
  if (existsSync(BINDING)) return;
  const missing = COMPILERS.filter((name) => !hasCommand(name));
  const remedy = missing.length === 0 ? 'the output of npm above says why' : `install ${missing.join(', ')}`;
  stop(`SQLite could neither be downloaded nor compiled: ${remedy}. See README.md.`);
}

/** A failure sets the exit code, so that the other tasks still finish. */
async function expectRun(command, args) {
  if (!(await runs(command, args, 'inherit'))) process.exitCode = 1;
}

const check = () => Promise.all(CHECKS.map((name) => expectRun(NPM, ['run', '--silent', name])));
/** The build runs the program once, so it needs SQLite. */
const build = () => expectRun(process.execPath, ['scripts/emit.mjs', '--unchecked']);

function stop(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

if (process.argv.includes('--tests')) {
  const tools = listTools();
  const compilers = existsSync(BINDING) ? [] : COMPILERS.filter((name) => !hasCommand(name));
  const debian = installDebian([...compilers, ...tools.flatMap((tool) => tool.package ?? [])]);
  if (compilers.length > 0) await debian;
  await installPackages();
  await Promise.all([debian, installFolders(tools), prepare().then(build), check()]);
} else {
  await installPackages();
  await prepare();
  if (process.argv.includes('--build')) {
    const isBuilt = await runLong(process.execPath, ['scripts/emit.mjs'], { doing: 'Building', isShown: true });
    if (!isBuilt) process.exitCode = 1;
  }
}
