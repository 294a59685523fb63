import type { ErrorCode, SyncError } from '../base/errors.js';
import type { Action, Entity } from '../model/entity.js';
import type { Failure } from '../model/failure.js';
import type { StandStill } from '../model/pause.js';
import { type Counts, type PlannedChange, reopens } from '../model/plan.js';
import type { ExecutionResult } from './end-change.js';

/** Why no further change was started. Only `SYNC_` codes are faults. */
export interface Stopped {
  readonly code: 'SIGNAL' | 'BUDGET' | StandStill['code'] | ErrorCode;
  readonly message: string;
}

/** So many calls in a row that cannot be answered mean that the service is away, not that the records are wrong. */
const MOST_OUTAGES = 5;
/** So many refusals of the right in a row, with nothing done, mean that the key may not, not that a record may not. */
const MOST_FORBIDDEN = 3;

type FailureText = Pick<Failure, 'code' | 'message' | 'remedy'>;

const NOT_TAKEN: FailureText = {
  code: 'SYNC_WRITE_NOT_TAKEN',
  message: 'The service answered other values than were sent; see the audit.',
  remedy: 'Look at the field in the service; a value it does not take must not be mapped.',
};

/** How the changes of a run end, and what that means for those that are left. */
export class ApplyTally {
  done = 0;
  stopped: Stopped | null = null;
  readonly failed: Failure[] = [];
  readonly #failedRefs = new Set<string>();
  /** Entities whose changes the key may not make. */
  readonly #closed = new Set<Entity>();
  readonly #forbidden = new Map<Entity, number>();
  #outages = 0;
  readonly #counts: { -readonly [E in keyof Counts]: Counts[E] } = {};

  /** What was done, by entity and action. */
  get counts(): Counts {
    return this.#counts;
  }

  /** Why a change is not tried; null when it is. */
  explainBlock({ entity, needs }: PlannedChange): string | null {
    const failedNeed = needs.find((need) => this.#failedRefs.has(need));
    if (failedNeed !== undefined) return `${failedNeed} failed`;
    return this.#closed.has(entity) ? 'the key may not change this entity' : null;
  }

  block(change: PlannedChange, because: string, common?: { readonly remedy: string }): void {
    const { remedy = 'Mend that first; the next run derives this one again.' } = common ?? {};
    const text = { code: 'SYNC_CHANGE_BLOCKED', message: `Not tried: ${because.replace(/\.$/, '')}.`, remedy };
    this.#fail(change, text, common === undefined ? {} : { of_all: true });
  }

  count(change: PlannedChange, { result, error, inPart = false }: ExecutionResult): void {
    if (result === 'done' || result === 'already so') {
      this.done += 1;
      this.#add(change.entity, change.action);
      if (change.action === 'relink' && reopens(change)) this.#add(change.entity, 'reactivate');
      this.#outages = 0;
      this.#forbidden.set(change.entity, 0);
      return;
    }
    this.#fail(change, error ?? NOT_TAKEN, inPart ? { in_part: true } : {});
    if (error === null) return;
    this.#noteOutage(error);
    if (error.code === 'SYNC_SERVICE_FORBIDDEN') this.#noteForbidden(change.entity);
  }

  #add(entity: Entity, action: Action): void {
    this.#counts[entity] = { ...this.#counts[entity], [action]: (this.#counts[entity]?.[action] ?? 0) + 1 };
  }

  #fail(
    { entity, key, id, place }: PlannedChange,
    { code, message, remedy }: FailureText,
    more: Pick<Failure, 'in_part' | 'of_all'>,
  ): void {
    // The object is there, only a field of it is not as wanted: what needs it goes on.
    if (code !== 'SYNC_FIELD_REFUSED') this.#failedRefs.add(`${entity}:${key}`);
    this.failed.push({ entity, key, change: id, code, message, place, remedy, ...more });
  }

  #noteOutage({ code, kind, message }: SyncError): void {
    // Refused for minutes on end, one call after the other: the rest would wait as long, each in its turn.
    if (code === 'SYNC_SERVICE_UNAUTHENTICATED' || code === 'SYNC_SERVICE_LIMITED') this.stopped = { code, message };
    this.#outages = kind === 'transient' || code === 'SYNC_SERVICE_UNKNOWN_OUTCOME' ? this.#outages + 1 : 0;
    if (this.#outages < MOST_OUTAGES) return;
    this.stopped = {
      code: 'SYNC_SERVICE_DOWN',
      message: `${this.#outages} calls in a row without an answer: ${message}`,
    };
  }

  #noteForbidden(entity: Entity): void {
    const times = (this.#forbidden.get(entity) ?? 0) + 1;
    this.#forbidden.set(entity, times);
    if (times >= MOST_FORBIDDEN) this.#closed.add(entity);
  }
}
