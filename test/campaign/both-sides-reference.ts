import type { Authority, Conflicts } from '../../src/model/write-back.js';

/** The rules for one value. */
export interface Ruling {
  readonly authority: Authority;
  readonly conflicts: Conflicts;
  readonly drift: 'correct' | 'report';
  /** True if an empty value of one side empties the other. */
  readonly clears: boolean;
  readonly isWrittenBack: boolean;
}

/** The facts that a run finds about one value. */
export interface Found {
  readonly source: string;
  readonly service: string;
  /** The time of HR's last change to the row, and the current time; milliseconds. */
  readonly modifiedMs: number;
  readonly nowMs: number;
}

/**
 * The duty of a run for a value. `wait`: HR was sent it, and has not answered yet · `ask`: a person decides · `pinned`:
 * an
 * operator has undone it · `unknown`: this reference does not say.
 */
export type Due = 'nothing' | 'to service' | 'to source' | 'wait' | 'ask' | 'frozen' | 'pinned' | 'unknown';

type Side = 'source' | 'service';

/** The value that a column was sent last. */
interface SentLast {
  readonly value: string;
  /** The value that it showed then, or shows since it has taken the sent one. */
  readonly shown: string;
  readonly atMs: number;
  readonly times: number;
}

export const LAPSE_MS = 7 * 86_400_000;
const MOST_TIMES = 3;

/**
 * One value that both sides have, by the tables of docs/guides/write-back.md. After an undo, a restore and the like it
 * says
 * nothing until both agree again.
 */
export class SharedValue {
  private sent: SentLast | null = null;
  /** The value that the service was first seen to have, and when. */
  private seen: { readonly value: string; readonly atMs: number } | null = null;
  private pin: Pick<Found, Side> | null = null;
  /** A value for which the rules say that both sides keep theirs until one of them or a rule changes. */
  private kept: string | null = null;
  private isNew = false;
  /** HR said nothing about it, which keeps the existing value. */
  private wasSilent = false;
  private readonly decisions = new Map<string, Side>();
  /** Questions whose answer a restore may have lost. */
  private readonly unsure = new Set<string>();
  /** The question put to a person. */
  private asked: Found | null = null;

  /** @param base the value that both sides last agreed on; null if unknown */
  constructor(private base: string | null) {}

  /** The duty of the next run, which it is then assumed to have done. */
  judge(found: Found, ruling: Ruling): Due {
    const due = this.decide(found, ruling);
    this.isNew = false;
    this.asked = due === 'ask' ? found : null;
    const { source, service, nowMs } = found;
    if (due === 'to source') {
      const times = this.sent?.value === service ? this.sent.times + 1 : 1;
      this.sent = { value: service, shown: source, atMs: nowMs, times };
    }
    if (due === 'to service') this.agree(source);
    return due;
  }

  agree(value: string): void {
    this.base = value;
    [this.sent, this.seen, this.pin, this.kept] = [null, null, null, null];
  }

  /** Says nothing until both agree again. */
  forget(): void {
    [this.base, this.sent, this.seen, this.pin, this.kept] = [null, null, null, null, null];
  }

  restore(): void {
    this.forget();
    for (const question of this.decisions.keys()) this.unsure.add(question);
  }

  /** An undo has restored the service's value, and HR keeps its own. */
  keepUndone(pin: Pick<Found, Side>): void {
    this.forget();
    this.pin = pin;
  }

  /** The configuration has a new rule for it, which ends a pin (docs/guides/undo.md). */
  rule(): void {
    this.pin = null;
  }

  /** Under a new number nothing was sent or asked yet, and nothing is before the next run. */
  renumber(): void {
    // The number identifies when the service was first seen to have its value.
    if (this.seen !== null) this.forget();
    this.sent = null;
    this.isNew = true;
    // A person's answer is asked for again, even if both sides keep their values because of it.
    if (this.decisions.size > 0) this.kept = null;
    this.decisions.clear();
  }

