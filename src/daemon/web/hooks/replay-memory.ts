import { createHash } from 'node:crypto';

/** A thousand signed hooks per minute, each for ten minutes, six times over: some 10 MiB. */
const MOST = 65_536;

/** Knows signed requests again for as long as their time would let them in. The oldest makes room. */
export class ReplayMemory {
  /** Digest of a request → when it is too old to be let in; in the order in which they came. */
  readonly #seen = new Map<string, number>();

  constructor(private readonly most = MOST) {}

  /** @returns false where it has been noted before */
  note(what: string, { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number }): boolean {
    const key = createHash('sha256').update(what).digest('base64');
    if ((this.#seen.get(key) ?? Number.NEGATIVE_INFINITY) >= nowMs) return false;
    this.#seen.set(key, untilMs);
    for (const [oldest, until] of this.#seen) {
      if (until >= nowMs && this.#seen.size <= this.most) break;
      this.#seen.delete(oldest);
    }
    return true;
  }

  size(): number {
    return this.#seen.size;
  }
}
