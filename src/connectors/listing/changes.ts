import type { Clock } from '../../base/clock.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import type { ChangesSince } from './question.js';

/**
 * How changes alone are asked for. What comes again is recognised by its id. Some systems answer a filter that they do not
 * understand with 200 and nobody, or with all: so the row that changed last must come again, and an answer without it is none.
 */
export interface ChangesRule {
  /** Everything is read again after so long. */
  readonly fullEveryMs: number;
  /** Rows become visible late, and several change in one moment: from so long before the newest change known. */
  readonly overlapMs: number;
  /** When a row changed last; null when it does not say. */
  readTime(row: Json): RowTime | null;
  /** The link on the last page that changes are asked with the next time; null where they are asked for by time. */
  readonly readLink: ((last: Json) => string | null) | null;
}

export interface RowTime {
  readonly timeMs: number;
  /** As the system wrote it, where it compares texts; null: in our words. */
  readonly text: string | null;
}

interface NewestRow extends RowTime {
  readonly id: string;
}

/** null when everything has to be read: it is due, nothing is known yet, rows carry no time, or the last whole read is yet to come. */
export function findSince(rows: KnownRows, rule: ChangesRule, clock: Clock): ChangesSince | null {
  const wholeAt = rows.mark('whole');
  if (wholeAt === null || rows.count() === 0) return null;
  const age = clock.now() - Date.parse(wholeAt);
  if (age < 0 || age >= rule.fullEveryMs) return null;
  if (rule.readLink !== null) {
    const link = rows.mark('link') ?? '';
    return link === '' ? null : { timeMs: 0, text: 'the last read', link, witness: null, wholeAt };
  }
  const newest = readNewest(rows);
  if (newest === null) return null;
  const timeMs = newest.timeMs - rule.overlapMs;
  return { timeMs, text: newest.text ?? new Date(timeMs).toISOString(), link: null, witness: newest.id, wholeAt };
}

/** The rows of the last read lack something: the next read is a complete one. */
export function forgetPlace(rows: Pick<KnownRows, 'setMark'>): void {
  rows.setMark('newest', 'null');
  rows.setMark('link', '');
}

/** Of a mark of an earlier version nothing is asked from: then everything is read. */
function readNewest(rows: KnownRows): NewestRow | null {
  const newest = JSON.parse(rows.mark('newest') ?? 'null') as Partial<NewestRow> | null;
  if (newest?.id === undefined || newest.timeMs === undefined) return null;
  return { id: newest.id, timeMs: newest.timeMs, text: newest.text ?? null };
}

/** Sees the rows of a read go by, and remembers which changed last. */
export class Watch {
  readonly #startedAt: number;
  #newest: NewestRow | null = null;
  #isWitnessSeen: boolean;

  /** @param witness id of the row that an honest answer has; null where nothing is held to it */
  constructor(
    private readonly rows: KnownRows,
    private readonly rule: ChangesRule,
    private readonly witness: string | null,
    clock: Clock,
  ) {
    this.#startedAt = clock.now();
    this.#isWitnessSeen = witness === null;
  }

  see(row: Json, id: string): void {
    this.#isWitnessSeen ||= id === this.witness;
    const time = this.rule.readTime(row);
    if (time !== null && time.timeMs > (this.#newest?.timeMs ?? Number.NEGATIVE_INFINITY))
      this.#newest = { id, ...time };
  }

  /** Whether the row came that must be in an honest answer. */
  get isHonest(): boolean {
    return this.#isWitnessSeen;
  }

  /**
   * @param wholeAt of a whole read: when it was; null after a read of changes
   * @param last body of the last page
   */
  save(wholeAt: string | null, last: Json): void {
    const link = this.rule.readLink?.(last) ?? null;
    const newest = this.#newest;
    // A time to come would hide every change until then, also in the provider's own words.
    const isToCome = newest !== null && newest.timeMs > this.#startedAt;
    const kept = isToCome ? { ...newest, timeMs: this.#startedAt, text: null } : newest;
    // Of a read without times nothing can be asked from; the next one is whole again.
    if (wholeAt !== null || kept !== null) this.rows.setMark('newest', JSON.stringify(kept));
    if (wholeAt !== null || link !== null) this.rows.setMark('link', link ?? '');
    if (wholeAt !== null) this.rows.setMark('whole', wholeAt);
  }
}
