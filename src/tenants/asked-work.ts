/** What a person asks of a tenant in between: a plan that is only saved, or a run. */
export type AskedKind = 'plan' | 'run';

export interface AskedWork {
  readonly kind: AskedKind;
  /** Who asked, as the audit names them. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly askedMs: number;
  readonly state: 'queued' | 'running' | 'ended';
  /** Id of the run while it goes on, and of the run or plan that came of it; null before. */
  readonly result: string | null;
  /** Why nothing came of it. */
  readonly problem: string | null;
}

/** What people have asked for and not had yet, each kind once; and what came of the last one, for those who wait. */
export class AskedQueue {
  #waiting: AskedWork[] = [];
  #last: AskedWork | null = null;

  /** Work that is asked for already is not asked for twice: both wait for the same. */
  ask(kind: AskedKind, by: string, nowMs: number): void {
    if (this.#waiting.some((one) => one.kind === kind)) return;
    this.#waiting.push({ kind, by, askedMs: nowMs, state: 'queued', result: null, problem: null });
  }

  next(): AskedWork | null {
    return this.#waiting[0] ?? null;
  }

  /** The one under way, or that waits, or that has ended last; null where nobody has asked. */
  shown(): AskedWork | null {
    return this.#last?.state === 'running' ? this.#last : (this.#waiting[0] ?? this.#last);
  }

  begin(work: AskedWork, result: string | null): void {
    this.#waiting = this.#waiting.filter((one) => one !== work);
    this.#last = { ...work, state: 'running', result };
  }

  /** Of what was begun, or of what could not begin. */
  end(result: string | null, problem: string | null): void {
    const work = this.#last?.state === 'running' ? this.#last : this.#waiting.shift();
    if (work !== undefined) this.#last = { ...work, state: 'ended', result: result ?? work.result, problem };
  }
}
