import type { Clock } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import type { Anchor, Due } from '../../config/schedule/due.js';
import { openStores } from '../../store/open-stores.js';
import type { HistoryStore } from '../../store/state/history-store.js';
import { Pauses } from './pauses.js';
import { createDueFinder, scheduleOf } from './schedule-of.js';

/** Key of the schedule's anchor in state.db. */
const ANCHOR = 'schedule';

/** When a tenant runs, given its schedule, its position in that schedule and its pauses. */
export class Slots {
  readonly #clock: Clock;
  readonly #pausedUntilMs: () => number;
  readonly #pauses: Pauses;
  readonly #dueOf: ReturnType<typeof createDueFinder>;
  readonly #sinceMs: number;
  #anchor: Anchor | null = null;
  #nextMs: number | null = null;
  #passedMs: number | null = null;

  /** @param pausedUntilMs end of a pause ordered by a person, in milliseconds since the epoch; 0 for no pause */
  constructor(tenant: string, clock: Clock, pausedUntilMs: () => number = () => 0) {
    this.#clock = clock;
    this.#pausedUntilMs = pausedUntilMs;
    this.#pauses = new Pauses(clock);
    this.#dueOf = createDueFinder(tenant, clock);
    this.#sinceMs = clock.now();
  }

  /**
   * Opens a state. A schedule that is new to the state counts from the start of this tenant, even if others have held the
   * state since then.
   */
  open(config: Config, history: HistoryStore): void {
    const { every, timezone } = scheduleOf(config);
    this.reread(history);
    const from = this.#anchor ?? { every, timezone, atMs: this.#sinceMs };
    this.#anchor = from;
    const { slotMs, anchor } = this.find(config);
    this.save(history, slotMs === null ? anchor : from);
  }

  /** @returns false if the state has no anchor */
  reread(history: HistoryStore): boolean {
    const text = history.fact(ANCHOR);
    this.#anchor = text === null ? null : (JSON.parse(text) as Anchor);
    return this.#anchor !== null;
  }

  save(history: HistoryStore, anchor: Anchor): void {
    history.setFact(ANCHOR, JSON.stringify(anchor));
    this.#anchor = anchor;
  }

  /** Finds what is due now, and notes when the next run starts. */
  find(config: Config): Due {
    const due = this.#dueOf(config, this.#anchor);
    this.#nextMs = due.nextMs === null ? null : Math.max(due.nextMs, this.#restsUntilMs());
    return due;
  }

  /** The slot that is due, or the next one, in milliseconds since the epoch. */
  findOpen(config: Config): number | null {
    const { slotMs } = this.find(config);
    return slotMs === null ? this.#nextMs : Math.max(slotMs, this.#restsUntilMs());
  }

  #restsUntilMs(): number {
    return Math.max(this.#pauses.untilMs(), this.#pausedUntilMs());
  }

  /** True while the tenant is paused, or while the service or a source is down. Neither slots nor signals then start a run. */
  isPausing(): boolean {
    return this.#pauses.isPausing() || this.#pausedUntilMs() > this.#clock.now();
  }

  /** True once for each slot within a pause ordered by a person. */
  passesSlot(config: Config): boolean {
    if (this.#pausedUntilMs() <= this.#clock.now()) return false;
    const { slotMs } = this.find(config);
    const isNew = slotMs !== null && slotMs !== this.#passedMs;
    this.#passedMs = slotMs ?? this.#passedMs;
    return isNew;
  }

  isDue(config: Config): boolean {
    const { slotMs, anchor } = this.find(config);
    if (slotMs !== null) return !this.isPausing();
    // The schedule was edited or the clock was set back. Save the new anchor, so that the next process finds it.
    if (anchor !== this.#anchor) {
      const stores = openStores(config.state);
      this.save(stores.history, anchor);
      stores.close();
    }
    return false;
  }

  /** Notes that a run failed before it could save anything. The next slot tries again. */
  skip(config: Config): void {
    this.#anchor = this.#dueOf(config, this.#anchor).anchor;
  }

  /** @returns the pause that begins, with its end in milliseconds since the epoch; null if none begins */
  noteAway(isAway: boolean): { readonly runs: number; readonly untilMs: number } | null {
    this.#pauses.note(isAway);
    const [runs, untilMs] = [this.#pauses.inARow(), this.#pauses.untilMs()];
    return isAway && untilMs > (this.#nextMs ?? 0) ? { runs, untilMs } : null;
  }

  /** Takes over the count of failed runs from another daemon. */
  follow(awayInARow: number): void {
    this.#pauses.follow(awayInARow);
  }

  awayInARow(): number {
    return this.#pauses.inARow();
  }

  /** Takes over the time of the next run from another daemon. */
  announce(nextMs: number | null): void {
    this.#nextMs = nextMs;
  }

  nextMs(): number | null {
    return this.#nextMs;
  }

  isTime(): boolean {
    return this.#nextMs !== null && this.#nextMs <= this.#clock.now();
  }
}
