import type { Acknowledgement, Hold, NamedHold } from '../../model/desired.js';
import { generalise, withoutRecord } from '../../model/hold-cause.js';
import { sha256 } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/**
 * Number of holds listed separately per cause. The others are summed up, because one unmapped country may hold 100,000
 * people.
 */
const LISTED_EACH = 1_000;
/** Maximum number of different texts per entity and code. Any further text counts under its code alone. */
const CAUSES_EACH = 50;
const EXAMPLES = 3;

export type HoldCauses = ReturnType<typeof createHoldCauses>;

interface Sum extends Pick<Hold, 'entity' | 'code' | 'place' | 'reason' | 'remedy'> {
  readonly cause: string;
  readonly field: string | null;
  readonly count: number;
  readonly keys: string;
}

export function createHoldCauses(sqlite: Sqlite) {
  const { all, any } = createStatements(sqlite);
  const counts = new Map<string, number>();
  const words = new Map<string, Set<string>>();
  let known: ReadonlyMap<string, Acknowledgement> = new Map();
  const isAny = any('SELECT 1 FROM held LIMIT 1');
  const sums = all<Sum>(
    `SELECT h.entity, h.code, h.cause, h.field, count(*) AS count, min(h.rowid) AS first, h.place, h.reason, h.remedy,
       (SELECT group_concat(key, ', ') FROM (SELECT key FROM held o WHERE o.listed = 0 AND o.entity = h.entity AND o.code = h.code
          AND o.cause = h.cause AND o.field IS h.field ORDER BY rowid LIMIT ${EXAMPLES})) AS keys
     FROM held h WHERE h.listed = 0 GROUP BY h.entity, h.code, h.cause, h.field ORDER BY h.entity, first`,
  );

  function causeOf(hold: Hold): string {
    const kind = `${hold.entity} ${hold.code}`;
    const seen = words.get(kind) ?? new Set();
    words.set(kind, seen);
    const said = withoutRecord(hold);
    // If every text differs, for example because it quotes the unreadable date, their common form is the cause.
    for (const cause of [said, generalise(said)]) {
      const most = cause === said ? CAUSES_EACH : 2 * CAUSES_EACH;
      if (seen.has(cause) || seen.size < most) return seen.add(cause) && cause;
    }
    return '';
  }

  return {
    /** Finds the cause that a hold shares with others, and decides if the hold is listed. */
    judge(hold: Hold): { readonly cause: string; readonly listed: boolean } {
      // A new run has begun, or the plan was discarded.
      if (!isAny()) {
        counts.clear();
        words.clear();
      }
      // Conflicts are always listed separately, because a person must decide on each.
      if (hold.conflict !== undefined) return { cause: withoutRecord(hold), listed: true };
      const cause = causeOf(hold);
      const name = `${hold.entity} ${hold.code} ${cause}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return { cause, listed: count <= LISTED_EACH };
    },
    /** Yields one hold per cause that sums up the holds that are not listed. */
    *sums(): Iterable<NamedHold> {
      for (const { entity, code, cause, field, count, place, reason, remedy, keys } of sums()) {
        const text = `${count} more are held for the same cause and not listed individually, such as ${keys}. The first of them: ${reason}`;
        const id = sha256(JSON.stringify([entity, code, cause, count]));
        const acknowledged = known.get(id);
        const alone = field === null ? {} : { field };
        const one: NamedHold = { id, entity, key: '*', place, code, reason: text, remedy, ...alone, cause, count };
        yield acknowledged === undefined ? one : { ...one, acknowledged };
      }
    },
    acknowledge: (inForce: ReadonlyMap<string, Acknowledgement>): void => {
      known = inForce;
    },
  };
}
