import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent, readEntries } from '../../../src/store/audit/audit-log.js';
import { keepAudit } from '../../../src/store/audit/keep-audit.js';
import { verifyChain } from '../../../src/store/audit/verify-chain.js';
import type { AuditRow } from '../../../src/store/state/audit-store.js';
import { sweep } from '../../depth.js';
import { changeOf, openTestStores } from '../../samples.js';

const MORE = {
  run: 'r1',
  at: '2026-11-20T08:00:00.000Z',
  calls: [],
  result: 'done',
  error: null,
  target: 'u1',
  approval: null,
} as const;

const START = Date.parse('2026-01-01T00:00:00.000Z');
/** The result of `verifyChain` for a complete log without erasures and removed entries. */
const WHOLE = { ok: true, erased: 0, checkpoint: null, known: null, broken: null };

/** A log with one entry per day, from the second of January 2026 on. */
function writeLog(count: number) {
  const stores = openTestStores();
  for (let i = 1; i <= count; i++) {
    const at = new Date(START + i * 86_400_000).toISOString();
    appendEntry(stores.audit, buildEntry(changeOf('users', `E${i}`), { ...MORE, at }));
  }
  return { stores, audit: stores.audit, file: join(stores.folder, 'state.db') };
}

/** Changes the table like someone with access to the file. */
function tamper(file: string, sql: string, ...values: readonly (string | number)[]): void {
  const sqlite = new Database(file);
  sqlite.prepare(sql).run(...values);
  sqlite.close();
}

