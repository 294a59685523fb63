import { isAccount, TRAITS } from '../model/entity.js';
import type { Failure } from '../model/failure.js';
import { generalise } from '../model/hold-cause.js';
import { canonicalJson } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';
import { MOST_EQUAL } from '../model/refusal-pauses.js';
import type { Stores } from '../store/open-stores.js';

/** Changes with the same action that the service rejected with the same words, while no similar change succeeded. */
interface EqualRefusals {
  readonly of: string;
  readonly message: string;
  readonly changes: Set<string>;
  /** Fields that all these changes share; a change without these fields is of another kind. */
  fields: ReadonlySet<string>;
  /** The offices or customers of the rejected changes. */
  readonly places: Set<string>;
  /** The id of the change that tests if another office or customer gets the same rejection. */
  probe: string | null;
  isClosed: boolean;
}

/**
 * Detects rejections with a common cause: no licence left, a domain that is not allowed, a field that is not enabled.
 *
 * | changes of one action, with the same fields             | the next change              |
 * |---------------------------------------------------------|------------------------------|
 * | fewer than five equal rejections, or one succeeded      | is tried                     |
 * | five, and it has another office or customer             | is tried, as the only probe  |
 * | five, and it has the same                               | waits until all others ended |
 * | the probe too                                           | is not tried in this run     |
 */
export class EqualAnswers {
  readonly #kinds = new Map<string, EqualRefusals>();
  readonly #mirror: Pick<Stores['mirror'], 'get'>;
  /** True if no other change can be tried first. */
  isLast = false;

  constructor({ mirror }: Pick<Stores, 'mirror'>) {
    this.#mirror = mirror;
  }

  get isAnyOpen(): boolean {
    return [...this.#kinds.values()].some(({ changes, isClosed }) => !isClosed && changes.size >= MOST_EQUAL);
  }

  /** Decides if a change is tried, waits, or is left out with a reason. */
  judge(change: PlannedChange): 'try' | 'wait' | { readonly because: string } {
    for (const kind of this.#kindsOf(change)) {
      const because = `${kind.changes.size} changes of this kind were rejected for the same reason: ${kind.message}`;
      if (kind.isClosed) return { because };
      if (kind.changes.size < MOST_EQUAL) continue;
      const isElsewhere = !kind.places.has(placeOf(change, this.#mirror));
      if (kind.probe !== null || !(isElsewhere || this.isLast)) return this.isLast ? { because } : 'wait';
      kind.probe = change.id;
    }
    return 'try';
  }

  noteDone(change: PlannedChange): void {
    for (const [name, kind] of this.#kinds) if (isLike(change, kind)) this.#kinds.delete(name);
  }

  noteRefused(change: PlannedChange, message: string): void {
    const of = nameKind(change);
    const name = `${of} ${generalise(message).replaceAll(/\S+@\S+/g, '…')}`;
    const known = this.#kinds.get(name);
    const fields = new Set(known === undefined ? change.fields : change.fields.filter((one) => known.fields.has(one)));
    const kind = known ?? { of, message, changes: new Set(), fields, places: new Set(), probe: null, isClosed: false };
    kind.changes.add(change.id);
    kind.fields = fields;
    kind.places.add(placeOf(change, this.#mirror));
    kind.isClosed ||= kind.probe === change.id;
    this.#kinds.set(name, kind);
    // The probe was rejected for its own reason, so another change must become the probe.
    for (const other of this.#kinds.values()) if (other !== kind && other.probe === change.id) other.probe = null;
  }

  /** Gives a failure the common remedy if all changes of its kind were rejected. */
  tell(failure: Failure): Failure {
    const isOne = [...this.#kinds.values()].some(({ isClosed, changes }) => isClosed && changes.has(failure.change));
    return isOne ? { ...failure, remedy: OF_ALL, of_all: true } : failure;
  }

  #kindsOf(change: PlannedChange): readonly EqualRefusals[] {
    return this.#kinds.size === 0 ? [] : [...this.#kinds.values()].filter((kind) => isLike(change, kind));
  }
}

/** The office or customer of a change; for other entities, the key of the change. */
export function placeOf(
  { entity, after, before, target, key }: PlannedChange,
  mirror: Pick<Stores['mirror'], 'get'>,
): string {
  const field = isAccount(entity) ? 'office' : (TRAITS[entity].parent ?? '').replace(/_id$/, '');
  const values = target === null ? {} : (mirror.get(entity, target)?.values ?? {});
  const place = after[field] ?? before[field] ?? values[field] ?? values[`${field}_id`];
  return place === undefined || place === null ? key : canonicalJson(place);
}

export const OF_ALL =
  'All changes of this kind are rejected for the same reason, so the records are not at fault. Fix the cause in the service, or ask its support. The next run begins with another record.';

export const NOT_TRIED = 'Fix the cause in the service, or ask its support; the next run begins with another record.';

function nameKind({ entity, action }: PlannedChange): string {
  return `${entity} ${action}`;
}

function isLike(change: PlannedChange, { of, fields }: EqualRefusals): boolean {
  return nameKind(change) === of && [...fields].every((field) => change.fields.includes(field));
}
