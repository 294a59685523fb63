// Runs in the process of the tests, for scripts/mutation.mjs. First runs every test once, to learn which mutants the test
// reaches. For each mutant, it then runs the tests that reach the mutant, until one fails. The program is loaded once, and
// each mutant is switched on in the loaded program.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestRunner } from 'vitest';
import { startTests } from 'vitest/internal/browser';

const place = process.env.MUTATION_PLACE;
const { mutants, chosen, tests, stories, folders } = JSON.parse(readFileSync(join(place, 'sample.json'), 'utf8'));
const ledger = join(place, 'ledger.ndjson');
const note = (line) => appendFileSync(ledger, `${JSON.stringify(line)}\n`);
/** Read by the code that Stryker instrumented. */
const switches = { mutantCoverage: { static: {}, perTest: {} } };
globalThis.__stryker__ = switches;
/** Limit on how often a mutant is reached, as a multiple of the count without it. Above the limit, it is an endless loop. */
const HITS = 100;
/** Maximum number of unit tests of other stages per mutant, because some of these tests reach nearly all mutants. */
const OTHERS = 60;

/** Does not report its test runs to vitest. */
class QuietRunner extends TestRunner {
  constructor(config, outer) {
    super(config);
    this.moduleRunner = outer.moduleRunner;
    this.__setTraces(outer._otel);
  }

  onBeforeTryTask(test) {
    super.onBeforeTryTask(test);
    switches.currentTestId = test.id;
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    switches.currentTestId = test.file.filepath;
    if (test.result?.state === 'fail') this.cancelRun = true;
  }

  onCollectStart(file) {
    super.onCollectStart(file);
    switches.currentTestId = file.filepath;
  }
}

const testsOf = (suite) => suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
/** Differs when the test's file has changed. */
const nameOf = ({ id, hash }) => `${id} ${hash.slice(0, 8)}`;
const ofSample = (hits) => Object.fromEntries(Object.entries(hits).filter(([id]) => mutants.includes(id)));
const readLedger = () =>
  existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

/**
 * @returns the tests that reach each mutant, starting with the tests of its stage and the most specific tests; and how
 *   often all of them reach it
 */
function whatReaches() {
  const found = readLedger().flatMap(({ learnt: file, hash, found: tests = [] }) =>
    tests.map(({ id, name, hits }) => ({
      test: { id, file, hash, name, isStory: file.includes('/scenarios/') },
      hits,
    })),
  );
  const size = ({ hits }) => Object.keys(hits).length;
  found.sort((a, b) => size(a) - size(b) || (a.test.id < b.test.id ? -1 : 1));
  const [all, times] = [{}, {}];
  for (const { test, hits } of found) {
    for (const [id, count] of Object.entries(hits)) {
      times[id] = (times[id] ?? 0) + count;
      all[id] ??= [];
      all[id].push(test);
    }
  }
  const reach = Object.fromEntries(
    Object.entries(all).map(([id, reaching]) => {
      const isOwn = ({ file }) => file.includes(`/test/${folders[id]}/`);
      const others = reaching.filter((test) => !test.isStory && !isOwn(test));
      const told = reaching.filter(({ isStory }) => isStory);
      return [id, [...reaching.filter(isOwn), ...others.slice(0, OTHERS), ...told.slice(0, stories)]];
    }),
  );
  return { reach, times };
}

/** Starts once vitest has run its only test file, or continues after another process that stopped. */
export default class MutationRunner extends TestRunner {
  async onAfterRunFiles(files) {
    super.onAfterRunFiles(files);
    setInterval(() => writeFileSync(join(place, 'alive'), ''), 1000).unref();
    await this.learn();
    const { reach, times } = whatReaches();
    const judged = new Set(
      readLedger()
        .filter(({ verdict }) => verdict)
        .map(({ id }) => id),
    );
    const tried = new Map(readLedger().map((line) => [line.survived, line.tried]));
    let isFresh = true;
    for (const id of chosen.filter((one) => !judged.has(one) && reach[one])) {
      note({ id });
      const begun = performance.now();
      const these = reach[id].filter((test) => !tried.get(id)?.includes(nameOf(test)));
      const by = await this.findFailing(these, id, times[id]);
      // A mutant may leave a side effect in the process. A new process then tries again, and accepts the result of its
      // first mutant.
      const isSpoilt = by !== null && (await this.findFailing([by])) !== null;
      if (isSpoilt && !isFresh) process.kill(process.pid, 'SIGKILL');
      const ms = Math.round(performance.now() - begun);
      if (by) note({ id, verdict: 'noticed', by: by.file, name: by.name, ms });
      else note({ id, verdict: 'missed', tried: reach[id].map(nameOf), ms });
      if (isSpoilt) process.kill(process.pid, 'SIGKILL');
      isFresh = false;
    }
    note({ done: true });
  }

  async runFile(filepath, testIds) {
    for (const module of this.workerState.evaluatedModules.fileToModulesMap.get(filepath) ?? []) {
      this.workerState.evaluatedModules.invalidateModule(module);
    }
    const before = new Set(readdirSync(process.env.TMPDIR));
    const [file] = await startTests([{ filepath, testIds }], new QuietRunner(this.config, this));
    for (const name of readdirSync(process.env.TMPDIR)) {
      if (!before.has(name)) rmSync(join(process.env.TMPDIR, name), { recursive: true, force: true });
    }
    return file;
  }

  /** Runs every test without a mutant, and notes which mutants it reaches. */
  async learn() {
    const learnt = new Set(readLedger().map((line) => line.learnt));
    const { static: once, perTest } = switches.mutantCoverage;
    for (const { file: filepath, hash } of tests.filter(({ file }) => !learnt.has(file))) {
      // The first import runs code that a mutant can no longer change.
      await this.runFile(filepath, []);
      Object.assign(once, perTest[filepath]);
      delete perTest[filepath];
      const file = await this.runFile(filepath);
      const failed = testsOf(file).filter((test) => test.result?.state === 'fail');
      if (failed.length > 0 || file.result?.state === 'fail') {
        throw new Error(`${filepath} fails without any mutant: ${failed.map(({ name }) => name).join(', ')}`);
      }
      const found = testsOf(file).map(({ id, name }) => ({
        id,
        name,
        hits: ofSample({ ...perTest[filepath], ...perTest[id] }),
      }));
      note({ learnt: filepath, hash, found, statics: Object.keys(ofSample(once)) });
    }
  }

  /** The first of these tests that fails while this mutant is on. */
  async findFailing(these, mutant, hits) {
    Object.assign(switches, { activeMutant: mutant, hitCount: 0, hitLimit: mutant && hits * HITS + 1000 });
    try {
      for (const filepath of new Set(these.map(({ file }) => file))) {
        const file = await this.runFile(
          filepath,
          these.filter((test) => test.file === filepath).map(({ id }) => id),
        );
        const failed = testsOf(file).find((test) => test.result?.state === 'fail');
        if (failed) return { id: failed.id, file: filepath, name: failed.name };
        if (file.result?.state === 'fail') return these.find((test) => test.file === filepath);
      }
      return null;
    } finally {
      switches.activeMutant = undefined;
    }
  }
}
