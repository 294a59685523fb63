import { groupBy } from '../../model/group-by.js';
import type { Stores } from '../open-stores.js';
import type { AuditStore, Checkpoint } from '../state/audit-store.js';
import { appendEvent, parseRow } from './audit-log.js';
import { recordsDecided } from './decided-records.js';

/** Maximum number of entries removed per run, so that the daemon stays responsive. The next run removes more. */
const MOST_REMOVED = 10_000;

/**
 * Cleans up the log at the end of each run. It records and removes expired approvals, and removes entries older than
 * `keepMs` from the front of the log. A checkpoint replaces these entries, and a new entry confirms it.
 */
export function keepAudit(stores: Stores, keepMs: number | null, nowMs: number): void {
  const at = new Date(nowMs).toISOString();
  lapseApprovals(stores, at);
  lapseShortened(stores, at);
  if (keepMs !== null) expireEntries(stores, new Date(nowMs - keepMs).toISOString(), at);
}

function lapseApprovals({ state, audit, history }: Stores, at: string): void {
  state.transaction(() => {
    for (const [approval, given] of groupBy(history.lapsedApprovals(at), ({ id }) => id)) {
      const because = given.some(({ isShort }) => isShort) ? { because: SHORTENED } : {};
      const changes = given.map(({ changeId }) => changeId);
      for (const change of changes) history.spendApproval(change);
      const records = recordsDecided(audit, approval, changes);
      appendEvent(audit, { kind: 'approval lapsed', at, approval, changes, ...records, ...because });
    }
  });
}

/** Reason recorded when decisions made by versions before 0.3 end. This happens once. */
export const SHORTENED = 'an earlier version bound it to 12 digits of a digest; the complete digest is required now';

/** Ends acknowledgements and answers to questions that identify their object by only 48 bits. */
function lapseShortened({ state, audit, acknowledgements, outbox }: Stores, at: string): void {
  state.transaction(() => {
    const [holds, questions] = [acknowledgements.dropShortened(), outbox.dropShortened()];
    if (holds.length + questions.length === 0) return;
    appendEvent(audit, { kind: 'decisions lapsed', at, holds, questions, because: SHORTENED });
  });
}

function expireEntries({ state, audit }: Stores, before: string, at: string): void {
  state.transaction(() => {
    const last = findLastOlder(audit, before);
    if (last === null) return;
    const { seq, hash } = last;
    const removed = seq - (audit.checkpoint()?.seq ?? 0);
    // Recorded first, because a new entry continues from the last existing row.
    appendEvent(audit, { kind: 'entries expired', at, removed, checkpoint: { seq, hash } });
    audit.dropUpTo({ seq, hash, at });
  });
}

/**
 * Returns the last entry older than `before` at the front of the log. An erased entry has no time, so it is removed
 * only if an old entry follows it.
 */
function findLastOlder(audit: AuditStore, before: string): Omit<Checkpoint, 'at'> | null {
  let last: Omit<Checkpoint, 'at'> | null = null;
  let looked = 0;
  for (const row of audit.rows()) {
    looked += 1;
    if (looked > MOST_REMOVED) break;
    const line = parseRow(row);
    if (line === null) continue;
    if (line.at >= before) break;
    last = { seq: row.seq, hash: row.hash };
  }
  return last;
}
