import type { Config } from '../../config/config.js';
import { findEntity } from '../../model/entity.js';
import { groupBy } from '../../model/group-by.js';
import { declinedKey, editedKey, type GuardTrip, type Withheld } from '../../model/plan.js';
import type { CellChange, SourceChange } from '../../model/write-back.js';
import { isEmpty } from '../../reconcile/fields/compare.js';
import { hashLeaf } from '../../reconcile/fields/leaves.js';
import { withCells } from '../../reconcile/write-back/plan-write-back.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';
import { describeEdited } from '../holds/hold-declined.js';
import { digestColumn } from '../pins.js';

/** The declined cells of one record of a source, and the ids of their declines. */
interface DeclinedCells {
  readonly cells: CellChange[];
  readonly ids: Set<string>;
}

/**
 * Moves declined cells from the write-back of their record to a change of its own, so that they stay visible. If the
 * configuration of a column has changed since, its cell waits until a person decides again.
 *
 * @param now ISO 8601
 * @returns the cells to decide again, as guard trips
 */
export function holdDeclinedCells(
  { config, stores }: { readonly config: Config; readonly stores: Pick<Stores, 'work' | 'declines'> },
  now: string,
): readonly GuardTrip[] {
  const cells = stores.declines
    .inForce(now)
    .filter(({ scope, path }) => findEntity(scope) === undefined && path !== '');
  const edited = [...groupBy(cells, ({ scope, key }) => JSON.stringify([scope, key])).values()].flatMap((of) => {
    const [{ scope, key }] = of;
    const changes = stores.work.writeBackOf(scope.slice('sources.'.length), key);
    return [...changes].flatMap((change) => splitChange(change, of, { config, stores }));
  });
  return [...groupBy(edited, ({ scope }) => scope)].flatMap(([scope, of]) =>
    describeEdited(`${scope}.declined`, of, { config, stores }),
  );
}

/** Returns the declines of columns that have been configured differently since. */
function splitChange(
  change: SourceChange,
  of: readonly StoredDecline[],
  { config, stores: { work } }: { readonly config: Config; readonly stores: Pick<Stores, 'work'> },
): readonly StoredDecline[] {
  const { source, entity, key } = change;
  const left: CellChange[] = [];
  const declined: DeclinedCells = { cells: [], ids: new Set() };
  const edited: CellChange[] = [];
  const under: StoredDecline[] = [];
  for (const cell of change.cells) {
    const one = of.find(({ path }) => path === cell.column);
    const isEdited = one !== undefined && digestColumn(config, entity, { source, column: cell.column }) !== one.mapping;
    if (one === undefined) left.push(cell);
    else if (isEdited) {
      edited.push(cell);
      under.push(one);
    } else if (hashLeaf(cell.after) === one.value) {
      declined.cells.push(cell);
      declined.ids.add(one.id);
    } else {
      left.push(cell);
      work.undecline(one);
    }
  }
  if (left.length === change.cells.length) return [];
  work.dropWriteBack(change);
  if (left.length > 0) work.planWriteBack(withCells(change, left), overwrites(left));
  const setAside = (part: readonly CellChange[], as: string, withheld: Withheld): void => {
    if (part.length === 0) return;
    const own = { ...withCells(change, part), key: as };
    work.planWriteBack(own, overwrites(part));
    work.setWriteBackAside(own, withheld);
  };
  setAside(declined.cells, declinedKey(key), { by: 'declined', name: [...declined.ids].sort().join(' + ') });
  setAside(edited, editedKey(key), { by: 'guard', name: `sources.${source}.declined` });
  return under;
}

function overwrites(cells: readonly CellChange[]): boolean {
  return cells.some(({ before }) => !isEmpty(before));
}
