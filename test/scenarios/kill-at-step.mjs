import Database from 'better-sqlite3';

/**
 * A test loads this before the program. It ends the process, like a power cut, at one of its writes to the journal (or
 * to
 * the table `KILL_TABLE`): just before the write, or once it is on disk.
 */
const at = Number(process.env.KILL_AT_STEP);
const isBefore = process.env.KILL_WHEN === 'before';
const isStep = new RegExp(`^\\s*(INSERT( OR REPLACE)? INTO|UPDATE) ${process.env.KILL_TABLE ?? 'journal'}\\b`);
let steps = 0;
let isReached = false;

function die() {
  process.kill(process.pid, 'SIGKILL');
}

const { prepare, transaction } = Database.prototype;

Database.prototype.prepare = function prepareCounted(sql) {
  const statement = prepare.call(this, sql);
  if (!isStep.test(sql)) return statement;
  const run = statement.run.bind(statement);
  statement.run = (...values) => {
    steps += 1;
    if (steps === at && isBefore) die();
    const result = run(...values);
    if (steps === at) isReached = true;
    if (isReached && !this.inTransaction) die();
    return result;
  };
  return statement;
};

Database.prototype.transaction = function transactionCounted(work) {
  const run = transaction.call(this, work);
  const counted =
    (begin) =>
    (...values) => {
      const result = begin(...values);
      if (isReached && !this.inTransaction) die();
      return result;
    };
  const { deferred, immediate, exclusive } = run;
  return Object.assign(counted(run), {
    deferred: counted(deferred),
    immediate: counted(immediate),
    exclusive: counted(exclusive),
  });
};
