import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createGroupCommit } from '../../../src/store/state/group-commit.js';
import { closeAfterTest } from '../../closing.js';

function openCommits(tellTogether?: (tell: () => void) => void, ship?: () => Promise<void>) {
  const sqlite = new Database(':memory:');
  closeAfterTest(sqlite);
  sqlite.exec('CREATE TABLE notes (name TEXT)');
  const insert = sqlite.prepare('INSERT INTO notes VALUES (?)');
  const names = sqlite.prepare<[], string>('SELECT name FROM notes ORDER BY rowid').pluck();
  const note = (name: string) => (): string => {
    insert.run(name);
    return name;
  };
  const rollBack = (): never => {
    sqlite.exec('ROLLBACK');
    throw new Error('disk full');
  };
  return { commits: createGroupCommit(sqlite, tellTogether, ship), note, noted: () => names.all(), rollBack };
}

const fail = (): never => {
  throw new Error('no');
};

describe('group commits', () => {
  test('commit everything requested in one turn, and earlier background work, together and in order', async () => {
    const { commits, note, noted } = openCommits();
    const order: string[] = [];
    commits.soon(note('a'), (name) => order.push(name));
    const waiting = ['b', 'c'].map((name) => commits.now(note(name)).then((done) => order.push(done)));
    expect(noted()).toEqual([]);
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(noted()).toEqual(['a', 'b', 'c']);
    expect(commits.stats().commits).toBe(1);
  });

  test('with a copy elsewhere, resolve each request once its commit has arrived, and commit the next meanwhile', async () => {
    const arrivals: { resolve(): void; reject(error: Error): void }[] = [];
    const { commits, note, noted } = openCommits(undefined, () => {
      return new Promise<void>((resolve, reject) => arrivals.push({ resolve, reject }));
    });
    const told: string[] = [];
    const ask = (name: string) =>
      commits.now(note(name)).then(
        (done) => told.push(done),
        (error: Error) => told.push(error.message),
      );
    const [first, second] = [ask('a'), new Promise((resolve) => setImmediate(resolve)).then(() => ask('b'))];
    await expect.poll(() => arrivals.length).toBe(2);
    expect([noted(), told]).toEqual([['a', 'b'], []]);
    arrivals[1]?.reject(new Error('away'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
    arrivals[0]?.resolve();
    await Promise.all([first, second]);
    expect(told).toEqual(['a', 'away']);
  });

  test('commit background work after some time', async () => {
    const { commits, note, noted } = openCommits();
    await new Promise<unknown>((told) => commits.soon(note('a'), told));
    expect(noted()).toEqual(['a']);
  });

  test('undo one failing request without affecting the others', async () => {
    const { commits, note, noted } = openCommits();
    const half = commits.now(() => {
      note('half')();
      fail();
    });
    const whole = commits.now(note('whole'));
    expect(await Promise.allSettled([half, whole])).toMatchObject([{ status: 'rejected' }, { value: 'whole' }]);
    expect(noted()).toEqual(['whole']);
  });

  test('throw an error of background work once, at the next wait', async () => {
    const { commits, note, noted } = openCommits();
    let told = 0;
    commits.soon(fail, () => {
      told += 1;
    });
    await expect(commits.now(note('a'))).rejects.toThrow('no');
    expect(await commits.now(note('b'))).toBe('b');
    expect([told, noted()]).toEqual([0, ['a', 'b']]);
  });

  test('reject every request if the transaction does not reach the disk', async () => {
    const { commits, note, noted, rollBack } = openCommits();
    const ends: string[] = [];
    commits.soon(note('a'), () => ends.push('a'));
    const waiting = [commits.now(note('b')), commits.now(rollBack), commits.now(note('c'))];
    const told = await Promise.allSettled(waiting);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([ends, noted()]).toEqual([[], []]);
    expect(commits.stats().commits).toBe(0);
  });

  test('report the results of one commit together, and throw an error in that report at the next wait', async () => {
    const told: string[] = [];
    const { commits, note, noted } = openCommits((tell) => {
      told.push('(');
      tell();
      told.push(')');
      if (told.includes('b')) fail();
    });
    for (const name of ['a', 'b']) commits.soon(note(name), (done) => told.push(done));
    expect(await commits.now(note('c'))).toBe('c');
    await expect(commits.now(note('d'))).rejects.toThrow('no');
    expect([told, noted()]).toEqual([
      ['(', 'a', 'b', ')'],
      ['a', 'b', 'c'],
    ]);
  });

  test('split a very large number of requests, so that other work gets a turn', async () => {
    const { commits, note, noted } = openCommits();
    await Promise.all(Array.from({ length: 120 }, (_, index) => commits.now(note(`r${index}`))));
    expect(noted()).toHaveLength(120);
    expect(commits.stats().commits).toBe(3);
  });

  test('write pending work to disk on close', () => {
    const { commits, note, noted } = openCommits();
    commits.soon(note('a'));
    commits.close();
    expect(noted()).toEqual(['a']);
  });
});
