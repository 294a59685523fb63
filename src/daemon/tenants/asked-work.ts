import { randomBytes } from 'node:crypto';
import type { SyncError } from '../../base/errors.js';
import { nameSignal, type Signal } from '../../model/signal.js';
import type { ToldWork, WorkOrder } from '../../operations/work-order.js';
import { MOST_WAITING, tooMany } from '../../store/remote/inbox.js';

/** Work that people request between runs: a plan that is only saved, a run, or only the due deliveries. */
export type AskedKind = 'plan' | 'run' | 'deliveries';

export interface AskedWork {
  /** A random id, so that nobody can guess it. */
  readonly id: string;
  readonly kind: AskedKind;
  /** Name of the person who asked, as in the audit log. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly askedMs: number;
  readonly state: 'queued' | 'running' | 'ended';
  /** The order, as a command would give it; null for a scheduled run, which needs no report. */
  readonly order: WorkOrder | null;
  /** Id of the run under way, or of the finished run or plan; null before. */
  readonly result: string | null;
  /** Result of an order. Null before the order ends, and again once other work has ended after it. */
  readonly told: ToldWork | null;
  /** Why the work failed. */
  readonly problem: SyncError | null;
}

/** Maximum number of results kept until a client fetches them. */
const MOST_KEPT = 10;

/** Requested work that has not finished, and the results of the last requests. */
export class AskedQueue {
  #waiting: AskedWork[] = [];
  #last: AskedWork | null = null;
  #ended: AskedWork[] = [];

  /**
   * Queues work. A request for work that is already queued returns the queued one.
   *
   * @throws SyncError SYNC_WEB_REFUSED if too many requests are queued
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

  /** Adds the signals to a queued run, so that one run covers all signals that arrive while it waits. */
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

  /** Adds work that was requested elsewhere, under its existing id. */
  add(work: AskedWork): void {
    this.#waiting.push({ ...work, state: 'queued' });
  }

  /** @param mayStart true if runs requested by signals may start */
  next(mayStart = true): AskedWork | null {
    return this.#waiting.find(({ order }) => mayStart || order?.signals === undefined) ?? null;
  }

  /** The work under way, else the first in the queue, else the last that ended; null if there was no request. */
  shown(): AskedWork | null {
    return this.#last?.state === 'running' ? this.#last : (this.#waiting[0] ?? this.#last);
  }

  /** Finds work by its id; null if unknown or no longer kept. */
  find(id: string): AskedWork | null {
    const all = [...this.#waiting, ...(this.#last === null ? [] : [this.#last]), ...this.#ended];
    return all.find((one) => one.id === id) ?? null;
  }

  begin(work: AskedWork, result: string | null): void {
    this.#waiting = this.#waiting.filter((one) => one !== work);
    this.#last = { ...work, state: 'running', result };
  }

  /** Ends the work under way, or the first in the queue if it could not begin. */
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
