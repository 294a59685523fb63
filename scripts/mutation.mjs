// Mutation testing makes small changes to the code. Each change must make a unit test or a main story fail. Stryker creates the
// mutants, and a hash selects a fixed sample of them. Prints each missed mutant, and writes the share of noticed mutants per folder
// into docs/engineering/reliability.md. Fails if the share is below the target.
// Usage: npm run mutation [-- --mutants 2000] [--at-least 85] [--stories 6]
// A smaller number takes the first mutants of the same sample. --keep FOLDER continues a stopped run. It tests mutants of changed
// files again, and runs only new tests on missed mutants. --only reconcile/order,mapping tests only the mutants of these places, and
// writes no table.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { writeTable } from './reliability.mjs';

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
    stories: { type: 'string', default: '6' },
    'at-least': { type: 'string', default: '85' },
  },
});
const FOLDERS = ['reconcile', 'mapping', 'apply', 'planning'];
/** One story per main job and rule. Each mutant runs the first stories that reach it, up to --stories. */
const STORIES = [
  'joiner-mover-leaver.sweep customers-and-projects staffing proposals cv-sections tags write-back undo',
  'too-much-change drift relink held-records unique-values saved-plan first-contact unknown-word another-tenant',
  'keys-reformatted.sweep older-content paused-changes.sweep refused-reads roles offices out-of-scope purge',
  'same-person creates-after-load.sweep what-waits only-one.sweep first-load reference-projects',
  'drift-of-existence.sweep guarded-fields refused-fields undo-fields.sweep undo-objects undo-pseudonyms.sweep',
  'undo-proposals.sweep undo-guards project-owners.sweep customer-tags.sweep lost-answers cv-fields user-tags.sweep',
  'match-rules.sweep taken-values values-that-will-not-stay tag-scope.sweep ownership unproven-reads deleted-tag.sweep',
  'leaver-by-absence empty-values.sweep link-by-hand policies held-until-resolved two-people newest both-sides',
  'look-alike quiet-hours slipped-values crm-decisions.sweep forecast.sweep scope-without-roles.sweep edited-source',
  'approving short-lists protected-accounts frozen-values.sweep renumbered-seats.sweep call-budget',
].flatMap((line) => line.split(' '));
/** Unit tests of other stages that depend on these. */
const OTHERS = [
  'config/mistakes',
  'config/problems',
  'config/load',
  'planning/staging/read-streams',
  'planning/staging/remembered-rows',
  'writeback/write-back',
];
/** After this long without a sign of life, the process of the tests counts as stuck in a loop. */
const STUCK_MS = 120_000;
const root = new URL('..', import.meta.url).pathname;

const hashOf = (text) => createHash('sha256').update(text).digest('hex');

function listFiles(folder, ending) {
  const files = readdirSync(join(root, folder), { recursive: true });
  return files.filter((file) => file.endsWith(ending)).map((file) => join(folder, file));
}

/** The same piece of code gets the same hash anywhere in its file. */
function identify(mutants, texts) {
  const seen = new Map();
  const contents = new Map([...texts].map(([name, lines]) => [name, hashOf(lines.join('\n'))]));
  return mutants.map(({ id, fileName, location: { start, end }, mutatorName, replacement }) => {
    const lines = texts.get(fileName).slice(start.line, end.line + 1);
    lines[lines.length - 1] = lines.at(-1).slice(0, end.line === start.line ? end.column : undefined);
    lines[0] = lines[0].slice(start.column);
    const name = JSON.stringify([fileName, mutatorName, lines, replacement]);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return {
      id,
      hash: hashOf(`${name}${seen.get(name)}`),
      content: contents.get(fileName),
      file: fileName,
      line: start.line + 1,
      mutator: mutatorName,
      was: lines.join(' '),
      is: replacement,
    };
  });
}

async function instrument(place) {
  const files = FOLDERS.flatMap((folder) => listFiles(join('src', folder), '.ts')).map((name) => ({
    name,
    mutate: true,
    content: readFileSync(join(root, name), 'utf8'),
  }));
  const quiet = { info() {}, debug() {}, warn: console.warn, isDebugEnabled: () => false };
  const made = await new Instrumenter(quiet).instrument(files, { plugins: null, excludedMutations: [], ignorers: [] });
  for (const { name, content } of made.files) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  return identify(made.mutants, new Map(files.map(({ name, content }) => [name, content.split('\n')])));
}

function readLedger(place) {
  const file = join(place, 'ledger.ndjson');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
}

/**
 * Keeps the results of an earlier run that still apply: the mutants that tests reach, if the code is unchanged, and a
 * noticed mutant, if its file is unchanged. A missed mutant runs only tests that were added since the earlier run.
 */
