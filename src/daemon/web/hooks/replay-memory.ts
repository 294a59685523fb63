import { createHash } from 'node:crypto';

/** Six times the load of a thousand signed hooks per minute, each remembered for ten minutes. The memory takes about 10 MiB. */
const MOST = 65_536;

/** Remembers signed requests until they are too old to be accepted. When the memory is full, the oldest request is dropped. */
export class ReplayMemory {
  /** Digest of a request → time from which the request is too old; in order of arrival. */
  readonly #seen = new Map<string, number>();

  constructor(private readonly most = MOST) {}

  /** @returns false if the request was noted before */
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
