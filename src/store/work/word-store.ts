import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** A word that nobody has seen before, in a text that `leaver.when` or `scope` compares with fixed words. */
export interface StrangeWord {
  readonly operand: string;
  readonly word: string;
}

interface FlipRow extends StrangeWord {
  readonly ref: string;
  readonly withheld: number;
  readonly approved: number;
}

/** The new words of a run. */
export function createWordStore(sqlite: Sqlite) {
  const { all, run, values } = createStatements(sqlite);
  const note = run('INSERT OR IGNORE INTO strange_words VALUES ($entity, $key, $operand, $word)');
  const words = all<StrangeWord & { readonly rows: number }>(
    `SELECT operand, word, count(*) AS rows FROM strange_words WHERE entity = $entity AND word IS NOT NULL
     GROUP BY operand, word ORDER BY operand, word`,
  );
  const free = values<string>('SELECT DISTINCT operand FROM strange_words WHERE entity = $entity AND word IS NULL');
  const flips = all<FlipRow>(
    `SELECT w.operand, w.word, p.ref, p.withheld_by IS NOT NULL AS withheld, p.approval IS NOT NULL AS approved
     FROM strange_words w JOIN planned p ON p.ref = w.entity || ':' || w.key
     WHERE w.entity = $entity AND w.word IS NOT NULL AND p.target IS NOT NULL
       AND (p.action IN ('deactivate', 'reactivate', 'delete') OR p.action = 'relink' AND json_extract(p.body, '$.after.deactivated') = 0)
       AND NOT EXISTS (SELECT 1 FROM strange_words f WHERE f.entity = w.entity AND f.operand = w.operand AND f.word IS NULL)
     ORDER BY w.operand, w.word, p.ref`,
  );
  return {
    /** A row has it; with `null` the operand turned out to be free text. */
    noteWord: (entity: Entity, key: string, operand: string, word: string | null) =>
      void note({ entity, key, operand, word }),
    /** Each with the rows that have it. */
    strangeWords: (entity: Entity) => words({ entity }),
    freeTexts: (entity: Entity) => free({ entity }),
    /** Changes (`users:E17`) that take an object out of use, into use or away while their row has a new word. */
    flipsByWords: (entity: Entity) =>
      flips({ entity }).map(({ withheld, approved, ...flip }) => ({
        ...flip,
        waits: withheld === 1 && approved === 0,
        approved: approved === 1,
      })),
  };
}
