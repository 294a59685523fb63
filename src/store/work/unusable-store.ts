import { hasPhrase, isShort, joinCells, listShortWords, type RawRow, reduceCells } from '../../model/raw-text.js';
import type { Sqlite } from '../sqlite.js';

/** More than that is not kept of one stream: so much damage proves nothing about anybody (docs/decisions/0005). */
const MOST_ROWS = 20_000;
const MOST_CHARACTERS = 8_000_000;

export interface UnusableRow {
  /** Entity, or enriching source. */
  readonly of: string;
  readonly place: string;
  readonly raw: RawRow;
  /** Its own key cannot be trusted. */
  readonly isOpen: boolean;
}

/** What stands in the rows that a run could not use. */
export interface UnusableRows {
  keepUnusable(row: UnusableRow): void;
  /** The first of the rows in which one of the phrases stands (`listIdentities`); null where none does. */
  findUnusable(of: string, phrases: readonly string[]): string | null;
  /** Rows whose own key cannot be trusted. */
  openRows(of: string): readonly { readonly place: string; readonly raw: RawRow }[];
  isAnyUnusable(of: string): boolean;
  /** More came than are kept. */
  isTooMuchUnusable(of: string): boolean;
}

export const UNUSABLE_TABLES = `
  CREATE TEMP TABLE unusable (
    number INTEGER PRIMARY KEY, stream TEXT NOT NULL, place TEXT NOT NULL, open INTEGER NOT NULL, raw TEXT NOT NULL);
  CREATE INDEX temp.unusable_open ON unusable (stream) WHERE open = 1;
  CREATE VIRTUAL TABLE temp.unusable_texts USING fts5(text, tokenize = 'trigram case_sensitive 1');
  CREATE TEMP TABLE unusable_words (
    stream TEXT NOT NULL, word TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (stream, word)) WITHOUT ROWID;
  CREATE TEMP TABLE unusable_size (
    stream TEXT PRIMARY KEY, lines INTEGER NOT NULL, characters INTEGER NOT NULL) WITHOUT ROWID;
`;

export function createUnusableRows(sqlite: Sqlite): UnusableRows {
  const grow = sqlite.prepare<[string, number], { lines: number; characters: number }>(
    `INSERT INTO unusable_size VALUES (?, 1, ?) ON CONFLICT (stream) DO UPDATE SET
       lines = lines + 1, characters = characters + excluded.characters RETURNING lines, characters`,
  );
  const size = sqlite.prepare<[string], { lines: number; characters: number }>(
    'SELECT lines, characters FROM unusable_size WHERE stream = ?',
  );
  const keep = sqlite.prepare('INSERT INTO unusable (stream, place, open, raw) VALUES (?, ?, ?, ?)');
  const pending = sqlite.prepare<[], { number: number; stream: string; place: string; raw: string }>(
    `SELECT number, stream, place, raw FROM unusable
     WHERE number > (SELECT coalesce(max(rowid), 0) FROM unusable_texts) ORDER BY number LIMIT 500`,
  );
  const keepText = sqlite.prepare('INSERT INTO unusable_texts (rowid, text) VALUES (?, ?)');
  const keepWord = sqlite.prepare('INSERT OR IGNORE INTO unusable_words VALUES (?, ?, ?)');
  const search = sqlite.prepare<[string, string], { text: string; place: string }>(
    `SELECT t.text, u.place FROM unusable_texts t JOIN unusable u ON u.number = t.rowid
     WHERE unusable_texts MATCH ? AND u.stream = ?`,
  );
  const findWord = sqlite
    .prepare<[string, string], string>('SELECT place FROM unusable_words WHERE stream = ? AND word = ?')
    .pluck();
  const open = sqlite.prepare<[string], { place: string; raw: string }>(
    'SELECT place, raw FROM unusable WHERE stream = ? AND open = 1 ORDER BY number',
  );

  function isTooMuch({ lines, characters }: { readonly lines: number; readonly characters: number }): boolean {
    return lines > MOST_ROWS || characters > MOST_CHARACTERS;
  }

  /** Where nobody is missing no row is ever looked into. */
  const indexPending = sqlite.transaction(() => {
    for (let rows = pending.all(); rows.length > 0; rows = pending.all()) {
      for (const { number, stream, place, raw } of rows) {
        const cells = reduceCells(JSON.parse(raw) as RawRow);
        keepText.run(number, joinCells(cells));
        for (const word of listShortWords(cells)) keepWord.run(stream, word, place);
      }
    }
  });

  function findPhrase(of: string, phrase: string): string | null {
    if (isShort(phrase)) return findWord.get(of, phrase) ?? null;
    const found = search.all(`"${phrase}"`, of).find(({ text }) => hasPhrase(text, phrase));
    return found?.place ?? null;
  }

  return {
    keepUnusable({ of, place, raw, isOpen }) {
      const text = JSON.stringify(raw);
      if (isTooMuch(grow.get(of, text.length) ?? { lines: 0, characters: 0 })) return;
      keep.run(of, place, isOpen ? 1 : 0, text);
    },
    findUnusable(of, phrases) {
      indexPending();
      for (const phrase of phrases) {
        const place = findPhrase(of, phrase);
        if (place !== null) return place;
      }
      return null;
    },
    openRows: (of) => open.all(of).map(({ place, raw }) => ({ place, raw: JSON.parse(raw) as RawRow })),
    isAnyUnusable: (of) => size.get(of) !== undefined,
    isTooMuchUnusable: (of) => isTooMuch(size.get(of) ?? { lines: 0, characters: 0 }),
  };
}
