import { hasPhrase, isShort, listShortWords, type RawRow, reduceRow } from '../model/raw-text.js';
import type { Sqlite } from './sqlite.js';

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
  CREATE VIRTUAL TABLE temp.unusable USING fts5(
    text, stream UNINDEXED, place UNINDEXED, tokenize = 'trigram case_sensitive 1');
  CREATE TEMP TABLE unusable_words (
    stream TEXT NOT NULL, word TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (stream, word)) WITHOUT ROWID;
  CREATE TEMP TABLE unusable_open (stream TEXT NOT NULL, place TEXT NOT NULL, raw TEXT NOT NULL);
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
  const keep = sqlite.prepare('INSERT INTO temp.unusable (text, stream, place) VALUES (?, ?, ?)');
  const keepWord = sqlite.prepare('INSERT OR IGNORE INTO unusable_words VALUES (?, ?, ?)');
  const keepOpen = sqlite.prepare('INSERT INTO unusable_open VALUES (?, ?, ?)');
  const search = sqlite.prepare<[string, string], { text: string; place: string }>(
    'SELECT text, place FROM temp.unusable WHERE unusable MATCH ? AND stream = ?',
  );
  const findWord = sqlite
    .prepare<[string, string], string>('SELECT place FROM unusable_words WHERE stream = ? AND word = ?')
    .pluck();
  const open = sqlite.prepare<[string], { place: string; raw: string }>(
    'SELECT place, raw FROM unusable_open WHERE stream = ? ORDER BY rowid',
  );

  function isTooMuch({ lines, characters }: { readonly lines: number; readonly characters: number }): boolean {
    return lines > MOST_ROWS || characters > MOST_CHARACTERS;
  }

  function findPhrase(of: string, phrase: string): string | null {
    if (isShort(phrase)) return findWord.get(of, phrase) ?? null;
    const found = search.all(`"${phrase}"`, of).find(({ text }) => hasPhrase(text, phrase));
    return found?.place ?? null;
  }

  return {
    keepUnusable({ of, place, raw, isOpen }) {
      const text = reduceRow(raw);
      if (isTooMuch(grow.get(of, text.length) ?? { lines: 0, characters: 0 })) return;
      keep.run(text, of, place);
      for (const word of listShortWords(raw)) keepWord.run(of, word, place);
      if (isOpen) keepOpen.run(of, place, JSON.stringify(raw));
    },
    findUnusable(of, phrases) {
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
