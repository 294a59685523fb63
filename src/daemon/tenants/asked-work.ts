import { randomBytes } from 'node:crypto';
import type { SyncError } from '../../base/errors.js';
import { nameSignal, type Signal } from '../../model/signal.js';
import type { ToldWork, WorkOrder } from '../../operations/work-order.js';
import { MOST_WAITING, tooMany } from '../../store/remote/inbox.js';

/** What a person asks of a tenant in between: a plan that is only saved, or a run. */
export type AskedKind = 'plan' | 'run';

export interface AskedWork {
  /** Nobody guesses it. */
  readonly id: string;
  readonly kind: AskedKind;
  /** Who asked, as the audit names them. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly askedMs: number;
  readonly state: 'queued' | 'running' | 'ended';
  /** As a command would; null for what is due now, of which nobody wants to be told. */
  readonly order: WorkOrder | null;
  /** Id of the run while it goes on, and of the run or plan that came of it; null before. */
  readonly result: string | null;
  /** What came of an order; null before, and once others have ended after it. */
  readonly told: ToldWork | null;
  /** Why nothing came of it. */
  readonly problem: SyncError | null;
}

/** What came of so many is kept for who asked. */
const MOST_KEPT = 10;

/** What people have asked for and not had yet; and what came of the last ones, for those who wait. */
export class AskedQueue {
  #waiting: AskedWork[] = [];
  #last: AskedWork | null = null;
  #ended: AskedWork[] = [];

  /**
   * Work that is asked for already is not asked for twice: both wait for the same.
   *
   * @throws SyncError SYNC_WEB_REFUSED where too many wait
   */
  ask(kind: AskedKind, by: string, nowMs: number, order: WorkOrder | null = null): AskedWork {
    const known = this.#waiting.find((one) => one.kind === kind && isSame(one, by, order));
    if (known !== undefined) return known;
    const joined = order?.signals === undefined ? null : this.#joinSignals(order.signals);
    if (joined !== null) return joined;
    if (this.#waiting.length >= MOST_WAITING.requests) throw tooMany('requests');
    const asked = { id: `w${randomBytes(12).toString('hex')}`, kind, by, askedMs: nowMs, order };
    const work: AskedWork = { ...asked, state: 'queued', result: null, told: null, problem: null };
    this.#waiting.push(work);
    return work;
  }

  /** One run is for all signals that come while it waits. */
  #joinSignals(signals: readonly Signal[]): AskedWork | null {
    const at = this.#waiting.findIndex(({ order }) => order?.signals !== undefined);
    const known = this.#waiting[at];
    if (known === undefined || known.order === null) return null;
    const all = [...(known.order.signals ?? []), ...signals];
    const first = new Map(all.toReversed().map((signal) => [nameSignal(signal), signal]));
    const joined = { ...known, order: { ...known.order, signals: [...first.values()] } };
    this.#waiting[at] = joined;
    return joined;
  }

  /** Asked for elsewhere, under that id. */
  add(work: AskedWork): void {
    this.#waiting.push({ ...work, state: 'queued' });
  }

  /** @param mayStart whether what signals ask for may start */
  next(mayStart = true): AskedWork | null {
    return this.#waiting.find(({ order }) => mayStart || order?.signals === undefined) ?? null;
  }

  /** The one under way, or that waits, or that has ended last; null where nobody has asked. */
  shown(): AskedWork | null {
    return this.#last?.state === 'running' ? this.#last : (this.#waiting[0] ?? this.#last);
  }

  /** By its id; null for one that is not known, or no longer. */
  find(id: string): AskedWork | null {
    const all = [...this.#waiting, ...(this.#last === null ? [] : [this.#last]), ...this.#ended];
    return all.find((one) => one.id === id) ?? null;
  }

  begin(work: AskedWork, result: string | null): void {
    this.#waiting = this.#waiting.filter((one) => one !== work);
    this.#last = { ...work, state: 'running', result };
  }

  /** Of what was begun, or of what could not begin. */
  end(result: string | null, problem: SyncError | null, told: ToldWork | null = null): void {
    const work = this.#last?.state === 'running' ? this.#last : this.#waiting.shift();
    if (work === undefined) return;
    this.#last = { ...work, state: 'ended', result: result ?? work.result, told, problem };
    this.#ended = [this.#last, ...this.#ended].slice(0, MOST_KEPT);
  }
}

function isSame(one: AskedWork, by: string, order: WorkOrder | null): boolean {
  if (one.order === null || order === null) return one.order === order;
  return one.by === by && JSON.stringify(one.order) === JSON.stringify(order);
}
