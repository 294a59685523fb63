import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { describeSignals, type Signal, type SignalKind } from '../../model/signal.js';
import { APPROVE, REVOKE_APPROVAL } from '../../operations/approve.js';
import { RESOLVE } from '../../operations/decide-hold.js';
import { ANSWER } from '../../operations/under-lock.js';
import { PLAIN_ORDER, type WorkOrder } from '../../operations/work-order.js';

export interface SignalPort {
  signal(of: { readonly tenant: string; readonly source: string | null; readonly kind: SignalKind }): void;
}

export interface SignalsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A tenant's schedule; null if it has no configuration. */
  readonly scheduleOf: (tenant: string) => WatchedSchedule | null;
  /**
   * For daemons that share tenants. Counts a run as started by signals if the last such run of any daemon was at least
   * `apartMs` ago. Resolves to 0 if the run counts, else to the milliseconds left. Without this function, only this
   * daemon's runs count.
   */
  readonly begin?: (tenant: string, apartMs: number) => Promise<number>;
  readonly start: (tenant: string, by: string, order: WorkOrder) => Promise<unknown>;
}

export interface WatchedSchedule extends Pick<Config['schedule'], 'onChange' | 'watchServiceMs'> {
  /** True if each run reads everyone from a source, because the source cannot list its changes. */
  readonly readsAll: boolean;
}

interface WaitingSignals {
  readonly signals: Map<string, Signal>;
  /** Number of decisions that are not revoked. */
  decisions: number;
  /** Time of the last decision by a person, and of the last signal of any other kind. Neither kind delays the other. */
  readonly lastMs: { people: number; others: number };
  /** Aborts the current wait when the signals have changed. */
  resting: AbortController;
  isOver: boolean;
}

/**
 * How long a run waits after the last signal of a kind, and at most after the first. A file is complete when it is
 * signalled, but providers push people one by one, and people decide one by one.
 */
const RESTS: Readonly<Record<SignalKind, SignalRest>> = {
  file: { quietMs: 1_000, mostMs: 10_000, distanceMs: 10_000 },
  push: { quietMs: 5_000, mostMs: 60_000, distanceMs: 10_000 },
  hook: { quietMs: 1_000, mostMs: 60_000, distanceMs: 60_000 },
  approval: { quietMs: 60_000, mostMs: Number.POSITIVE_INFINITY, distanceMs: 0 },
  service: { quietMs: 1_000, mostMs: 10_000, distanceMs: 60_000 },
};

function isOfPeople(kind: SignalKind): boolean {
  return kind === 'approval';
}

/** Minimum time between runs that no person asked for, if each run reads everyone from a source. */
const READ_ALL_MS = 10 * 60_000;

/** Operations after which a run may make more changes. */
const DECIDES: ReadonlySet<string> = new Set([APPROVE.name, RESOLVE.name, ANSWER.name]);

interface SignalRest {
  readonly quietMs: number;
  readonly mostMs: number;
  /** Minimum time after the last run that was started by signals, because anyone may send hooks continuously. */
  readonly distanceMs: number;
}

/** Collects the signals of each tenant, and requests one run for those that arrive together. */
export class Signals implements SignalPort {
  readonly #options: SignalsOptions;
  readonly #waiting = new Map<string, WaitingSignals>();
  readonly #startedMs = new Map<string, number>();
  #isClosed = false;

  constructor(options: SignalsOptions) {
    this.#options = options;
  }

  signal({ tenant, source, kind }: Parameters<SignalPort['signal']>[0]): void {
    if (this.#isClosed || !this.#isOn(tenant, kind)) return;
    const atMs = this.#options.clock.now();
    const known = this.#waiting.get(tenant);
    const lastMs = { people: atMs, others: atMs };
    const waiting = known ?? {
      signals: new Map(),
      decisions: 0,
      lastMs,
      resting: new AbortController(),
      isOver: false,
    };
    if (isOfPeople(kind)) waiting.decisions += 1;
    const name = `${kind} ${source ?? ''}`;
    waiting.signals.set(name, waiting.signals.get(name) ?? { kind, source, atMs });
    waiting.lastMs[isOfPeople(kind) ? 'people' : 'others'] = atMs;
    waiting.resting.abort();
    if (known !== undefined) return;
    this.#waiting.set(tenant, waiting);
    void this.#startLater(tenant, waiting);
  }

  /** Notes an operation. Approvals and answers signal a run, and a revocation withdraws the signal. */
  noteOperation(tenant: string, operation: string): void {
    if (DECIDES.has(operation)) this.signal({ tenant, source: null, kind: 'approval' });
    if (operation === REVOKE_APPROVAL.name) this.takeBack(tenant);
  }

  #isOn(tenant: string, kind: SignalKind): boolean {
    const { onChange, watchServiceMs } = this.#options.scheduleOf(tenant) ?? {};
    return kind === 'service' ? watchServiceMs !== undefined : onChange === true;
  }

