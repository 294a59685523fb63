import type { Pause } from '../../model/pause.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** The name of the pause in `facts`. */
export const PAUSE_FACT = 'pause';

/** Decisions that expire. `of` selects the decisions whose remaining time is kept. */
const LAPSING = [
  { table: 'approvals', until: 'expires_at', of: '1' },
  // A date given in a decline during the pause stays unchanged.
  { table: 'declines', until: 'until', of: 'at < $since' },
] as const;

/** Stores the tenant's pause. A pause also stops the clock for decisions: each expires later, by the length of the pause. */
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
    /** Begins a pause, or moves the end of a current one. Call it in a transaction. */
    begin(pause: Pause): void {
      const known = find(pause.at);
      const from = known?.until ?? pause.at;
      const at = known?.at ?? pause.at;
      moveEnds(at, pause.at, Date.parse(pause.until) - Date.parse(from));
      facts.set(PAUSE_FACT, JSON.stringify({ ...pause, at }));
    },
    /** Ends the pause. Call it in a transaction. @returns the pause that ended; null if there was none */
    end(now: string): Pause | null {
      const known = find(now);
      if (known === null) return null;
      moveEnds(known.at, now, Date.parse(now) - Date.parse(known.until));
      facts.forget(PAUSE_FACT);
      return known;
    },
  };
}
