import type { Clock } from '../../clock.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import type { ChangesSince } from './question.js';

export interface AskedSince extends ChangesSince {
  /** Id of the row that changed last before: an honest answer has it again. null where a link is asked with. */
  readonly witness: string | null;
  /** When everything was read last. */
  readonly wholeAt: string;
}

/** Sees the rows of a read go by, and remembers which changed last. */
export interface Watch {
  see(row: Json, id: string): void;
  /** Whether the row came that must be in an honest answer. */
  hasSeenWitness(): boolean;
  /** @param wholeAt of a whole read: when it was; null after a read of changes */
  save(wholeAt: string | null, link: string | null): void;
}

export interface Changes {
  /** null when everything has to be read: it is due, nothing is known yet, or rows carry no time. */
  since(): AskedSince | null;
  /** @param witness id of the row that an honest answer has; null where nothing is held to it */
  watch(witness: string | null): Watch;
}

/** How changes alone are asked for. */
export interface ChangesRule {
  /** Everything is read again after so long. */
  readonly fullEveryMs: number;
  /** By a link that the system gave, not by time. */
  readonly byLink: boolean;
  /** Rows become visible late, and several change in one moment: from so long before the newest change known. */
  readonly overlapMs: number;
  /** When a row changed last; null when it does not say. */
  readTime(row: Json): RowTime | null;
}

export interface RowTime {
  readonly timeMs: number;
  /** As the system wrote it, where it compares texts; null: in our words. */
  readonly text: string | null;
}

interface NewestRow extends RowTime {
  readonly id: string;
}

/**
 * Reads of changes alone. What comes again is recognised by its id. Some systems answer a filter that they do not understand with 200
 * and nobody, or with all: so who changed last must come again, and an answer without that row is no answer.
 *
 * @param rule null where every read is whole
 */
export function createChanges(rows: KnownRows, rule: ChangesRule | null, clock: Clock): Changes {
  return {
    since() {
      if (rule === null) return null;
      const [newest, wholeAt, link] = [readNewest(rows), rows.mark('whole'), rows.mark('link')];
      if (wholeAt === null || rows.count() === 0) return null;
      if (clock.now() - Date.parse(wholeAt) >= rule.fullEveryMs) return null;
      if (rule.byLink)
        return link === null || link === '' ? null : { timeMs: 0, text: 'the last read', link, witness: null, wholeAt };
      if (newest === null) return null;
      const timeMs = newest.timeMs - rule.overlapMs;
      return { timeMs, text: newest.text ?? new Date(timeMs).toISOString(), link: null, witness: newest.id, wholeAt };
    },
    watch: (witness) => watchRows(rows, rule, witness, clock.now()),
  };
}

/** Of a mark of an earlier version nothing is asked from: then everything is read. */
function readNewest(rows: KnownRows): NewestRow | null {
  const mark = rows.mark('newest');
  const newest = mark === null ? null : (JSON.parse(mark) as Partial<NewestRow> | null);
  if (newest?.id === undefined || newest.timeMs === undefined) return null;
  return { id: newest.id, timeMs: newest.timeMs, text: newest.text ?? null };
}

function watchRows(rows: KnownRows, rule: ChangesRule | null, witness: string | null, startedAt: number): Watch {
  let isWitnessSeen = false;
  let newest: NewestRow | null = null;
  return {
    see(row, id) {
      if (rule === null) return;
      isWitnessSeen ||= id === witness;
      const time = rule.readTime(row);
      if (time !== null && time.timeMs > (newest?.timeMs ?? Number.NEGATIVE_INFINITY)) newest = { id, ...time };
    },
    hasSeenWitness: () => isWitnessSeen,
    save(wholeAt, link) {
      if (rule === null) return;
      // A time to come would hide every change until then.
      const kept = newest === null ? null : { ...newest, timeMs: Math.min(newest.timeMs, startedAt) };
      // Of a read without times nothing can be asked from; the next one is whole again.
      if (wholeAt !== null || kept !== null) rows.setMark('newest', JSON.stringify(kept));
      if (wholeAt !== null || link !== null) rows.setMark('link', link ?? '');
      if (wholeAt !== null) rows.setMark('whole', wholeAt);
    },
  };
}
