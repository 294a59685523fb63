import type { Config } from '../../config/config.js';
import { createDateFormatter } from '../../model/date-in-zone.js';
import { findEntity } from '../../model/entity.js';
import { type Change, declinedKey, type GuardTrip, recordKeyOf } from '../../model/plan.js';
import { EXISTENCE, type Existence } from '../../model/undo.js';
import { eachMoved, hashLeaf } from '../../reconcile/fields/leaves.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';
import { digestMapping } from '../pins.js';

/** The existence that a change asks for. It is null for an update, which is declined leaf by leaf, and for a relink. */
export function existenceOf({ action }: Pick<Change, 'action'>): Existence | null {
  if (action === 'create' || action === 'reactivate') return 'here';
  return action === 'deactivate' || action === 'delete' ? 'gone' : null;
}

/**
 * Sets aside the changes that a person has declined, and everything that depends on them, before guards count. If the
 * configuration behind a change was edited since, the change is held until a person decides again.
 *
 * @param now ISO 8601
 * @returns the changes to decide again, as guard trips
 */
export function holdDeclined(
  { config, stores }: { readonly config: Config; readonly stores: Pick<Stores, 'work' | 'declines'> },
  now: string,
): readonly GuardTrip[] {
  const { work, declines } = stores;
  const inForce = declines.inForce(now);
  if (inForce.length === 0) return [];
  const edited = new Map<string, StoredDecline[]>();
  for (const decline of inForce) {
    const entity = findEntity(decline.scope);
    if (entity === undefined) continue;
    const isEdited = digestMapping(config, entity, decline.path) !== decline.mapping;
    if (decline.path === EXISTENCE || decline.key !== recordKeyOf(decline.key)) setAside(decline, isEdited, work);
    const known = edited.get(entity) ?? [];
    if (isEdited) edited.set(entity, [...known, decline]);
  }
  work.withholdSetAside();
  work.propagateWithheld();
  return [...edited].flatMap(([entity, of]) => describeEdited(`${entity}.declined`, of, { config, stores }));
}

function setAside(
  { id, scope, key, path, value }: StoredDecline,
  isEdited: boolean,
  work: Pick<Stores['work'], 'planned' | 'setAside'>,
): void {
  for (const ref of [`${scope}:${key}`, `${scope}:${declinedKey(key)}`]) {
    const change = work.planned(ref);
    if (change === null || asksFor(change, path) !== value) continue;
    work.setAside(ref, isEdited ? { by: 'guard', name: `${scope}.declined` } : { by: 'declined', name: id });
  }
}

/** Hash of the existence or leaf value that a change asks for at a path; null if it asks for nothing there. */
function asksFor(change: Change, path: string): string | null {
  if (path !== EXISTENCE) {
    const leaf = [...eachMoved(change.entity, change.after, change.before)].find((one) => one.path === path);
    return leaf === undefined ? null : hashLeaf(leaf.value);
  }
  const existence = existenceOf(change);
  return existence === null ? null : hashLeaf(existence);
}

/** The number of decisions that the message names. */
const SHOWN = 3;

/** The trip of declined changes under an edited configuration; empty if no such change is planned. */
export function describeEdited(
  guard: string,
  of: readonly StoredDecline[],
  { config, stores: { work } }: { readonly config: Config; readonly stores: Pick<Stores, 'work'> },
): readonly GuardTrip[] {
  const found = work.countWithheld(guard);
  if (found === 0) return [];
  const dayOf = createDateFormatter(config.timezone);
  const words = [...new Set(of.map(({ who, at }) => `${who} on ${dayOf(new Date(at))}`))];
  const more = words.length > SHOWN ? ` and ${words.length - SHOWN} more` : '';
  const detail = `declined by ${words.slice(0, SHOWN).join(', ')}${more}; the configuration has been edited since`;
  return [{ guard, limit: 0, found, held: found, cause: 'configuration changed', detail }];
}
