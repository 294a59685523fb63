import { isShortenedDigest } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { acknowledgements } from './state-schema.js';

/** Holds that somebody knows of and leaves as they are. Times are ISO 8601. */
export function createAcknowledgementStore(sqlite: Sqlite) {
  const { all, run, upsert, values } = createStatements(sqlite);
  const inForce = all<RowOf<typeof acknowledgements>>(
    `SELECT ${columnsOf(acknowledgements)} FROM acknowledgements WHERE until IS NULL OR until > $now`,
  );
  const forget = run('DELETE FROM acknowledgements WHERE hold = $hold');
  const every = values<string>('SELECT hold FROM acknowledgements ORDER BY hold');
  return {
    /** One of the same hold is replaced. */
    acknowledge: upsert(acknowledgements),
    /** What is in force at `now`, by the id of its hold. */
    inForce: (now: string) =>
      new Map(inForce({ now }).map(({ hold, who, reason, until, at }) => [hold, { who, reason, until, at }])),
    /** Ids of the holds, those of a time that is over too. */
    all: every,
    /** Takes out those of versions before 0.3, which name a hold by 48 bits; answers their ids. */
    dropShortened(): readonly string[] {
      const short = every().filter(isShortenedDigest);
      for (const hold of short) forget({ hold });
      return short;
    },
    /** Answers whether there was one. */
    forget: (hold: string) => forget({ hold }) > 0,
  };
}
