// `npm run bench [-- USERS]`: talent-sync beside the script one would write instead, in one run, as ratios: the clock of a
// shared machine says little, the ratio of two programs that ran one after the other a good deal more.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buildConfig, buildFixture, writeRows } from './bench/company.mjs';
import { main, measure, startSandbox } from './bench/measure.mjs';

const people = Number(process.argv[2] ?? 20_000);
const LATENCY_MS = 20;
const script = new URL('bench/naive-script.mjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'talent-sync-bench-'));
function deliver(number, changedEvery) {
  const file = join(folder, 'drop', `employees-${number}.csv`);
  return pipeline(Readable.from(writeRows(people, changedEvery)), createWriteStream(file)).then(() => file);
}

function show(name, worker, rival) {
  const cells = [
    name,
    `${worker.seconds.toFixed(2)} / ${rival.seconds.toFixed(2)}`,
    (worker.seconds / rival.seconds).toFixed(2),
    `${worker.cpu.toFixed(2)} / ${rival.cpu.toFixed(2)}`,
    (worker.cpu / rival.cpu).toFixed(2),
    `${worker.mib.toFixed(0)} / ${rival.mib.toFixed(0)}`,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

const sandbox = await startSandbox(folder, buildFixture(people));
try {
  mkdirSync(join(folder, 'drop'));
  const config = join(folder, 'bench.yaml');
  writeFileSync(config, buildConfig(sandbox.url));
  const work = (...args) => measure(folder, [main, ...args, '--config', config, '--json']);
  const rival = (file) => measure(folder, [script], { env: { BASE_URL: sandbox.url, CSV_FILE: file } });

  const same = await deliver(1, 0);
  const first = await work('sync');
  if (first.document.done !== 0) throw new Error(`the first run should find both sides equal: ${first.document.done}`);
  process.stdout.write(`${people} people, 20 columns, 11 fields; talent-sync / the script\n\n`);
  process.stdout.write(
    '| what | seconds | ratio | processor seconds | ratio | peak MiB |\n|---|---|---|---|---|---|\n',
  );
  const calm = await work('plan');
  if (calm.document.cost.writes !== 0) throw new Error('a plan of nothing has writes');
  const plain = await rival(same);
  show('nothing changed, the rows known from the run before: `plan`', calm, plain);
  // On another day every row is mapped again, as after an edit of the configuration.
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const again = await work('plan', '--as-of', tomorrow);
  if (again.document.cost.writes !== 0) throw new Error('a plan of nothing has writes');
  show('nothing changed, every row mapped again: `plan`', again, plain);

  await sandbox.control('POST', 'faults', [{ kind: 'delay', ms: LATENCY_MS, times: 1_000_000 }]);
  const changed = await deliver(2, 100);
  // The rival goes first, on a copy of the account that is put back for the worker.
  const before = await sandbox.control('GET', 'dump');
  const slow = await rival(changed);
  await sandbox.control('PUT', 'dump', before);
  const quick = await work('sync');
  const expected = Math.ceil(people / 100);
  if (quick.document.calls.writes !== expected || slow.document.writes !== expected) {
    throw new Error(`${expected} writes expected: ${quick.document.calls.writes} and ${slow.document.writes}`);
  }
  show(`1 % changed, ${LATENCY_MS} ms a call: \`sync\`, ${expected} writes`, quick, slow);
} finally {
  sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
