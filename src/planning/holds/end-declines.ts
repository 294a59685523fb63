import { groupBy } from '../../model/group-by.js';
import { appendEvent } from '../../store/audit/audit-log.js';
import { recordsDecided } from '../../store/audit/decided-records.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';

/** Why a decline has ended without a decision. */
export type DeclineEnd = 'source changed' | 'date came';

/** Removes ended declines from the state, and records them in the audit with their changes, once per decision. */
export function endDeclines(
  { declines, audit, heldChanges }: Pick<Stores, 'declines' | 'audit' | 'heldChanges'>,
  over: readonly StoredDecline[],
  because: DeclineEnd,
  at: string,
): void {
  declines.end(over);
  for (const { scope, key, id } of over) heldChanges.forgetReleased(scope, key, id);
  for (const [decline, of] of groupBy(over, ({ id }) => id)) {
    const { who, reason, until, plan } = of[0];
    const changes = [...new Set(of.map(({ changeId }) => changeId))];
    const left = declines.ofId(decline).length;
    const told = { at, decline, because, by: who, reason, until, plan, changes, left };
    appendEvent(audit, { kind: 'decline ended', ...told, ...recordsDecided(audit, decline, changes) });
  }
}
