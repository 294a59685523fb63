import { findEntity } from '../../model/entity.js';
import { isHeldSource, readHeldSource } from '../../model/held-source.js';
import { EXISTENCE } from '../../model/undo.js';
import { hashLeaf } from '../../reconcile/fields/leaves.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';
import type { DerivedRun } from '../derived-run.js';
import { endDeclines } from './end-declines.js';

/** True if a run has read everything on both sides. An object that it does not find is then gone. */
export function hasReadAll({ staged, stopped, unread, usersFresh }: DerivedRun): boolean {
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  const isWhole = reads.every(({ evidence }) => evidence?.complete === true || evidence?.partial === true);
  return isWhole && usersFresh && stopped.length === 0 && unread.length === 0;
}

/**
 * Ends declines once a run may write:
 *
 * | it ends when                              | found by                                                         |
 * |-------------------------------------------|------------------------------------------------------------------|
 * | its date has come                         | any run                                                          |
 * | the source asks for something else        | any run that compares the record (`pinned.ts`, `pins.ts`)        |
 * | no source asks for the object any more    | a run without `--only` that has read everything                  |
 * | the cell is no longer written back        | the same                                                         |
 * | another delivery came                     | a run without `--only` that has read the source                  |
 */
export function settleDeclines(stores: Stores, derived: DerivedRun, now: string): void {
  const { declines, work, state } = stores;
  const past = declines.past(now);
  const inForce = declines.inForce(now);
  if (past.length + inForce.length === 0) return;
  const ended = new Set(
    work.undeclined().map(({ scope, key, path, decline }) => nameOf({ scope, key, path, id: decline })),
  );
  const isWhole = derived.only === null && derived.undoes === null;
  const hasAll = isWhole && hasReadAll(derived);
  const over = inForce.filter((one) => {
    if (ended.has(nameOf(one))) return true;
    if (isHeldSource(one.scope)) return isWhole && isReplaced(one.scope, derived);
    return hasAll && isGone(one, work);
  });
  state.transaction(() => {
    endDeclines(stores, past, 'date came', now);
    endDeclines(stores, over, 'source changed', now);
  });
}

function nameOf({ scope, key, path, id }: Pick<StoredDecline, 'scope' | 'key' | 'path' | 'id'>): string {
  return JSON.stringify([scope, key, path, id]);
}

/** True if no source asks for the object any more, or if the cell is no longer written back. */
function isGone({ scope, key, path, value }: StoredDecline, work: Stores['work']): boolean {
  const entity = findEntity(scope);
  if (entity === undefined) {
    const source = scope.slice('sources.'.length);
    return !work.writeBackOf(source, key).some(({ cells }) => cells.some(({ column }) => column === path));
  }
  if (path !== EXISTENCE || value !== hashLeaf('here')) return false;
  return !work.isPlanned(`${entity}:${key}`) && work.stagedByKey(entity, key) === null;
}

/** True if the source was read and gave another delivery. */
function isReplaced(guard: string, { staged, guards }: DerivedRun): boolean {
  if (guards.some((trip) => trip.guard === guard)) return false;
  const source = readHeldSource(guard)?.source;
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  return reads.some((read) => read.source === source && (read.evidence !== null || read.error?.trip !== undefined));
}
