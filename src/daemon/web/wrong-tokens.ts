import { setTimeout as sleep } from 'node:timers/promises';
import { groupAddress } from './address.js';

/** Number of wrong tokens per address that are answered without delay. After that, a client only receives a time to wait. */
const FREE = 5;
const MOST = 20;
/** Interval at which one wrong token per address is forgotten. */
const FORGET_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
/** Maximum number of delayed responses at the same time, per address and in total. */
const MOST_WAITING_OF_ADDRESS = 4;
const MOST_WAITING = 64;
const MOST_ADDRESSES = 4_096;

interface Tries {
  count: number;
  atMs: number;
  waiting: number;
}

/** Delays wrong tokens only. A valid token is never delayed, even if wrong ones came from the same address. */
export class WrongTokens {
  /** Addresses in the order of their last attempt. When the map is full, the first address is dropped. */
  private readonly addresses = new Map<string, Tries>();
  private waiting = 0;

  constructor(
    private readonly now = () => performance.now(),
    private readonly pause = wait,
  ) {}

  /**
   * Waits before a wrong token is answered. Each further wrong token from the same address waits longer.
   *
   * @returns seconds after which the client may try again, if there were too many to answer; else null
   */
  async holdBack(address: string, signal: AbortSignal): Promise<number | null> {
    const tries = this.note(groupAddress(address));
    if (tries.count <= FREE) return null;
    if (tries.count > MOST || tries.waiting >= MOST_WAITING_OF_ADDRESS || this.waiting >= MOST_WAITING)
      return Math.ceil((Math.max(1, tries.count - MOST) * FORGET_MS) / 1_000);
    tries.waiting++;
    this.waiting++;
    try {
      await this.pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.floor(tries.count - FREE - 1)), signal);
      return null;
    } finally {
      tries.waiting--;
      this.waiting--;
    }
  }

  private note(group: string): Tries {
    const nowMs = this.now();
    const tries = this.addresses.get(group) ?? { count: 0, atMs: nowMs, waiting: 0 };
    this.addresses.delete(group);
    this.addresses.set(group, tries);
    const [first] = this.addresses.keys();
    if (this.addresses.size > MOST_ADDRESSES && first !== undefined) this.addresses.delete(first);
    tries.count = Math.min(2 * MOST, Math.max(0, tries.count - (nowMs - tries.atMs) / FORGET_MS) + 1);
    tries.atMs = nowMs;
    return tries;
  }
}

/** Ends early if the waiting client is gone. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
