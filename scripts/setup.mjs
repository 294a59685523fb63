// Installs what is missing, and nothing when all is there: `npm test` and `npm run demo` begin here on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';

function isInstalled() {
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const found = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const missing = Object.entries(wanted).filter(
    ([name, entry]) => name !== '' && !entry.optional && !entry.extraneous && found[name]?.version !== entry.version,
  );
  return missing.length === 0 && existsSync('node_modules/better-sqlite3/build/Release/better_sqlite3.node');
}

if (!isInstalled()) {
  process.stderr.write(
    'Installing dependencies; without a prebuilt SQLite it is compiled, which takes a minute or two …\n',
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['ci', '--no-fund', '--no-audit'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write(
      'The installation failed. Where no prebuilt SQLite can be had, make, g++ and python3 are needed: see README.md.\n',
    );
    process.exit(1);
  }
}
