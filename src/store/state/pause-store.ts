import type { Pause } from '../../model/pause.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** Under this name it is in `facts`. */
export const PAUSE_FACT = 'pause';

/** Decisions that lapse, and which of them keep the time that they had left. */
const LAPSING = [
  { table: 'approvals', until: 'expires_at', of: '1' },
  // A person who declines during a pause names a date, and means it.
  { table: 'declines', until: 'until', of: 'at < $since' },
] as const;

/** The pause of the tenant. Meanwhile the clock of decisions stands still: their end moves with that of the pause. */
export function createPauseStore(sqlite: Sqlite) {
  const facts = createNamedValues(sqlite, 'facts');
  const { run } = createStatements(sqlite);
  const moves = LAPSING.map(({ table, until, of }) =>
    run(
      `UPDATE ${table} SET ${until} = strftime('%Y-%m-%dT%H:%M:%fZ', ${until}, $seconds || ' seconds') WHERE ${until} > $now AND (${of})`,
    ),
  );
  /** @param now ISO 8601 */
  function find(now: string): Pause | null {
    const text = facts.find(PAUSE_FACT);
    const pause = text === null ? null : (JSON.parse(text) as Pause);
    return pause !== null && pause.until > now ? pause : null;
  }
  function moveEnds(since: string, now: string, byMs: number): void {
    for (const move of moves) move({ since, now, seconds: (byMs / 1_000).toFixed(3) });
  }
  return {
    find,
    /** Also moves the end of one that is under way. To be called in a transaction. */
    begin(pause: Pause): void {
      const known = find(pause.at);
      const from = known?.until ?? pause.at;
      const at = known?.at ?? pause.at;
      moveEnds(at, pause.at, Date.parse(pause.until) - Date.parse(from));
      facts.set(PAUSE_FACT, JSON.stringify({ ...pause, at }));
    },
    /** To be called in a transaction. @returns the pause that ends; null where there was none */
    end(now: string): Pause | null {
      const known = find(now);
      if (known === null) return null;
      moveEnds(known.at, now, Date.parse(now) - Date.parse(known.until));
      facts.forget(PAUSE_FACT);
      return known;
    },
  };
}
