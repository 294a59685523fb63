const BIN_MS = 100;
const BINS = 1_300;
const MINUTE_MS = 60_000;

/** Accepted calls of the last two minutes, counted per tenth of a second. */
export class RecentCalls {
  readonly #counts = new Float64Array(BINS);
  #last = Number.NaN;

  add(nowMs: number): void {
    const bin = Math.floor(nowMs / BIN_MS);
    this.#advance(bin);
    this.#counts[bin % BINS] = this.#at(bin) + 1;
  }

  countSince(fromMs: number): number {
    let sum = 0;
    const first = Math.max(Math.floor(fromMs / BIN_MS), this.#last - BINS + 1);
    for (let bin = first; bin <= this.#last; bin += 1) sum += this.#at(bin);
    return sum;
  }

  /** Milliseconds until the average over the last minute is down to `perSecond`; 0 if it already is. */
  surplusMs(nowMs: number, perSecond: number): number {
    const bin = Math.floor(nowMs / BIN_MS);
    let missing = (perSecond * MINUTE_MS) / 1_000;
    for (let back = 0; back < MINUTE_MS / BIN_MS; back += 1) {
      if (bin - back <= this.#last) missing -= this.#at(bin - back);
      if (missing <= 0) return MINUTE_MS - back * BIN_MS;
    }
    return 0;
  }

  #advance(bin: number): void {
    if (Number.isNaN(this.#last) || bin - this.#last >= BINS) this.#counts.fill(0);
    else for (let next = this.#last + 1; next <= bin; next += 1) this.#counts[next % BINS] = 0;
    this.#last = Number.isNaN(this.#last) ? bin : Math.max(this.#last, bin);
  }

  #at(bin: number): number {
    return this.#counts[bin % BINS] ?? 0;
  }
}
