import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendEntry, buildEntry, readEntries, verifyChain } from '../../src/audit/audit-log.js';
import type { AuditRow } from '../../src/store/audit-store.js';
import { changeOf, openTestStores } from '../samples.js';

const MORE = {
  run: 'r1',
  at: '2026-11-20T08:00:00.000Z',
  calls: [],
  result: 'done',
  error: null,
  target: 'u1',
  approval: null,
} as const;

function writeLog(count: number) {
  const stores = openTestStores();
  for (let i = 1; i <= count; i++) appendEntry(stores.audit, buildEntry(changeOf('users', `E${i}`), MORE));
  return { audit: stores.audit, file: join(stores.folder, 'state.db') };
}

/** Does to the table what somebody with the file in hand could do. */
function tamper(file: string, sql: string, ...values: readonly (string | number)[]): void {
  const sqlite = new Database(file);
  sqlite.prepare(sql).run(...values);
  sqlite.close();
}

describe('the audit chain', () => {
  it('an empty log and a whole one verify, pages and all', () => {
    expect(verifyChain(openTestStores().audit)).toEqual({ ok: true, entries: 0, head: '0'.repeat(64), broken: null });
    const { audit } = writeLog(1_050);
    expect(verifyChain(audit)).toEqual({ ok: true, entries: 1_050, head: audit.last()?.hash, broken: null });
    expect([...readEntries(audit)].map(({ key }) => key)).toEqual(Array.from({ length: 1_050 }, (_, i) => `E${i + 1}`));
  });

  it('an entry tells the change, why, who let it pass, the calls and the end', () => {
    const { audit } = openTestStores();
    const call = { call: 'PUT /api/v1/users/{user_id}', status: 200, request_id: 'q1' };
    const change = changeOf('users', 'E1', { before: { name: 'a' }, after: { name: 'b' } });
    appendEntry(
      audit,
      buildEntry(change, { ...MORE, calls: [call], approval: 'a1 by ops: why', result: 'not taken', error: 'x' }),
    );
    const [entry] = [...readEntries(audit)];
    expect(entry).toEqual({
      seq: 1,
      hash: audit.last()?.hash,
      run: 'r1',
      at: MORE.at,
      change: change.id,
      entity: 'users',
      action: 'create',
      key: 'E1',
      target: 'u1',
      label: 'E1',
      cause: { kind: 'joined', text: 'in hr, not in the service' },
      place: 'hr employees.csv:2',
      approval: 'a1 by ops: why',
      before: { name: 'a' },
      after: { name: 'b' },
      calls: [call],
      result: 'not taken',
      error: 'x',
    });
  });

  it('two equal entries have different commitments: nobody can guess a person from one', () => {
    const { audit } = openTestStores();
    for (let i = 0; i < 2; i++) appendEntry(audit, buildEntry(changeOf('users', 'E1'), MORE));
    const [first, second] = audit.page(0, 10);
    expect(first?.entry).toBe(second?.entry);
    expect(first?.commitment).not.toBe(second?.commitment);
  });

  it('salt and text of an entry can be erased: the chain still verifies, the entry is left out', () => {
    const { audit, file } = writeLog(3);
    tamper(file, 'UPDATE audit SET salt = NULL, entry = NULL WHERE seq = 2');
    expect(verifyChain(audit)).toMatchObject({ ok: true, entries: 3 });
    expect([...readEntries(audit)].map(({ seq }) => seq)).toEqual([1, 3]);
  });

  it('a log cut at its end verifies, with another head than the one that was noted', () => {
    const { audit, file } = writeLog(3);
    const { head } = verifyChain(audit);
    tamper(file, 'DELETE FROM audit WHERE seq = 3');
    expect(verifyChain(audit).ok).toBe(true);
    expect(verifyChain(audit).head).not.toBe(head);
  });

  it('names the first entry that does not fit, and why', () => {
    const edits = [
      [
        "UPDATE audit SET entry = replace(entry, 'E2', 'E9') WHERE seq = 2",
        2,
        'its text is not the one that was committed to',
      ],
      ["UPDATE audit SET salt = 'x' WHERE seq = 2", 2, 'its text is not the one that was committed to'],
      ["UPDATE audit SET commitment = 'x' WHERE seq = 2", 2, 'its hash does not follow from the entry before it'],
      ["UPDATE audit SET hash = 'x' WHERE seq = 2", 2, 'its hash does not follow from the entry before it'],
      ['DELETE FROM audit WHERE seq = 2', 3, 'entry 2 is missing'],
      ['DELETE FROM audit WHERE seq = 1', 2, 'entry 1 is missing'],
    ] as const;
    for (const [sql, seq, reason] of edits) {
      const { audit, file } = writeLog(4);
      tamper(file, sql);
      expect([sql, verifyChain(audit).broken]).toEqual([sql, { seq, reason }]);
    }
  });

  it('finds any edit of any cell, any row taken out but the last, any two rows swapped', () => {
    const { audit, file } = writeLog(6);
    const rows = audit.page(0, 10);
    const restore = (): void => {
      const sqlite = new Database(file);
      sqlite.exec('DELETE FROM audit');
      const insert = sqlite.prepare('INSERT INTO audit VALUES (@seq, @salt, @entry, @commitment, @hash)');
      for (const row of rows) insert.run(row);
      sqlite.close();
    };
    const CELLS = ['salt', 'entry', 'commitment', 'hash'] as const satisfies readonly (keyof AuditRow)[];
    const edit = fc.oneof(
      fc.record({
        kind: fc.constant('edit' as const),
        seq: fc.integer({ min: 1, max: 6 }),
        cell: fc.constantFrom(...CELLS),
        at: fc.nat(),
        by: fc.constantFrom('', 'x', 'xx'),
      }),
      fc.record({ kind: fc.constant('delete' as const), seq: fc.integer({ min: 1, max: 5 }) }),
      fc
        .record({
          kind: fc.constant('swap' as const),
          seq: fc.integer({ min: 1, max: 5 }),
          other: fc.integer({ min: 2, max: 6 }),
        })
        .filter(({ seq, other }) => seq < other),
    );
    fc.assert(
      fc.property(edit, (change) => {
        restore();
        expect(verifyChain(audit).ok).toBe(true);
        if (change.kind === 'delete') tamper(file, 'DELETE FROM audit WHERE seq = ?', change.seq);
        else if (change.kind === 'edit') {
          const text = String(rows[change.seq - 1]?.[change.cell]);
          const at = change.at % text.length;
          const edited = text.slice(0, at) + change.by + text.slice(at + 1);
          fc.pre(edited !== text);
          tamper(file, `UPDATE audit SET ${change.cell} = ? WHERE seq = ?`, edited, change.seq);
        } else {
          tamper(file, 'UPDATE audit SET seq = -1 WHERE seq = ?', change.seq);
          tamper(file, 'UPDATE audit SET seq = ? WHERE seq = ?', change.seq, change.other);
          tamper(file, 'UPDATE audit SET seq = ? WHERE seq = -1', change.other);
        }
        expect(verifyChain(audit).ok).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
