import { FIELDS, type Field } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { EXISTENCE, type Existence, type UndoneRecord } from '../../model/undo.js';
import { buildChange } from '../build-change.js';
import { isEmpty } from '../fields/compare.js';
import { hashLeaf } from '../fields/leaves.js';
import type { RunWork } from './run-work.js';
import type { Restoring } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';
import { report } from './undo-reports.js';

/** Finds the current object. The undo is held if the object is gone, or if its record is now linked to another one. */
export function findNow(work: RunWork, ports: UndoPorts): Observed | null {
  const { entity, key, target, turn } = work;
  const link = ports.memory.link(entity, key);
  if (link !== null && link.serviceId !== target) {
    const because = `the record is now linked to another object (${link.serviceId} instead of ${target}).`;
    const remedy = 'Look at both in the service, and change them there by hand.';
    report(work, 'SYNC_UNDO_MOVED', { because, remedy }, ports);
    return null;
  }
  const now = target === null ? null : ports.service.observed(entity, target);
  // For an object that the run created, its absence is the state before.
  if (now === null && turn !== 'create') {
    const remedy = 'Nothing is left to restore. If a run deleted it, undo that run.';
    report(work, 'SYNC_UNDO_MOVED', { because: 'it is gone from the service.', remedy }, ports);
  }
  return now;
}

/** A change that undoes something, and the state that keeps the next run from repeating it. */
export interface Inverse {
  readonly change: Pick<
    Change,
    'action' | 'target' | 'label' | 'fields' | 'before' | 'after' | 'needs' | 'observedHash' | 'batch' | 'takesOut'
  >;
  /** An explanation, if the words of the run alone are not enough; blank if none is needed. */
  readonly why: string;
  /** The state that the sources must not bring back: that the object exists, or that it is gone. */
  readonly existence?: Existence | null;
  readonly undone?: Restoring['undone'];
  /** Other records that lose values with the change. */
  readonly others?: readonly UndoneRecord[];
}

/** Gives the change its id, and adds the pins that keep the next run from repeating the undone changes. */
export function planInverse(work: RunWork, inverse: Inverse, ports: UndoPorts): void {
  const { entity, key, changes, derived } = work;
  const { change, why, existence = null, undone = [], others = [] } = inverse;
  const { run, reason, by } = ports.undone;
  const records = derived ? others : [recordOf(work, existence, undone, ports), ...others];
  const text = [`undoes run ${run}`, why, reason].filter((part) => part !== '').join(': ');
  ports.plan.add(
    buildChange(
      {
        entity,
        key,
        ...change,
        reason: { kind: 'undone', text },
        place: `run ${run}`,
        undoes: { run, changes, derived, records, reason, ...(by === undefined ? {} : { by }) },
      },
      // An undo depends on no mapping, because editing the configuration does not alter the changes of a run.
      'undo',
    ),
  );
}

export function recordOf(
  { entity, key, before }: RunWork,
  existence: Existence | null,
  undone: Restoring['undone'],
  ports: UndoPorts,
): UndoneRecord {
  const leaves = undone.map(({ path, value }) => ({ path, value: hashLeaf(value) }));
  const all = existence === null ? leaves : [...leaves, { path: EXISTENCE, value: hashLeaf(existence) }];
  const pins = all.map((pin) => ({ ...pin, mapping: ports.managed.digestMapping(entity, pin.path) }));
  const restores: Record<string, Json> = {};
  for (const { path, now } of undone) {
    const [name = path, ...rest] = path.split('.');
    const was = now ?? before[name] ?? null;
    const part = rest.join('.');
    const field = FIELDS[entity][name];
    if (field === undefined || field.additive === true) continue;
    if (part === '') restores[name] = was;
    else restores[name] = { ...objectOf(restores[name]), [part]: objectOf(was)[part] ?? null };
  }
  return { entity, key, pins, restores };
}

/** True for the empty first entry of each kind that a new project contains (spec, Project rules 2). */
export function isBlankEntries(field: Field | undefined, held: Json | undefined): boolean {
  if (field?.shape !== 'entries' || !Array.isArray(held)) return false;
  return (held as readonly Json[]).every(
    (entry) => isJsonObject(entry) && isEmpty(entry.value) && isEmpty(entry.label),
  );
}