  resolve(side: Side): void {
    if (this.asked !== null) this.decisions.set(nameOf(this.asked), side);
  }

  /** A row written for one column repeats the others as sent last, while HR shows what it showed then. */
  repeats(cell: string, source: string): boolean {
    return this.sent?.value === cell && this.sent.shown === source;
  }

  private decide(found: Found, ruling: Ruling): Due {
    const { source, service } = found;
    // The page does not say which side has changed a value about which HR once said nothing.
    if (this.wasSilent && source !== '' && source !== this.sent?.value) this.forget();
    this.wasSilent = source === '' && !ruling.clears;
    if (this.pin !== null && source === this.pin.source && service === this.pin.service) return 'pinned';
    this.pin = null;
    // The record's own time shows which is newer, whichever field has changed.
    const name = JSON.stringify([source, service, ruling, ruling.authority === 'newest' ? found.modifiedMs : null]);
    if (this.kept === name) return 'nothing';
    if (this.kept !== null) this.forget();
    if (this.base === null || this.unsure.has(nameOf(found))) return 'unknown';
    if (source === service) {
      this.agree(source);
      return 'nothing';
    }
    const winner = this.findWinner(found, ruling);
    if (winner === 'source') return 'to service';
    if (winner === null) return 'ask';
    if (winner === 'nobody' || !ruling.isWrittenBack || (service === '' && !ruling.clears)) {
      this.kept = name;
      return 'nothing';
    }
    return this.decideSend(found);
  }

  private decideSend({ source, service, nowMs }: Found): Due {
    const { sent } = this;
    if (this.isNew) return 'wait';
    if (sent?.value !== service) return 'to source';
    if (sent.shown === source) return nowMs - sent.atMs < LAPSE_MS ? 'wait' : 'to source';
    return sent.times < MOST_TIMES ? 'to source' : 'frozen';
  }

  /** Decides by "Who wins"; null: a person decides. */
  private findWinner(found: Found, ruling: Ruling): Side | 'nobody' | null {
    const { authority, conflicts, drift, clears } = ruling;
    const moved = this.findMoved(found, authority);
    const owner = authority === 'newest' ? null : authority;
    if (found.source === '' && !clears) return owner === 'source' ? 'nobody' : 'service';
    if (moved === 'neither') return owner ?? 'nobody';
    if (moved !== 'both') {
      const winner = owner ?? moved;
      return winner === moved || drift === 'correct' ? winner : this.answer(found);
    }
    if (owner === null) return this.findNewer(found);
    if (conflicts === 'hold') return this.answer(found);
    return conflicts === 'owner' ? owner : conflicts;
  }

  private answer(found: Found): Side | null {
    return this.decisions.get(nameOf(found)) ?? null;
  }

  /** The sent value, and the value that HR showed then, count more than the agreed one. */
  private findMoved({ source, service, nowMs }: Found, authority: Authority): Side | 'both' | 'neither' {
    const { base, sent } = this;
    let [here, there] = [service !== base, source !== base];
    if (sent !== null && source === sent.value) {
      [here, there] = [service !== sent.value, false];
      this.sent = { ...sent, shown: source };
    } else if (sent !== null && authority !== 'source') {
      there = source !== sent.shown;
      here = !there || service !== (sent.shown === sent.value ? sent.value : base);
    }
    if (here && authority === 'newest' && this.seen?.value !== service) this.seen = { value: service, atMs: nowMs };
    if (here && there) return 'both';
    if (here) return 'service';
    return there ? 'source' : 'neither';
  }

  private findNewer({ modifiedMs, service, nowMs }: Found): Side {
    const seenMs = this.seen?.value === service ? this.seen.atMs : nowMs;
    return modifiedMs > seenMs ? 'source' : 'service';
  }
}

function nameOf({ source, service }: Pick<Found, Side>): string {
  return JSON.stringify([source, service]);
}
