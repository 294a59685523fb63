import { parseRow } from '../store/audit/audit-log.js';
import { type OperationContext, withStores } from './with-stores.js';

/** Audit entries that may release a change (1) or hold it again (-1). */
const WORDS = new Map([
  ['approval given', 1],
  ['conflict resolved', 1],
  ['approval revoked', -1],
]);

export interface FoundDecision {
  /** The newest entry of the audit log; 0 if there is none. */
  readonly seq: number;
  /** Number of decisions after the known entry. */
  readonly decided: number;
  readonly revoked: number;
}

/** @param since a known entry of the audit log; null to return only the newest entry */
export function findDecisions(context: OperationContext, since: number | null): Promise<FoundDecision> {
  return withStores(context, ({ audit }) => {
    const seq = audit.last()?.seq ?? 0;
    let [decided, revoked] = [0, 0];
    for (const row of audit.rowsBefore(Number.MAX_SAFE_INTEGER)) {
      if (since === null || row.seq <= since) break;
      const word = WORDS.get(parseRow(row)?.kind ?? '') ?? 0;
      if (word > 0) decided += 1;
      if (word < 0) revoked += 1;
    }
    return { seq, decided, revoked };
  });
}
