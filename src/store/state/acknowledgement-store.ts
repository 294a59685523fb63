import type { Acknowledgement } from '../../model/desired.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { acknowledgements } from './state-schema.js';

export interface StoredAcknowledgement extends Acknowledgement {
  /** Id of the hold. */
  readonly hold: string;
  readonly entity: string;
  readonly key: string;
}

/** Holds that somebody knows of and leaves as they are. Times are ISO 8601. */
export interface AcknowledgementStore {
  /** One of the same hold is replaced. */
  acknowledge(one: StoredAcknowledgement): void;
  /** What is in force at `now`, by the id of its hold. */
  inForce(now: string): ReadonlyMap<string, Acknowledgement>;
  /** Ids of the holds, those of a time that is over too. */
  all(): readonly string[];
  /** Answers whether there was one. */
  forget(hold: string): boolean;
}

export function createAcknowledgementStore(sqlite: Sqlite): AcknowledgementStore {
  const { all, run, upsert, values } = createStatements(sqlite);
  const save = upsert(acknowledgements);
  const inForce = all<RowOf<typeof acknowledgements>>(
    `SELECT ${columnsOf(acknowledgements)} FROM acknowledgements WHERE until IS NULL OR until > $now`,
  );
  const holds = values<string>('SELECT hold FROM acknowledgements ORDER BY hold');
  const forget = run('DELETE FROM acknowledgements WHERE hold = $hold');
  return {
    acknowledge: save,
    inForce: (now) =>
      new Map(inForce({ now }).map(({ hold, who, reason, until, at }) => [hold, { who, reason, until, at }])),
    all: holds,
    forget: (hold) => forget({ hold }) > 0,
  };
}
