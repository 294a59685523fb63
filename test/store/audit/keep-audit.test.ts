import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent } from '../../../src/store/audit/audit-log.js';
import { keepAudit } from '../../../src/store/audit/keep-audit.js';
import { readLog } from '../../../src/store/audit/read-log.js';
import { verifyChain } from '../../../src/store/audit/verify-chain.js';
import { sweep } from '../../depth.js';
import { changeOf, openTestStores } from '../../samples.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const iso = (daysAgo: number): string => new Date(NOW - daysAgo * DAY).toISOString();

function openLog(ages: readonly number[]) {
  const stores = openTestStores();
  const more = { run: 'r1', calls: [], result: 'done', error: null, target: 'u1', approval: null } as const;
  for (const [index, age] of ages.entries())
    appendEntry(stores.audit, buildEntry(changeOf('users', `E${index + 1}`), { ...more, at: iso(age) }));
  return stores;
}

function list({ audit }: ReturnType<typeof openTestStores>): readonly string[] {
  return [...readLog(audit)].map(({ seq, kind }) => `${seq} ${kind}`);
}

describe('entries older than audit.keep', () => {
  it('are removed from the front of the log, and an entry records their removal', () => {
    const stores = openLog([40, 35, 20, 1]);
    keepAudit(stores, 30 * DAY, NOW);
    expect(list(stores)).toEqual(['3 change', '4 change', '5 entries expired']);
    expect([...readLog(stores.audit)].at(-1)).toMatchObject({ removed: 2, checkpoint: { seq: 2 } });
    // No other entry is old, so nothing is written.
    keepAudit(stores, 30 * DAY, NOW + DAY);
    expect(stores.audit.count()).toBe(3);
    // The entry that explains one checkpoint may be removed once the next one has its own.
    keepAudit(stores, 30 * DAY, NOW + 100 * DAY);
    expect(list(stores)).toEqual(['6 entries expired']);
    expect(verifyChain(stores.audit)).toMatchObject({ ok: true, checkpoint: { seq: 5 } });
  });

  it('stay indefinitely without a limit', () => {
    const stores = openLog([4_000, 1]);
    keepAudit(stores, null, NOW);
    expect(stores.audit.count()).toBe(2);
  });

  it('include erased entries, which have no time, if an old entry follows them', () => {
    const stores = openLog([40, 39, 38, 37, 1]);
    const event = { kind: 'person erased', at: iso(0), by: 'ops', erasure: 'e1', reason: 'case 7' } as const;
    stores.audit.erase([1, 2, 4]);
    appendEvent(stores.audit, {
      ...event,
      erased: [
        [1, 2],
        [4, 4],
      ],
      entries: 3,
      restated: 0,
    });
    keepAudit(stores, 30 * DAY, NOW);
    expect(list(stores)).toEqual(['4 erased', '5 change', '6 person erased', '7 entries expired']);
    expect(verifyChain(stores.audit)).toMatchObject({ ok: true, erased: 1 });
  });

  it('stay behind a young entry, even if a clock was set back later', () => {
    const stores = openLog([40, 1, 40]);
    keepAudit(stores, 30 * DAY, NOW);
    expect(list(stores)).toEqual(['2 change', '3 change', '4 entries expired']);
  });

  sweep('are removed in parts, so that a daemon keeps answering', () => {
    const stores = openTestStores();
    const more = { run: 'r1', calls: [], result: 'done', error: null, target: 'u1', approval: null } as const;
    stores.state.transaction(() => {
      for (let index = 0; index < 10_050; index += 1)
        appendEntry(stores.audit, buildEntry(changeOf('users', `E${index}`), { ...more, at: iso(40) }));
    });
    keepAudit(stores, 30 * DAY, NOW);
    expect(stores.audit.count()).toBe(51);
    keepAudit(stores, 30 * DAY, NOW);
    expect(verifyChain(stores.audit)).toMatchObject({ ok: true, entries: 2, checkpoint: { seq: 10_050 } });
  });

  it('leave no text in the file', () => {
    const stores = openLog([40, 1]);
    const file = join(stores.folder, 'state.db');
    const holds = (): boolean => {
      const sqlite = new Database(file);
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
      sqlite.close();
      return readFileSync(file).includes('"key":"E1"');
    };
    expect(holds()).toBe(true);
    keepAudit(stores, 30 * DAY, NOW);
    expect(holds()).toBe(false);
  });
});

describe('expired approvals', () => {
  const approval = { id: 'a1', guard: 'users.deactivate', who: 'ops', reason: 'case 7', at: iso(3) };

  it('are reported once per approval and removed, while active ones stay', () => {
    const stores = openTestStores();
    stores.history.approve([
      { ...approval, changeId: 'c1', expiresAt: iso(1) },
      { ...approval, changeId: 'c2', expiresAt: iso(1) },
      { ...approval, id: 'a2', changeId: 'c3', expiresAt: iso(-1) },
    ]);
    keepAudit(stores, null, NOW);
    keepAudit(stores, null, NOW);
    expect([...readLog(stores.audit)]).toMatchObject([
      { kind: 'approval lapsed', approval: 'a1', changes: ['c1', 'c2'] },
    ]);
    expect([...stores.history.approvalsAt(iso(10)).keys()]).toEqual(['c3']);
  });
});