describe('the audit chain', () => {
  sweep('verifies an empty log and a complete one of several pages', () => {
    expect(verifyChain(openTestStores().audit)).toEqual({ ...WHOLE, entries: 0, head: '0'.repeat(64) });
    const { audit } = writeLog(1_050);
    expect(verifyChain(audit)).toEqual({ ...WHOLE, entries: 1_050, head: audit.last()?.hash });
    expect([...readEntries(audit)].map(({ key }) => key)).toEqual(Array.from({ length: 1_050 }, (_, i) => `E${i + 1}`));
  });

  it('records in an entry the change, its reason, its approval, its calls and its outcome', () => {
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
      kind: 'change',
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

  it('gives two equal entries different commitments, so that no person can be guessed from one', () => {
    const { audit } = openTestStores();
    for (let i = 0; i < 2; i++) appendEntry(audit, buildEntry(changeOf('users', 'E1'), MORE));
    const [first, second] = [...audit.rows()];
    expect(first?.entry).toBe(second?.entry);
    expect(first?.commitment).not.toBe(second?.commitment);
  });

  it('accepts an erased salt and text only if an erasure explains them', () => {
    const { audit } = writeLog(5);
    audit.erase([2, 3, 5]);
    expect(verifyChain(audit).broken).toEqual({ seq: 2, reason: 'its text was removed without a recorded erasure' });
    const event = { kind: 'person erased', at: MORE.at, by: 'ops', erasure: 'e1', reason: 'case 7' } as const;
    appendEvent(audit, { ...event, erased: [[2, 3]], entries: 2, restated: 0 });
    expect(verifyChain(audit).broken).toMatchObject({ seq: 5 });
    appendEvent(audit, { ...event, erased: [[5, 5]], entries: 1, restated: 0 });
    expect(verifyChain(audit)).toMatchObject({ ok: true, entries: 7, erased: 3 });
    expect([...readEntries(audit)].map(({ seq }) => seq)).toEqual([1, 4]);
  });

  it('finds an entry with only its salt erased', () => {
    const { audit, file } = writeLog(3);
    tamper(file, 'UPDATE audit SET salt = NULL WHERE seq = 2');
    expect(verifyChain(audit).broken).toMatchObject({ seq: 2 });
  });

  it('verifies a log truncated at its end, but not against a head noted earlier', () => {
    const { audit, file } = writeLog(4);
    const { head } = verifyChain(audit);
    expect(verifyChain(audit, head)).toMatchObject({ ok: true, known: { head, seq: 4 } });
    appendEntry(audit, buildEntry(changeOf('users', 'E5'), MORE));
    expect(verifyChain(audit, head.slice(0, 12))).toMatchObject({ ok: true, known: { seq: 4 } });
    tamper(file, 'DELETE FROM audit WHERE seq >= 4');
    expect(verifyChain(audit)).toMatchObject({ ok: true, entries: 3 });
    const cut = verifyChain(audit, head);
    expect(cut).toMatchObject({ ok: false, known: null, broken: { seq: 3 } });
    expect(cut.broken?.reason).toContain('truncated or rewritten');
    // If the log has grown since, the missing number shows it even without a head.
    appendEntry(audit, buildEntry(changeOf('users', 'E6'), MORE));
    expect(verifyChain(audit).broken).toEqual({ seq: 6, reason: 'entry 4 is missing' });
  });

  it('finds an inserted entry, by its place or by the entry after it', () => {
    const { audit, file } = writeLog(3);
    tamper(file, 'UPDATE audit SET seq = 13 WHERE seq = 3');
    tamper(
      file,
      "INSERT INTO audit SELECT 3, salt, replace(entry, 'E2', 'E9'), commitment, hash FROM audit WHERE seq = 2",
    );
    tamper(file, 'UPDATE audit SET seq = 4 WHERE seq = 13');
    expect(verifyChain(audit).broken).toMatchObject({ seq: 3 });
  });

  describe('after the oldest entries were removed', () => {
    function writeShortened() {
      const log = writeLog(6);
      keepAudit(log.stores, 3 * 86_400_000, START + 7 * 86_400_000);
      return log;
    }
    const CHECKPOINT = "UPDATE facts SET value = json_set(value, '$.%s', ?) WHERE name = 'audit.checkpoint'";

    it('verifies from the checkpoint on and keeps growing', () => {
      const { audit } = writeShortened();
      expect([...readEntries(audit)].map(({ seq }) => seq)).toEqual([4, 5, 6]);
      const known = audit.find(4)?.hash ?? '';
      expect(verifyChain(audit, known)).toMatchObject({
        ok: true,
        entries: 4,
        checkpoint: { seq: 3 },
        known: { seq: 4 },
      });
      appendEntry(audit, buildEntry(changeOf('users', 'E7'), MORE));
      expect(verifyChain(audit)).toMatchObject({ ok: true, entries: 5 });
    });

    it('finds an edited or missing checkpoint, and entries removed without a record', () => {
      const edits: readonly [string, ...(string | number)[]][] = [
        [CHECKPOINT.replace('%s', 'seq'), 2],
        [CHECKPOINT.replace('%s', 'hash'), 'f'.repeat(64)],
        ["DELETE FROM facts WHERE name = 'audit.checkpoint'"],
        ['DELETE FROM audit WHERE seq = 4'],
      ];
      for (const [sql, ...values] of edits) {
        const { audit, file } = writeShortened();
        tamper(file, sql, ...values);
        expect([sql, verifyChain(audit).ok]).toEqual([sql, false]);
      }
      const { audit, file } = writeShortened();
      const { hash = '' } = audit.find(4) ?? {};
      tamper(file, CHECKPOINT.replace('%s', 'seq'), 4);
      tamper(file, CHECKPOINT.replace('%s', 'hash'), hash);
      tamper(file, 'DELETE FROM audit WHERE seq = 4');
      expect(verifyChain(audit).broken?.reason).toBe('the checkpoint before it differs from the one in the log');
    });
  });

  it('names the first entry that does not fit, and the reason', () => {
    const edits = [
      [
        "UPDATE audit SET entry = replace(entry, 'E2', 'E9') WHERE seq = 2",
        2,
        'its text does not match its commitment',
      ],
      ["UPDATE audit SET salt = 'x' WHERE seq = 2", 2, 'its text does not match its commitment'],
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

  it('finds an edit of any cell, the removal of any row but the last, and a swap of any two rows', () => {
    const { audit, file } = writeLog(6);
    const rows = [...audit.rows()];
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
