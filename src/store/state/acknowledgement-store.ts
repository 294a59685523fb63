import type { Acknowledgement } from '../../model/desired.js';
import type { Sqlite } from '../sqlite.js';

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
  const save = sqlite.prepare(
    'INSERT OR REPLACE INTO acknowledgements (hold, entity, key, who, reason, at, until) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const inForce = sqlite.prepare<[string], Acknowledgement & { hold: string }>(
    'SELECT hold, who, reason, until, at FROM acknowledgements WHERE until IS NULL OR until > ?',
  );
  const all = sqlite.prepare<[], string>('SELECT hold FROM acknowledgements ORDER BY hold').pluck();
  const forget = sqlite.prepare('DELETE FROM acknowledgements WHERE hold = ?');
  return {
    acknowledge: (a) => void save.run(a.hold, a.entity, a.key, a.who, a.reason, a.at, a.until),
    inForce: (now) => new Map(inForce.all(now).map(({ hold, ...one }) => [hold, one])),
    all: () => all.all(),
    forget: (hold) => forget.run(hold).changes > 0,
  };
}
