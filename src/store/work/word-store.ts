import type { Entity } from '../../model/entity.js';
import { formatPlace } from '../../model/place.js';
import type { SourceRecord } from '../../model/source.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** A new word in a text that `leaver.when` or `scope` compares with fixed words. */
export interface StrangeWord {
  readonly operand: string;
  readonly word: string;
}

export interface NotedWord {
  readonly operand: string;
  /** Null if the operand turned out to be free text. */
  readonly word: string | null;
  /** True if `leaver.when` reads the operand. */
  readonly isOfLeavers: boolean;
  /** The word in `leaver.when` that this word spells differently. */
  readonly respells: string | null;
}

interface FlipRow extends StrangeWord {
  readonly ref: string;
  readonly withheld: number;
  readonly approved: number;
}

/** Stores the new words that a run found. */
export function createWordStore(sqlite: Sqlite) {
  const { all, run, values } = createStatements(sqlite);
  const note = run(
    'INSERT OR IGNORE INTO strange_words VALUES ($entity, $key, $operand, $word, $isOfLeavers, $respells, $place)',
  );
  const words = all<StrangeWord & { readonly rows: number; readonly respells: string | null; readonly place: string }>(
    `SELECT operand, word, respells, count(*) AS rows, min(place) AS place FROM strange_words
     WHERE entity = $entity AND word IS NOT NULL GROUP BY operand, word ORDER BY operand, word`,
  );
  const free = values<string>('SELECT DISTINCT operand FROM strange_words WHERE entity = $entity AND word IS NULL');
  // An operand that only `scope` reads does not decide who has left.
  const flips = all<FlipRow>(
    `SELECT w.operand, w.word, p.ref, p.withheld_by IS NOT NULL AS withheld, p.approval IS NOT NULL AS approved
     FROM strange_words w JOIN planned p ON p.ref = w.entity || ':' || w.key
     WHERE w.entity = $entity AND w.word IS NOT NULL AND p.target IS NOT NULL
       AND (p.action IN ('deactivate', 'reactivate', 'delete') OR p.action = 'relink' AND json_extract(p.body, '$.after.deactivated') = 0)
       AND (w.of_leavers = 1 OR json_extract(p.body, '$.reason.kind') NOT IN ('left', 'gone'))
       AND NOT EXISTS (SELECT 1 FROM strange_words f WHERE f.entity = w.entity AND f.operand = w.operand AND f.word IS NULL)
     ORDER BY w.operand, w.word, p.ref`,
  );
  return {
    noteWord: (entity: Entity, { key, place }: Pick<SourceRecord, 'key' | 'place'>, word: NotedWord) =>
      void note({ entity, key, place: formatPlace(place), ...word, isOfLeavers: word.isOfLeavers ? 1 : 0 }),
    /** Each word with the number of its rows and the place of one of them. */
    strangeWords: (entity: Entity) => words({ entity }),
    freeTexts: (entity: Entity) => free({ entity }),
    /** Changes (`users:E17`) that deactivate, reactivate or delete an object while its row contains a new word. */
    flipsByWords: (entity: Entity) =>
      flips({ entity }).map(({ withheld, approved, ...flip }) => ({
        ...flip,
        waits: withheld === 1 && approved === 0,
        approved: approved === 1,
      })),
  };
}
