import type { HeardWord } from '../../mapping/cells-view.js';
import { cleanLine } from '../../model/clean-text.js';
import { NOTE } from '../../model/desired.js';
import { formatPlace } from '../../model/place.js';
import { plural } from '../../model/plural.js';
import { type CellNote, describeFooter, type SourceRecord } from '../../model/source.js';
import type { WorkStore } from '../../store/work/work-store.js';
import type { StreamRead } from './read-streams.js';

/**
 * At most this many rows with a note are read again in every run, so that each run reports them; above this number, a
 * count is a minimum.
 */
const MOST_READ_AGAIN = 400;
const WORDS_SHOWN = 3;

/** `kept`: a word that means "nothing" is in the place of a text. */
type NoteKind = CellNote['kind'] | 'kept';

interface ColumnNote {
  readonly kind: NoteKind;
  readonly from: string;
  readonly place: string;
  readonly words: Set<string>;
  rows: number;
}

/** Counts the ignored parts of cells, to report them once per column. */
export interface CellNotes {
  /** Returns true if the row has to be read in the next run too. */
  take(record: SourceRecord, heard: readonly HeardWord[]): boolean;
  tell(): void;
}

/** @param of the entity, or the enriching source */
export function createCellNotes(of: string, work: Pick<WorkStore, 'hold'>): CellNotes {
  const notes = new Map<string, ColumnNote>();
  let rows = 0;

  function count(kind: NoteKind, from: string, word: string, record: SourceRecord): void {
    const name = `${kind} ${from}`;
    const note = notes.get(name) ?? { kind, from, place: formatPlace(record.place), words: new Set<string>(), rows: 0 };
    notes.set(name, note);
    note.rows += 1;
    if (note.words.size < WORDS_SHOWN) note.words.add(word);
  }

  return {
    take(record, heard) {
      const { noted = [], place } = record;
      if (noted.length + heard.length === 0) return false;
      for (const { column, kind, text } of noted) count(kind, `${place.source}.${column}`, text, record);
      const words = new Map(heard.map(({ from, word }) => [from, word]));
      for (const [from, word] of words) count('kept', from, word, record);
      rows += 1;
      return rows <= MOST_READ_AGAIN;
    },
    tell() {
      for (const { kind, from, place, words, rows: count } of notes.values()) {
        const shown = [...words].map((word) => JSON.stringify(cleanLine(word).slice(0, 40))).join(', ');
        const number = count >= MOST_READ_AGAIN ? `at least ${count} rows` : plural(count, 'row');
        work.hold({
          entity: of,
          key: from,
          place,
          code: NOTE,
          field: from,
          about: `${kind} ${shown}`,
          ...SAID[kind](from, number, shown),
        });
      }
      notes.clear();
    },
  };
}

/** Reports the lines at the end of a file that were not read as rows, so that no record among them is overlooked. */
export function noteFooters(of: string, reads: readonly StreamRead[], work: Pick<WorkStore, 'hold'>): void {
  for (const { source, evidence } of reads) {
    if (evidence?.footer === undefined) continue;
    work.hold({
      entity: of,
      key: source,
      place: evidence.footer.at,
      code: NOTE,
      field: 'footer',
      reason: `${source}: ${describeFooter(evidence.footer)}.`,
      about: `${source} footer`,
      remedy: 'No action needed. If they are records, remove `footer: auto` from the source.',
    });
  }
}

const SAID: Readonly<
  Record<NoteKind, (from: string, rows: string, shown: string) => { readonly reason: string; readonly remedy: string }>
> = {
  hidden: (from, rows, shown) => ({
    reason: `${from}: invisible characters were removed in ${rows}, such as ${shown}.`,
    remedy: 'No action needed. They come from web pages and word processors; correct the source to end this note.',
  }),
  nothing: (from, rows, shown) => ({
    reason: `${from}: a word for nothing (${shown}) counts as an empty cell in ${rows}.`,
    remedy: `No action needed. \`empty: [${shown}]\` on the column says it explicitly, and ends this note.`,
  }),
  kept: (from, rows, shown) => ({
    reason: `${from}: a word for nothing (${shown}) is in the place of a value in ${rows}. The values in the service stay.`,
    remedy: `\`empty: [${shown}]\` on the column says that it means nothing, and ends this note; \`empty: []\` says that such words are values.`,
  }),
};
