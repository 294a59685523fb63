// The checks of scripts/prove-image.sh from inside the image, with only the image's own Node.js. Each probe prints its
// findings; the exit code is 0 if they are as required. Usage: node image-probe.mjs PROBE [WHAT ...]
import { lookup } from 'node:dns/promises';
import { readdirSync, readFileSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';

const VOLUME = '/var/lib/talent-sync';

/** Checks the program's user, and that it cannot gain privileges. */
function probeRights() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const rights = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb', 'NoNewPrivs'].map((name) =>
    Number(`0x${new RegExp(`^${name}:\\s*(\\w+)$`, 'm').exec(status)?.[1]}`),
  );
  const groups = process.getgroups().join();
  const found = [process.pid, process.getuid(), process.getgid(), groups, process.cwd(), homedir(), ...rights].join(
    ' ',
  );
  process.stdout.write(`${found}\n`);
  return found === `1 10001 10001 10001 ${VOLUME} ${VOLUME} 0 0 0 0 1`;
}

/** Checks that only the volume is writable among the given folders. */
function probeFolders(...folders) {
  const open = folders.filter((folder) => {
    try {
      writeFileSync(`${folder}/probe`, '');
      unlinkSync(`${folder}/probe`);
      return true;
    } catch (error) {
      return !['EROFS', 'EACCES'].includes(error.code);
    }
  });
  process.stdout.write(`writable: ${open.join(' ')}\n`);
  return open.join() === VOLUME;
}

/** Checks that SQLite spills a temporary table to the volume, in a file without a name, so that a crash leaves none behind. */
function probeTemporaryFiles() {
  const file = `${VOLUME}/probe.db`;
  const db = createRequire('/app/package.json')('better-sqlite3')(file);
  db.pragma('temp_store = FILE');
  db.exec(`CREATE TEMP TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    SELECT i, hex(randomblob(50)) AS noise FROM n`);
  const spilled = readdirSync('/proc/self/fd')
    .filter((fd) => Number(fd) > 2)
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    })
    .filter((path) => path.includes('etilqs'));
  const left = readdirSync(VOLUME).filter((name) => name.includes('etilqs'));
  db.close();
  unlinkSync(file);
  process.stdout.write(
    `spilled to ${spilled.join(' ') || 'nothing'}, by name on the volume: ${left.join(' ') || 'none'}\n`,
  );
  return spilled.length > 0 && spilled.every((path) => path.startsWith(VOLUME)) && left.length === 0;
}

/** Checks host names from files and from DNS, because a minimal system may lack the libraries to resolve them. */
async function probeNames(...names) {
  const found = await Promise.all(names.map((name) => lookup(name)));
  process.stdout.write(`${found.map(({ address }) => address).join(' ')}\n`);
  return found.length === names.length;
}

/** Checks the time zones that Node.js includes. In summer, Oslo is two hours ahead of UTC. */
function probeZones() {
  const shown = new Date('2026-07-01T12:00Z').toLocaleTimeString('en-GB', { timeZone: 'Europe/Oslo' });
  process.stdout.write(`${shown}\n`);
  return shown === '14:00:00';
}

/** Checks the document of a run on standard input: it has this number of writes, and nothing failed or was held. */
async function probeRun(writes) {
  const run = await text(process.stdin);
  process.stdout.write(run);
  const { calls, failed, held } = JSON.parse(run);
  return calls.writes === Number(writes) && failed.length + held.length === 0;
}

const PROBES = {
  rights: probeRights,
  folders: probeFolders,
  'temporary-files': probeTemporaryFiles,
  names: probeNames,
  zones: probeZones,
  run: probeRun,
};
const [name, ...rest] = process.argv.slice(2);
process.exitCode = (await PROBES[name](...rest)) ? 0 : 1;
