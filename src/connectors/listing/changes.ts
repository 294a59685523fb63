import type { Clock } from '../../base/clock.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import type { ChangesSince } from './question.js';

/**
 * The rules for asking only for changes. Repeated rows are recognised by their ids. Some systems answer 200 with no rows
 * or all rows if they do not understand a filter. So the response must contain the row that changed last; otherwise the
 * response does not count.
 */
export interface ChangesRule {
  /** The time after which everything is read again. */
  readonly fullEveryMs: number;
  /**
   * The time by which a request for changes goes back before the newest known change. Rows may appear late, and several
   * may change at the same moment.
   */
  readonly overlapMs: number;
  /** Reads the time of a row's last change; null if the row does not contain it. */
  readTime(row: Json): RowTime | null;
  /** Reads the link for the next changes from the last page; null if changes are requested by time. */
  readonly readLink: ((last: Json) => string | null) | null;
}

export interface RowTime {
  readonly timeMs: number;
  /** The time as written by the system, if the system compares times as texts; null for ISO 8601. */
  readonly text: string | null;
}

interface NewestRow extends RowTime {
  readonly id: string;
}

/**
 * Finds the point from which to ask for changes. Returns null if everything must be read because a complete read is due
 * or has never succeeded, or because no row or time is known.
 */
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

/** Makes the next read complete, because the rows of the last read are incomplete. */
export function forgetPlace(rows: Pick<KnownRows, 'setMark'>): void {
  rows.setMark('newest', 'null');
  rows.setMark('link', '');
}

/** Reads the newest known row. Returns null for a mark from an earlier version, so that everything is read. */
function readNewest(rows: KnownRows): NewestRow | null {
  const newest = JSON.parse(rows.mark('newest') ?? 'null') as Partial<NewestRow> | null;
  if (newest?.id === undefined || newest.timeMs === undefined) return null;
  return { id: newest.id, timeMs: newest.timeMs, text: newest.text ?? null };
}

/** Watches the rows of a read and remembers the row that changed last. */
export class Watch {
  readonly #startedAt: number;
  #newest: NewestRow | null = null;
  #isWitnessSeen: boolean;

  /** @param witness id of the row that a correct response must contain; null if no row is expected */
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

  /** True if the response contained the row that a correct response must contain. */
  get isHonest(): boolean {
    return this.#isWitnessSeen;
  }

  /**
   * @param wholeAt the time of a complete read; null after a read of changes
   * @param last the body of the last page
   */
  save(wholeAt: string | null, last: Json): void {
    const link = this.rule.readLink?.(last) ?? null;
    const newest = this.#newest;
    // A time in the future would hide every change until then, even in the provider's own format.
    const isToCome = newest !== null && newest.timeMs > this.#startedAt;
    const kept = isToCome ? { ...newest, timeMs: this.#startedAt, text: null } : newest;
    // A read without times gives no starting point, so the next read is complete again.
    if (wholeAt !== null || kept !== null) this.rows.setMark('newest', JSON.stringify(kept));
    if (wholeAt !== null || link !== null) this.rows.setMark('link', link ?? '');
    if (wholeAt !== null) this.rows.setMark('whole', wholeAt);
  }
}
