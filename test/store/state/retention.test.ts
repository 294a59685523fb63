import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { makeFolder, openTestStores } from '../../samples.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T10:00:00.000Z');

function iso(daysAgo: number): string {
  return new Date(NOW - daysAgo * DAY).toISOString();
}

it('removes old runs, reads and settled calls, and keeps those still needed, however old', () => {
  const folder = makeFolder();
  const stores = openTestStores(folder);
  const { history } = stores;
  const run = (id: string, daysAgo: number, exitCode: number): void => {
    history.startRun({ id, command: 'sync', startedAt: iso(daysAgo), configDigest: 'd' });
    history.endRun(id, { endedAt: iso(daysAgo), plan: null, exitCode, result: '{"held":[]}' });
  };
  run('good but old', 120, 0);
  run('broken and old', 110, 1);
  run('broken', 5, 1);
  const read = (source: string, daysAgo: number, complete: boolean): void => {
    const readAt = iso(daysAgo);
    const evidence = {
      source,
      delivery: `${source} ${daysAgo}`,
      kind: 'drop',
      at: readAt,
      readAt,
      rows: 1,
      rejected: 0,
      complete,
      digest: 'd',
    };
    history.recordRead('r', evidence as Parameters<typeof history.recordRead>[1]);
  };
  read('hr', 150, true);
  read('hr', 140, true);
  read('hr', 100, false);
  read('crm', 2, true);
  const sqlite = new Database(join(folder, 'state.db'));
  const journal = sqlite.prepare(
    "INSERT INTO journal (run, change_id, entity, key, step, change, at, status, outcome_at, observed) VALUES ('r', ?, 'users', 'E1', 'update', '{}', ?, ?, ?, NULL)",
  );
  journal.run('old', iso(100), 'done', iso(100));
  journal.run('old and open', iso(100), 'intent', null);
  journal.run('new', iso(1), 'done', iso(1));

  stores.forgetOld(NOW);
  const list = (sql: string): readonly unknown[] => sqlite.prepare(sql).pluck().all();
  expect(list('SELECT id FROM runs ORDER BY id')).toEqual(['broken', 'good but old']);
  expect(list('SELECT delivery FROM reads ORDER BY seq')).toEqual(['hr 140', 'crm 2']);
  expect(list('SELECT change_id FROM journal ORDER BY seq')).toEqual(['old and open', 'new']);
  expect(history.lastGoodRunAt()).toBe(iso(120));
  sqlite.close();
});

it('keeps the documents of the newest 200 runs, and only times and exit codes of older ones', () => {
  const stores = openTestStores();
  for (let index = 0; index < 205; index += 1) {
    const id = `r${String(index).padStart(3, '0')}`;
    const at = new Date(NOW + index * 1_000).toISOString();
    stores.history.startRun({ id, command: 'daemon', startedAt: at, configDigest: 'd' });
    stores.history.endRun(id, { endedAt: at, plan: null, exitCode: 0, result: '{}' });
  }
  stores.forgetOld(NOW);
  const runs = stores.history.lastRuns(300);
  expect(runs).toHaveLength(205);
  expect(runs.filter(({ result }) => result === null).map(({ id }) => id)).toEqual([
    'r004',
    'r003',
    'r002',
    'r001',
    'r000',
  ]);
});
