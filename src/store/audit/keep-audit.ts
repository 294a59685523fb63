import { groupBy } from '../../model/group-by.js';
import type { Stores } from '../open-stores.js';
import type { AuditStore, Checkpoint } from '../state/audit-store.js';
import { appendEvent, parseRow } from './audit-log.js';

/** Entries taken away at the end of one run at most, so that a daemon goes on answering; the next run goes on with it. */
const MOST_REMOVED = 10_000;

/**
 * Kept at the end of each run: approvals that ran out are recorded and dropped, and entries older than `keepMs` leave the
 * front of the log. A checkpoint takes their place, and an entry of the log vouches for it.
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
      appendEvent(audit, { kind: 'approval lapsed', at, approval, changes, ...because });
    }
  });
}

/** Why decisions of versions before 0.3 end, once. */
export const SHORTENED = 'an earlier version bound it to 12 digits of a digest; it takes the whole digest';

/** Acknowledgements, and answers to questions, that name what they are about by 48 bits. */
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
    // Recorded first: while rows are there, what is appended follows from the last of them.
    appendEvent(audit, { kind: 'entries expired', at, removed, checkpoint: { seq, hash } });
    audit.dropUpTo({ seq, hash, at });
  });
}

/** The last entry of the old stretch at the front. An erased one has no time: it goes once an older one follows it. */
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
