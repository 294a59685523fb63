import { type Entity, nameSeveral, TRAITS } from '../model/entity.js';
import { groupBy } from '../model/group-by.js';
import type { Observed } from '../model/observed.js';
import { formatPlace } from '../model/place.js';
import type { Stores } from '../store/open-stores.js';

/** Objects with the same external id as an object that a record is linked to. */
export interface Twins {
  readonly external: string;
  /** The record's key. */
  readonly key: string;
  readonly linked: Observed;
  readonly others: readonly Observed[];
}

/** Lists the twins that the mirror shows, without a read. */
export function listTwins(entity: Entity, { mirror, links }: Pick<Stores, 'mirror' | 'links'>): readonly Twins[] {
  if (TRAITS[entity].sharesIds !== true) return [];
  return mirror.sharedKeys(entity, EXTERNAL).flatMap((value) => {
    const objects = mirror.findIds(entity, EXTERNAL, value).flatMap((id) => mirror.get(entity, id) ?? []);
    // In some systems, ids differ only in case.
    return [...groupBy(objects, ({ values }) => String(values[EXTERNAL]))].flatMap(([external, alike]) => {
      const linked = alike.find(({ id }) => links.keyOf(entity, id) !== null);
      const key = linked === undefined ? null : links.keyOf(entity, linked.id);
      if (linked === undefined || key === null || alike.length === 1) return [];
      return [{ external, key, linked, others: alike.filter((one) => one !== linked) }];
    });
  });
}

const EXTERNAL = 'external_unique_id';

/**
 * Reports objects that have twins. A call of a stopped lock holder may arrive late, or somebody else creates a second
 * object. The twins stay unchanged, because only a person can decide which one to keep. Without a link, twins are
 * ambiguous matches (`find-object.ts`).
 */
export function holdTwins(entity: Entity, { mirror, links, work }: Pick<Stores, 'mirror' | 'links' | 'work'>): void {
  for (const { external, key, linked, others } of listTwins(entity, { mirror, links })) {
    const place = work.stagedByKey(entity, key)?.desired?.place;
    const count = `${others.length + 1} ${nameSeveral(entity)}`;
    const told = others.map((one) => {
      const owner = links.keyOf(entity, one.id);
      return `${nameOne(one)}, which ${owner === null ? 'talent-sync leaves alone' : `is linked to record ${owner}`}`;
    });
    work.hold({
      entity,
      key,
      place: place === undefined ? '' : formatPlace(place),
      code: 'SYNC_OBJECT_TWINS',
      field: EXTERNAL,
      reason: `${count} of the service have the external id ${JSON.stringify(external)}: ${nameOne(linked)}, which this record is linked to and keeps up to date; ${told.join('; ')}.`,
      remedy:
        'Open them in the service, move anything worth keeping to one of them, and delete the others. The next run finds the one that stays, whichever it is.',
      about: JSON.stringify([external, linked.id, ...others.map(({ id }) => id).sort()]),
    });
  }
}

function nameOne({ label, id }: Observed): string {
  return label === id ? id : `${label} (${id})`;
}
