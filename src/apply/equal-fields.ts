import { SyncError } from '../base/errors.js';
import type { Failure } from '../model/failure.js';
import { generalise } from '../model/hold-cause.js';
import { objectOf, type Values } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';
import { MOST_EQUAL } from '../model/refusal-pauses.js';
import type { Stores } from '../store/open-stores.js';
import type { ExecutionResult } from './end-change.js';
import { NOT_TRIED, OF_ALL, placeOf } from './equal-answers.js';
import type { RefusedField } from './step.js';
import { splitPath, withoutField } from './without-field.js';

/**
 * A field that the service rejected repeatedly with the same words. It accepted the other fields, and has not accepted
 * this one since.
 */
interface FieldRefusals {
  readonly of: string;
  readonly field: string;
  readonly message: string;
  readonly changes: Set<string>;
  /** The offices or customers of the rejected changes. */
  readonly places: Set<string>;
}

/** A change without the fields that the service rejects in all changes; `rest` is null if no field is left. */
export interface FieldsLeftOut {
  readonly rest: PlannedChange | null;
  readonly because: string;
  readonly fields: readonly string[];
}

/**
 * Works like `EqualAnswers`, but for single fields. After five equal rejections, a run leaves the field out of changes
 * with the same office or customer. If the field is also rejected for another office or customer, the run leaves it out
 * of all changes. The other fields are sent.
 */
export class EqualFields {
  readonly #kinds = new Map<string, FieldRefusals>();
  readonly #leftOut = new Set<string>();
  readonly #mirror: Pick<Stores['mirror'], 'get'>;

  constructor({ mirror }: Pick<Stores, 'mirror'>) {
    this.#mirror = mirror;
  }

  /** Notes which fields of a sent change were accepted or rejected. */
  noteSent(change: PlannedChange, refusals: readonly RefusedField[]): void {
    const refused = new Set(refusals.map(({ field }) => field));
    for (const [name, { of, field }] of this.#kinds)
      if (of === change.entity && !refused.has(field) && has(change.after, field)) this.#kinds.delete(name);
    for (const { field, error } of refusals) {
      const name = JSON.stringify([change.entity, field, generalise(error.message)]);
      const fresh = {
        of: change.entity,
        field,
        message: error.message,
        changes: new Set<string>(),
        places: new Set<string>(),
      };
      const kind = this.#kinds.get(name) ?? fresh;
      kind.changes.add(change.id);
      kind.places.add(placeOf(change, this.#mirror));
      this.#kinds.set(name, kind);
    }
  }

  /** Splits off the fields to leave out of a change; null if all fields may be sent. */
  leaveOut(change: PlannedChange): FieldsLeftOut | null {
    const closed = [...this.#kinds.values()].filter((kind) => this.#isClosed(kind, change));
    if (closed.length === 0) return null;
    const parts = closed.map(
      ({ field, changes, message }) =>
        `${field}: ${changes.size} changes of this kind were rejected for the same reason: ${message}`,
    );
    const rest = closed.reduce((one, { field }) => withoutField(one, field), change);
    this.#leftOut.add(change.id);
    return {
      rest: change.action === 'update' && rest.fields.length === 0 ? null : rest,
      because: parts.join(' '),
      fields: closed.map(({ field }) => field),
    };
  }

  #isClosed({ of, field, changes, places }: FieldRefusals, change: PlannedChange): boolean {
    if (of !== change.entity || changes.size < MOST_EQUAL || !has(change.after, field)) return false;
    return places.size > 1 || places.has(placeOf(change, this.#mirror));
  }

  /** Gives a failure the common remedy if one of its fields is rejected in all changes. */
  tell(failure: Failure): Failure {
    const isOne = [...this.#kinds.values()].some(
      ({ changes }) => changes.size >= MOST_EQUAL && changes.has(failure.change),
    );
    if (isOne) return { ...failure, remedy: OF_ALL, of_all: true };
    return this.#leftOut.has(failure.change) ? { ...failure, remedy: NOT_TRIED, of_all: true } : failure;
  }
}

/** The result of a change that was carried out without the fields that were left out. */
export function endInPart(
  end: ExecutionResult,
  { because, fields }: FieldsLeftOut,
  { place }: PlannedChange,
): ExecutionResult {
  if (end.result !== 'done' && end.result !== 'already so') return end;
  const message = `A part of the change was not tried; the rest was carried out. ${because}`;
  return {
    result: 'not taken',
    error: new SyncError('SYNC_FIELD_REFUSED', { message, place, remedy: NOT_TRIED }),
    inPart: true,
    unsent: fields,
  };
}

function has(values: Values, path: string): boolean {
  const [name, part] = splitPath(path);
  const value = values[name];
  return value !== undefined && (part === null || objectOf(value)[part] !== undefined);
}
