import { type Batches, takeEach } from '../../base/clock.js';
import { createNaturalOrder } from '../../model/compare-texts.js';
import { ENTITIES } from '../../model/entity.js';
import { isDangerous, lookOf, nameEntities, TELL } from './kinds.js';
import { groupOf, type ReportChange } from './report.js';

/** Changes of one kind: the first few to show, and their common properties. */
export interface ReportGroup {
  /** `users`, `to hr`. */
  readonly group: string;
  readonly action: string;
  readonly shown: ReportChange[];
  readonly waits: Set<string>;
  /** True for declined changes, which are listed separately from changes that would be made. */
  readonly isDeclined: boolean;
  count: number;
  values: number;
  waiting: number;
  /** The common reason; null if the reasons differ. */
  reason: string | null;
}

/** Reads the changes once, and keeps only as many of each kind as can be shown. Dangerous changes come first. */
export async function gatherGroups(
  changes: Batches<ReportChange>,
  most: (change: ReportChange) => number,
): Promise<readonly ReportGroup[]> {
  const groups = new Map<string, ReportGroup>();
  const compare = createNaturalOrder();
  const byKey: ChangeOrder = (a, b) => compare(a.key, b.key);
  const take = (change: ReportChange): void => {
    const { action, reason } = change;
    const isDeclined = change.state === 'declined';
    const [group, key] = [groupOf(change), `${groupOf(change)}.${action} ${isDeclined}`];
    const found = groups.get(key) ?? startGroup(group, action, { reason: reason.text, isDeclined });
    groups.set(key, found);
    found.count += 1;
    found.values += change.differences.length;
    if (found.reason !== reason.text) found.reason = null;
    if (change.state === 'waits' || isDeclined) {
      found.waiting += 1;
      found.waits.add(change.about);
    }
    keepFirst(found.shown, change, most(change), byKey);
  };
  await takeEach(changes, take);
  for (const { shown } of groups.values()) shown.sort(byKey);
  return [...groups.values()].sort((a, b) => rankOf(a) - rankOf(b) || lookOf(a.action).rank - lookOf(b.action).rank);
}

type ChangeOrder = (a: ReportChange, b: ReportChange) => number;

/** Keeps the first changes by key, as many as are shown. */
function keepFirst(kept: ReportChange[], change: ReportChange, most: number, compare: ChangeOrder): void {
  const last = kept.at(-1);
  if (kept.length < most) kept.push(change);
  else if (last === undefined || compare(change, last) >= 0) return;
  else kept[kept.length - 1] = change;
  if (kept.length >= most) kept.sort(compare);
}

function startGroup(
  group: string,
  action: string,
  { reason, isDeclined }: { readonly reason: string; readonly isDeclined: boolean },
): ReportGroup {
  return { group, action, reason, isDeclined, shown: [], waits: new Set(), count: 0, values: 0, waiting: 0 };
}

/** Dangerous changes come first, for every entity. The other changes follow in the order of application. */
function rankOf({ group, action, isDeclined }: ReportGroup): number {
  if (isDeclined) return 2 * ENTITIES.length;
  if (isDangerous(action)) return lookOf(action).rank - ENTITIES.length;
  const place = (ENTITIES as readonly string[]).indexOf(group);
  return place === -1 ? ENTITIES.length : place;
}

/** `users to create (3)`, `to hr (2)` */
export function nameGroup({ group, action, count }: ReportGroup): string {
  return action === TELL ? `${group} (${count})` : `${nameEntities(group)} to ${action} (${count})`;
}

/** The guard or change for which the entire group waits; null if there is no common one. */
export function commonWait({ waits, waiting, count }: ReportGroup): string | null {
  const [first] = waits;
  return waiting === count && waits.size === 1 ? (first ?? null) : null;
}
