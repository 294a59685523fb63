import { isShortenedDigest } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { acknowledgements } from './state-schema.js';

/** Stores holds that an operator knows of and leaves in place. Times are ISO 8601. */
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
    /** Acknowledgements in force at `now`, by hold id. */
    inForce: (now: string) =>
      new Map(inForce({ now }).map(({ hold, who, reason, until, at }) => [hold, { who, reason, until, at }])),
    /** Ids of the holds, including expired ones. */
    all: every,
    /** Deletes acknowledgements of versions before 0.3, which identify a hold by 48 bits; returns their hold ids. */
    dropShortened(): readonly string[] {
      const short = every().filter(isShortenedDigest);
      for (const hold of short) forget({ hold });
      return short;
    },
    /** Returns true if there was one. */
    forget: (hold: string) => forget({ hold }) > 0,
  };
}
