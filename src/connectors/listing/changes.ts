import type { Clock } from '../../base/clock.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import type { ChangesSince } from './question.js';

/**
 * How to ask only for changes. Rows that come again are recognised by their ids. Some systems answer a filter that they do not
 * understand with 200 and no rows, or with all rows. So the row that changed last must come again; without it, the response does not
 * count.
 */
export interface ChangesRule {
  /** Everything is read again after this time. */
  readonly fullEveryMs: number;
  /**
   * Rows become visible late, and several may change in one moment: changes are asked for from this long before the newest known
   * change.
   */
  readonly overlapMs: number;
  /** When a row last changed; null if it does not say. */
  readTime(row: Json): RowTime | null;
  /** The link on the last page for the next changes; null if changes are asked for by time. */
  readonly readLink: ((last: Json) => string | null) | null;
}

export interface RowTime {
  readonly timeMs: number;
  /** The time as the system wrote it, if it compares texts; null: in our own format. */
  readonly text: string | null;
}

interface NewestRow extends RowTime {
  readonly id: string;
}

/** null if everything must be read: it is due, nothing is known yet, rows have no time, or no complete read has succeeded yet. */
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

/** Makes the next read a complete one, because the rows of the last read lack something. */
export function forgetPlace(rows: Pick<KnownRows, 'setMark'>): void {
  rows.setMark('newest', 'null');
  rows.setMark('link', '');
}

/** null for a mark of an earlier version: then everything is read. */
function readNewest(rows: KnownRows): NewestRow | null {
  const newest = JSON.parse(rows.mark('newest') ?? 'null') as Partial<NewestRow> | null;
  if (newest?.id === undefined || newest.timeMs === undefined) return null;
  return { id: newest.id, timeMs: newest.timeMs, text: newest.text ?? null };
}

/** Watches the rows of a read, and remembers which one changed last. */
export class Watch {
  readonly #startedAt: number;
  #newest: NewestRow | null = null;
  #isWitnessSeen: boolean;

  /** @param witness id of the row that an honest response has; null if none is expected */
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

  /** True if the row came that an honest response must have. */
  get isHonest(): boolean {
    return this.#isWitnessSeen;
  }

  /**
   * @param wholeAt the time of a complete read; null after a read of changes
   * @param last body of the last page
   */
  save(wholeAt: string | null, last: Json): void {
    const link = this.rule.readLink?.(last) ?? null;
    const newest = this.#newest;
    // A time in the future would hide every change until then, also in the provider's own format.
    const isToCome = newest !== null && newest.timeMs > this.#startedAt;
    const kept = isToCome ? { ...newest, timeMs: this.#startedAt, text: null } : newest;
    // A read without times gives nothing to start from, so the next one is complete again.
    if (wholeAt !== null || kept !== null) this.rows.setMark('newest', JSON.stringify(kept));
    if (wholeAt !== null || link !== null) this.rows.setMark('link', link ?? '');
    if (wholeAt !== null) this.rows.setMark('whole', wholeAt);
  }
}
