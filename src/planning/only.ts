import { SyncError } from '../errors.js';
import { ENTITIES, type Entity, findEntity, TRAITS, wordFor } from '../model/entity.js';
import { isHeldWhole } from '../model/held-source.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Change, GuardTrip } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import { findNatural, naturalKeyOf } from './natural-keys.js';

/** `user:jane@example.com` → entity and the folded words to look for. */
export function parseSelector(selector: string, place: string): { readonly entity: Entity; readonly words: string } {
  const colon = selector.indexOf(':');
  const kind = selector.slice(0, colon).trim().toLowerCase().replace(/ /g, '_');
  const entity = findEntity(kind);
  const words = foldKey(selector.slice(colon + 1));
  if (colon > 0 && entity !== undefined && words !== '') return { entity, words };
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${selector}" names no object.`,
    place,
    remedy: `Write kind and key, e-mail or external id, as in user:jane@example.com; kinds are ${ENTITIES.map(wordFor).join(', ')}.`,
  });
}

/** What of a change names its object. */
type NamedChange = Pick<Change, 'entity' | 'key' | 'target' | 'label' | 'after' | 'before'>;

/** Whether a change is about the object a person named: by source key, id, e-mail, external id or its name. */
export function matchesOnly(
  selector: string,
  calledBy: (change: NamedChange) => string | null = () => null,
): (change: NamedChange) => boolean {
  const { entity, words } = parseSelector(selector, '--only');
  return (change) => {
    if (change.entity !== entity) return false;
    const { key, target, label, after, before } = change;
    const email = /<([^>]*)>$/.exec(label)?.[1];
    const names = [key, target, label, email, after.email, after.external_unique_id, before.email, calledBy(change)];
    return names.some((name) => typeof name === 'string' && foldKey(name) === words);
  };
}

/** The same of a change as a saved plan is read: by its key, its label or the address in it. */
export function namesSaved(selector: string): (change: Pick<Change, 'entity' | 'key' | 'label'>) => boolean {
  const matches = matchesOnly(selector);
  return ({ entity, key, label }) => matches({ entity, key, label, target: null, after: {}, before: {} });
}

/** Source keys of the records and linked objects that a person may mean, and whether the service knows the words at all. */
export function findKeys(
  stores: Stores,
  entity: Entity,
  words: string,
): {
  readonly keys: readonly string[];
  readonly inService: boolean;
  /** Where no source delivers it, what it is called is its key: an office that people name, a tag. */
  readonly unlinked: Observed | null;
} {
  const { work, links, mirror } = stores;
  const ids = ['email', 'external_unique_id', 'upn', 'name'].flatMap((name) => mirror.findIds(entity, name, words));
  const linked = ids.flatMap((id) => links.findByServiceId(entity, id)?.sourceKey ?? []);
  const natural = findNatural(stores, entity, words);
  const keys = [...new Set([...work.findStaged(entity, words), ...linked, ...natural.records])].sort();
  if (keys.length > 0) return { keys, inService: true, unlinked: null };
  const [only, ...others] = natural.objects;
  return {
    keys: natural.derived ?? natural.objects.map((object) => naturalKeyOf(stores, object)),
    inService: ids.length > 0,
    unlinked: only === undefined || others.length > 0 ? null : only,
  };
}

/**
 * Keeps of a plan what is about one object and what that needs, on both sides; all of it where none is named. The guards
 * have counted everybody before: what they hold waits for an approval, also when it is asked for alone.
 *
 * @returns of the guards that have tripped those that hold something of what is kept
 */
export function keepOnly(stores: Stores, selector: string | null, trips: readonly GuardTrip[]): readonly GuardTrip[] {
  if (selector === null) return trips;
  const { work } = stores;
  work.keepOnly(matchesOnly(selector, (change) => nameOfChange(stores, change)));
  work.keepOnlyWriteBack(namesSaved(selector));
  if (work.count('all') === 0) requireKnown(stores, selector);
  return trips.flatMap((trip) => {
    const held = work.countWithheld(trip.guard);
    return held > 0 || isHeldWhole(trip.guard) ? [{ ...trip, held }] : [];
  });
}

function nameOfChange(stores: Stores, { entity, target }: NamedChange): string | null {
  const object = target === null ? null : stores.mirror.get(entity, target);
  return object === null ? null : naturalKeyOf(stores, object);
}

/** Nothing to do for an object is fine; an object that nobody knows is a slip of the pen. */
function requireKnown(stores: Stores, selector: string): void {
  const { entity, words } = parseSelector(selector, '--only');
  const sourced = ENTITIES.find((name) => name === entity);
  if (sourced === undefined) return;
  const { keys, inService } = findKeys(stores, sourced, words);
  if (keys.length > 0) return;
  throw notFound(TRAITS[entity].singular, words, inService, '--only');
}

export function notFound(kind: string, words: string, inService: boolean, place: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: inService
      ? `The ${kind} "${words}" is in the service, but no source has it and no link knows it: talent-sync does not manage it.`
      : `No source, link or object of the service is "${words}".`,
    place,
    remedy: 'Ask by source key, e-mail, external id or exact name.',
  });
}