  /** The signals of the next signalled run, and its time in milliseconds since the epoch; null if there is none. */
  next(tenant: string): { readonly atMs: number; readonly signals: readonly Signal[] } | null {
    const waiting = this.#waiting.get(tenant);
    return waiting === undefined
      ? null
      : { atMs: this.#dueMs(tenant, waiting), signals: [...waiting.signals.values()] };
  }

  /** Notes that a decision was revoked. Once no decision is left, decisions no longer start a run. */
  takeBack(tenant: string): void {
    const waiting = this.#waiting.get(tenant);
    if (waiting === undefined) return;
    waiting.decisions -= 1;
    if (waiting.decisions > 0) return;
    for (const [name, { kind }] of waiting.signals) if (isOfPeople(kind)) waiting.signals.delete(name);
    if (waiting.signals.size === 0) this.#end(tenant, waiting);
    else waiting.resting.abort();
  }

  close(): void {
    this.#isClosed = true;
    for (const [tenant, waiting] of this.#waiting) this.#end(tenant, waiting);
  }

  #end(tenant: string, waiting: WaitingSignals): void {
    if (this.#waiting.get(tenant) === waiting) this.#waiting.delete(tenant);
    waiting.isOver = true;
    waiting.resting.abort();
  }

  #dueMs(tenant: string, { signals, lastMs }: WaitingSignals): number {
    const startedMs = this.#startedMs.get(tenant) ?? Number.NEGATIVE_INFINITY;
    const due = [...signals.values()].map(({ kind, atMs }) => {
      const { quietMs, mostMs } = RESTS[kind];
      const last = isOfPeople(kind) ? lastMs.people : lastMs.others;
      return Math.max(Math.min(last + quietMs, atMs + mostMs), startedMs + this.#apartMs(tenant, kind));
    });
    return Math.min(...due);
  }

  /** Minimum time between two runs started by signals of this kind. */
  #apartMs(tenant: string, kind: SignalKind): number {
    const leastMs = this.#options.scheduleOf(tenant)?.readsAll === true ? READ_ALL_MS : 0;
    return isOfPeople(kind) ? RESTS[kind].distanceMs : Math.max(RESTS[kind].distanceMs, leastMs);
  }

  async #startLater(tenant: string, waiting: WaitingSignals): Promise<void> {
    const { clock, logger, start, begin } = this.#options;
    try {
      let elsewhereMs = 0;
      for (let restMs = 1; restMs > 0 && !waiting.isOver; ) {
        restMs = Math.max(this.#dueMs(tenant, waiting), elsewhereMs) - clock.now();
        waiting.resting = new AbortController();
        if (restMs > 0) {
          await clock.sleep(restMs, waiting.resting.signal).catch(() => undefined);
        } else if (begin !== undefined) {
          const apart = [...waiting.signals.values()].map(({ kind }) => this.#apartMs(tenant, kind));
          restMs = await begin(tenant, Math.min(...apart));
          elsewhereMs = clock.now() + restMs;
        }
      }
      if (waiting.isOver) return;
      this.#end(tenant, waiting);
      this.#startedMs.set(tenant, clock.now());
      const signals = [...waiting.signals.values()];
      logger.info({ tenant, signals: describeSignals(signals) }, 'a change was signalled: a run starts');
      await start(tenant, `signal: ${describeSignals(signals)}`, { ...PLAIN_ORDER, signals });
    } catch (error) {
      // The next scheduled run makes up for a lost signal.
      this.#end(tenant, waiting);
      logger.warn({ tenant, because: String(error) }, 'no run could be requested');
    }
  }
}
