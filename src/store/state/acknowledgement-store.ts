import { isShortenedDigest } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { acknowledgements } from './state-schema.js';

/** Stores holds that an operator has acknowledged and left in place. Times are ISO 8601. */
export function createAcknowledgementStore(sqlite: Sqlite) {
  const { all, run, upsert, values } = createStatements(sqlite);
  const inForce = all<RowOf<typeof acknowledgements>>(
    `SELECT ${columnsOf(acknowledgements)} FROM acknowledgements WHERE until IS NULL OR until > $now`,
  );
  const forget = run('DELETE FROM acknowledgements WHERE hold = $hold');
  const every = values<string>('SELECT hold FROM acknowledgements ORDER BY hold');
  return {
    /** Replaces an acknowledgement of the same hold. */
    acknowledge: upsert(acknowledgements),
    /** The acknowledgements that apply at `now`, by hold id. */
    inForce: (now: string) =>
      new Map(inForce({ now }).map(({ hold, who, reason, until, at }) => [hold, { who, reason, until, at }])),
    /** The ids of all acknowledged holds, including expired acknowledgements. */
    all: every,
    /** Deletes acknowledgements of versions before 0.3, which identify a hold by 48 bits. Returns the ids of the holds. */
    dropShortened(): readonly string[] {
      const short = every().filter(isShortenedDigest);
      for (const hold of short) forget({ hold });
      return short;
    },
    /** Returns true if the hold was acknowledged. */
    forget: (hold: string) => forget({ hold }) > 0,
  };
}
