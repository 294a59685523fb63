import { hasPhrase, isShort, joinCells, listShortWords, type RawRow, reduceCells } from '../../model/raw-text.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/**
 * Maximum number of unusable rows kept per stream. With more damage, a source proves nothing about anyone
 * (docs/engineering/decisions/0005).
 */
const MOST_ROWS = 20_000;
const MOST_CHARACTERS = 8_000_000;

export interface UnusableRow {
  /** An entity, or an enriching source. */
  readonly of: string;
  readonly place: string;
  readonly raw: RawRow;
  /**
   * `open`: the key cannot be trusted. `keyed`: the key can be trusted. `leaving`: the row says that the person has
   * left. `named`: the row has no key, but names the person.
   */
  readonly kind: 'open' | 'keyed' | 'leaving' | 'named';
}

/** Stores the content of rows that a run could not use. */
export type UnusableRows = ReturnType<typeof createUnusableRows>;

export const UNUSABLE_TABLES = `
  CREATE TEMP TABLE unusable (
    number INTEGER PRIMARY KEY, stream TEXT NOT NULL, place TEXT NOT NULL, kind TEXT NOT NULL, raw TEXT NOT NULL);
  CREATE INDEX temp.unusable_open ON unusable (stream) WHERE kind = 'open';
  CREATE VIRTUAL TABLE temp.unusable_texts USING fts5(text, tokenize = 'trigram case_sensitive 1');
  CREATE TEMP TABLE unusable_words (
    stream TEXT NOT NULL, word TEXT NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL,
    PRIMARY KEY (stream, word, kind)) WITHOUT ROWID;
  CREATE TEMP TABLE unusable_size (
    stream TEXT PRIMARY KEY, lines INTEGER NOT NULL, characters INTEGER NOT NULL) WITHOUT ROWID;
`;

/** The kinds to search, by the kinds to leave out. */
const KINDS_BESIDES = { none: 'open keyed leaving named', leaving: 'open keyed named', keyed: 'open named' } as const;

interface Size {
  readonly lines: number;
  readonly characters: number;
}

const NOTHING: Size = { lines: 0, characters: 0 };

function isTooMuch({ lines, characters }: Size): boolean {
  return lines > MOST_ROWS || characters > MOST_CHARACTERS;
}

export function createUnusableRows(sqlite: Sqlite) {
  const { all, one, run } = createStatements(sqlite);
  const grow = one<Size>(
    `INSERT INTO unusable_size VALUES ($of, 1, $characters) ON CONFLICT (stream) DO UPDATE SET
       lines = lines + 1, characters = characters + excluded.characters RETURNING lines, characters`,
  );
  const size = one<Size>('SELECT lines, characters FROM unusable_size WHERE stream = $of');
  const keep = run('INSERT INTO unusable (stream, place, kind, raw) VALUES ($of, $place, $kind, $raw)');
  const open = all<{ place: string; raw: string }>(
    `SELECT place, raw FROM unusable WHERE stream = $of AND kind = 'open' ORDER BY number`,
  );
  return {
    keepUnusable({ of, place, raw: cells, kind }: UnusableRow): void {
      const raw = JSON.stringify(cells);
      if (isTooMuch(grow({ of, characters: raw.length }) ?? NOTHING)) return;
      keep({ of, place, raw, kind });
    },
    /**
     * Finds the first row that contains one of the phrases (`listIdentities`); null if there is none. It can leave out
     * rows of people who have left, or all rows with a valid key.
     */
    findUnusable: createSearch(sqlite),
    /** Rows with a key that cannot be trusted. */
    openRows: (of: string) => open({ of }).map(({ place, raw }) => ({ place, raw: JSON.parse(raw) as RawRow })),
    isAnyUnusable: (of: string) => size({ of }) !== null,
    /** True if there are more unusable rows than are kept. */
    isTooMuchUnusable: (of: string) => isTooMuch(size({ of }) ?? NOTHING),
  };
}

function createSearch(sqlite: Sqlite) {
  const { all, run, value } = createStatements(sqlite);
  const pending = all<{ number: number; stream: string; kind: string; place: string; raw: string }>(
    `SELECT number, stream, kind, place, raw FROM unusable
     WHERE number > (SELECT coalesce(max(rowid), 0) FROM unusable_texts) ORDER BY number LIMIT 500`,
  );
  const keepText = run('INSERT INTO unusable_texts (rowid, text) VALUES ($number, $text)');
  const keepWord = run('INSERT OR IGNORE INTO unusable_words VALUES ($stream, $word, $kind, $place)');
  const search = all<{ text: string; place: string }>(
    `SELECT t.text, u.place FROM unusable_texts t JOIN unusable u ON u.number = t.rowid
     WHERE unusable_texts MATCH $phrase AND u.stream = $of AND instr($kinds, u.kind) > 0`,
  );
  const findWord = value<string>(
    'SELECT place FROM unusable_words WHERE stream = $of AND word = $phrase AND instr($kinds, kind) > 0',
  );

  /** Indexes rows at the first search. If nobody is missing, no row is ever searched. */
  const indexPending = sqlite.transaction(() => {
    for (let rows = pending(); rows.length > 0; rows = pending()) {
      for (const { number, stream, kind, place, raw } of rows) {
        const cells = reduceCells(JSON.parse(raw) as RawRow);
        keepText({ number, text: joinCells(cells) });
        for (const word of listShortWords(cells)) keepWord({ stream, word, kind, place });
      }
    }
  });

  function findPhrase(of: string, phrase: string, kinds: string): string | null {
    if (isShort(phrase)) return findWord({ of, phrase, kinds });
    const found = search({ of, phrase: `"${phrase}"`, kinds }).find(({ text }) => hasPhrase(text, phrase));
    return found?.place ?? null;
  }

  return (of: string, phrases: readonly string[], besides: 'leaving' | 'keyed' | null = null): string | null => {
    const kinds = KINDS_BESIDES[besides ?? 'none'];
    indexPending();
    for (const phrase of phrases) {
      const place = findPhrase(of, phrase, kinds);
      if (place !== null) return place;
    }
    return null;
  };
}