function keepWhatHolds(place, mutants, tests) {
  const file = join(place, 'mutants.json');
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const now = Object.fromEntries(mutants.map(({ id, hash, content }) => [id, hash + content]));
  writeFileSync(file, JSON.stringify(now));
  const isSameCode = JSON.stringify(before) === JSON.stringify(now);
  const ids = new Map(Object.entries(now).map(([id, name]) => [name, id]));
  const hashes = new Map(tests.map((test) => [test.file, test.hash]));
  const kept = readLedger(place).flatMap((line) => {
    if (line.learnt) return isSameCode && hashes.get(line.learnt) === line.hash ? [line] : [];
    const id = ids.get(before[line.survived ?? line.id]);
    if (id === undefined) return [];
    if (line.survived || line.verdict === 'missed') return [{ survived: id, tried: line.tried }];
    return line.verdict ? [{ ...line, id }] : [];
  });
  writeFileSync(join(place, 'ledger.ndjson'), kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** The process of the tests, with its child processes. */
let running;

function stopRunning() {
  try {
    if (running !== undefined) process.kill(-running.pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** Runs the tests in a separate process. Starts another process if the first gets stuck, is spoilt, or is ended by a mutant. */
async function judge(place) {
  while (!readLedger(place).some(({ done }) => done)) {
    const before = readLedger(place).length;
    const errors = openSync(join(place, 'errors.txt'), 'w');
    running = spawn(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.mutation.config.ts', '--reporter=dot'],
      {
        cwd: root,
        detached: true,
        stdio: ['ignore', errors, errors],
        env: { ...process.env, TALENT_THOROUGH: '1', MUTATION_PLACE: place, TMPDIR: join(place, 'tmp') },
      },
    );
    closeSync(errors);
    const ended = new Promise((resolve) => running.once('exit', resolve));
    writeFileSync(join(place, 'alive'), '');
    const isMoving = () => Date.now() - statSync(join(place, 'alive')).mtimeMs < STUCK_MS;
    while (running.exitCode === null && isMoving()) await Promise.race([ended, sleep(1000)]);
    const isStuck = running.exitCode === null;
    stopRunning();
    const ledger = readLedger(place);
    if (ledger.length === before) throw new Error(readFileSync(join(place, 'errors.txt'), 'utf8'));
    const { id, verdict } = ledger.at(-1);
    // On the second try, the mutant was the first of its process, so nothing else can have ended the process.
    const hasEndedTwo = ledger.filter((line) => line.id === id && !line.verdict).length > 1;
    if (id !== undefined && !verdict && (isStuck || hasEndedTwo)) {
      appendFileSync(join(place, 'ledger.ndjson'), `${JSON.stringify({ id, verdict: 'noticed', by: 'no end' })}\n`);
    }
  }
}

function tally(sample, verdicts, statics) {
  const counted = sample.filter(({ id }) => verdicts.has(id) || !statics.has(id));
  const rows = [...FOLDERS, ''].map((folder) => {
    const here = counted.filter(({ file }) => file.startsWith(join('src', folder)));
    const noticed = here.filter(({ id }) => verdicts.get(id)?.verdict === 'noticed').length;
    const share = here.length === 0 ? '–' : `${((100 * noticed) / here.length).toFixed(1)} %`;
    return [folder === '' ? 'all' : `\`${folder}/\``, here.length, noticed, share];
  });
  return { rows, missed: counted.filter(({ id }) => verdicts.get(id)?.verdict !== 'noticed') };
}

const place = values.keep ?? mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'talent-sync-mutation-'));
const begun = Date.now();
process.once('exit', () => {
  stopRunning();
  if (values.keep === undefined) rmSync(place, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

rmSync(join(place, 'tmp'), { recursive: true, force: true });
mkdirSync(join(place, 'tmp'), { recursive: true });
const all = (await instrument(place)).sort((a, b) => (a.hash < b.hash ? -1 : 1));
const drawn = all.slice(0, Number(values.mutants));
const places = values.only.split(',').map((only) => join('src', only));
const sample = drawn.filter(({ file }) => places.some((one) => file.startsWith(one)));
const stories = Number(values.stories);
const tests = [
  ...FOLDERS.flatMap((folder) => listFiles(join('test', folder), '.test.ts')),
  ...OTHERS.map((name) => `test/${name}.test.ts`),
  ...(stories > 0 ? STORIES.map((name) => `test/scenarios/${name}.test.ts`) : []),
].map((file) => ({ file: join(root, file), hash: hashOf(readFileSync(join(root, file))) }));
keepWhatHolds(place, all, tests);
const ids = (mutants) => mutants.map(({ id }) => id);
const folders = Object.fromEntries(drawn.map(({ id, file }) => [id, file.split(sep)[1]]));
writeFileSync(
  join(place, 'sample.json'),
  JSON.stringify({ mutants: ids(drawn), chosen: ids(sample), tests, stories, folders }),
);
await judge(place);
const ledger = readLedger(place);
const verdicts = new Map(ledger.filter(({ verdict }) => verdict).map((line) => [line.id, line]));
const { rows, missed } = tally(sample, verdicts, new Set(ledger.flatMap(({ statics = [] }) => statics)));
for (const { id, file, line, mutator, was, is } of missed) {
  const reach = verdicts.has(id) ? '' : ' (no test reaches it)';
  process.stdout.write(
    `${file}:${line} ${mutator}${reach}\n  - ${was.replace(/\s+/g, ' ')}\n  + ${is.replace(/\s+/g, ' ')}\n`,
  );
}
for (const row of rows) process.stdout.write(`${row.join('  ')}\n`);
process.stdout.write(`of ${all.length} mutants; ${Math.round((Date.now() - begun) / 60_000)} minutes\n`);
if (values.only === '') writeTable('mutation', ['folder', 'mutants', 'noticed', 'share'], rows);
const [, judged, noticed] = rows.at(-1);
if ((100 * noticed) / judged < Number(values['at-least'])) process.exitCode = 1;
