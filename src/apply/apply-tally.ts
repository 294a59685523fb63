import type { ErrorCode, SyncError } from '../base/errors.js';
import type { Action, Entity } from '../model/entity.js';
import type { Failure } from '../model/failure.js';
import { FIELDS, isOneOwners } from '../model/fields.js';
import type { StandStill } from '../model/pause.js';
import { type Counts, type PlannedChange, reopens } from '../model/plan.js';
import type { ExecutionResult } from './end-change.js';

/** The reason why no further change was started. Only `SYNC_` codes are errors. */
export interface Stopped {
  readonly code: 'SIGNAL' | 'BUDGET' | StandStill['code'] | ErrorCode;
  readonly message: string;
}

/** This many unanswered calls in a row mean that the service is down, not that the records are at fault. */
const MOST_OUTAGES = 5;
/** This many rejections in a row without a success mean that the API key lacks the permission. */
const MOST_FORBIDDEN = 3;

type FailureText = Pick<Failure, 'code' | 'message' | 'remedy'>;

const NOT_TAKEN: FailureText = {
  code: 'SYNC_WRITE_NOT_TAKEN',
  message: 'The service answered with values other than those sent; see the audit log.',
  remedy: 'Check the field in the service, and do not map values that the service rejects.',
};

/** Counts how the changes of a run end, and decides which of the remaining changes may still be attempted. */
export class ApplyTally {
  done = 0;
  stopped: Stopped | null = null;
  readonly failed: Failure[] = [];
  readonly #failedRefs = new Set<string>();
  /** Entities that the API key has no permission to change. */
  readonly #closed = new Set<Entity>();
  readonly #forbidden = new Map<Entity, number>();
  #outages = 0;
  readonly #counts: { -readonly [E in keyof Counts]: Counts[E] } = {};

  /** The number of changes done, by entity and action. */
  get counts(): Counts {
    return this.#counts;
  }

  /** The reason why a change is not attempted; null if it may be attempted. */
  explainBlock({ entity, needs }: PlannedChange): string | null {
    const failedNeed = needs.find((need) => this.#failedRefs.has(need));
    if (failedNeed !== undefined) return `${failedNeed} failed`;
    return this.#closed.has(entity) ? 'the key has no permission to change this entity' : null;
  }

  block(change: PlannedChange, because: string, common?: { readonly remedy: string }): void {
    const { remedy = 'Fix the cause first; the next run then plans this change again.' } = common ?? {};
    const text = { code: 'SYNC_CHANGE_BLOCKED', message: `Not tried: ${because.replace(/\.$/, '')}.`, remedy };
    this.#fail(change, text, common === undefined ? {} : { of_all: true });
  }

  count(change: PlannedChange, { result, error, inPart = false, unsent = [] }: ExecutionResult): void {
    if (result === 'done' || result === 'already so') {
      this.done += 1;
      this.#add(change.entity, change.action);
      if (change.action === 'relink' && reopens(change)) this.#add(change.entity, 'reactivate');
      this.#outages = 0;
      this.#forbidden.set(change.entity, 0);
      return;
    }
    this.#fail(change, error ?? NOT_TAKEN, inPart ? { in_part: true } : {});
    // The object still has a value that another record may be waiting for.
    if (unsent.some((field) => isOneOwners(FIELDS[change.entity][field])))
      this.#failedRefs.add(`${change.entity}:${change.key}`);
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
    // The object exists and only one field is not as desired, so changes that need the object continue.
    if (code !== 'SYNC_FIELD_REFUSED') this.#failedRefs.add(`${entity}:${key}`);
    this.failed.push({ entity, key, change: id, code, message, place, remedy, ...more });
  }

  #noteOutage({ code, kind, message }: SyncError): void {
    // The limited call was repeated for minutes before this error, so every other call would wait as long.
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
