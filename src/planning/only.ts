import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { Hold } from '../model/desired.js';
import { ENTITIES, type Entity, findEntity, TRAITS, wordFor } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { foldKey, type Observed } from '../model/observed.js';
import { askingNames } from '../model/person-fields.js';
import { formatPlace } from '../model/place.js';
import { type Change, type GuardTrip, recordKeyOf } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import type { DerivedRun } from './derived-run.js';
import { findNatural, naturalKeyOf } from './natural-keys.js';
import type { StreamRead } from './staging/read-streams.js';
import { listHeldSources } from './suspicions/hold-sources.js';

/** The object that a person has named. */
export interface Selected {
  readonly entity: Entity;
  /** Folded, for the search. */
  readonly words: string;
  /** As the person wrote them, for the message if nothing is found. */
  readonly asked: string;
}

/** Parses, for example, `user:Jane@example.com` into the entity and the words. */
export function parseSelector(selector: string, place: string): Selected {
  const colon = selector.indexOf(':');
  const kind = selector.slice(0, colon).trim().toLowerCase().replace(/ /g, '_');
  const entity = findEntity(kind);
  const asked = selector.slice(colon + 1).trim();
  const words = foldKey(asked);
  if (colon > 0 && entity !== undefined && words !== '') return { entity, words, asked };
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${selector}" names no object.`,
    place,
    remedy: `Write kind and key, e-mail or external id, as in user:jane@example.com; kinds are ${ENTITIES.map(wordFor).join(', ')}.`,
  });
}

/** The parts of a change that name its object. */
type NamedChange = Pick<Change, 'entity' | 'key' | 'target' | 'label' | 'after' | 'before'>;

/** Checks whether a change is about the object that a person named: by source key, id, e-mail, external id or its name. */
export function matchesOnly(
  selector: string,
  calledBy?: (change: NamedChange) => string | null,
): (change: NamedChange) => boolean {
  const { entity, words } = parseSelector(selector, '--only');
  return (change) => {
    if (change.entity !== entity) return false;
    const { key, target, label, after, before } = change;
    const email = /<([^>]*)>$/.exec(label)?.[1];
    const names = [
      key,
      recordKeyOf(key),
      target,
      label,
      email,
      after.email,
      after.external_unique_id,
      before.email,
      calledBy?.(change),
    ];
    return names.some((name) => typeof name === 'string' && foldKey(name) === words);
  };
}

/** Checks the same for a change of a saved plan, by its key, its label or the address in the label. */
export function namesSaved(selector: string): (change: Pick<Change, 'entity' | 'key' | 'label'>) => boolean {
  const matches = matchesOnly(selector);
  return ({ entity, key, label }) => matches({ entity, key, label, target: null, after: {}, before: {} });
}

/** Source keys of the records and linked objects that a person may mean, and whether the service has an object with these words. */
export function findKeys(
  stores: Stores,
  entity: Entity,
  words: string,
): {
  readonly keys: readonly string[];
  readonly inService: boolean;
  /** An object that no source delivers has its name as its key, for example an office that people name, or a tag. */
  readonly unlinked: Observed | null;
} {
  const { work, links, mirror } = stores;
  const ids = askingNames().flatMap((name) => mirror.findIds(entity, name, words));
  const linked = ids.flatMap((id) => links.keyOf(entity, id) ?? []);
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
 * Keeps the part of a plan that concerns one object and its needs, on both sides; keeps everything if no object is
 * named. The guards have counted everyone before, so a change that they hold needs approval even if it is requested
 * alone. The output also covers only that object, with its holds, guards and sources. For all other objects it shows
 * the number of pending items.
 */
export function keepOnly(
  { config, stores }: { readonly config: Pick<Config, 'mappings'>; readonly stores: Stores },
  selector: string | null,
  derivation: Pick<DerivedRun, 'staged' | 'stopped' | 'unread'>,
  trips: readonly GuardTrip[],
): Pick<DerivedRun, 'guards' | 'told' | 'others'> {
  if (selector === null) return { guards: trips, told: derivation, others: null };
  const { work } = stores;
  const { entity, words, asked } = parseSelector(selector, '--only');
  const waiting = work.countWaiting();
  work.keepOnly(matchesOnly(selector, (change) => nameOfChange(stores, change)));
  work.keepOnlyWriteBack(namesSaved(selector));
  const { keys, inService } = findKeys(stores, entity, words);
  work.tellOnly(isAboutOne(stores, entity, words, keys));
  const isHeld = work.holdCount() > 0;
  const hasRow = keys.some((key) => work.stagedByKey(entity, key) !== null);
  // An object without changes is fine; an object that is found nowhere is a typing error.
  if (work.count('all') === 0 && keys.length === 0 && !isHeld)
    throw notFound(TRAITS[entity].singular, asked, inService, '--only');
  const told = tellOnly(isHeld ? [entity, ...refersTo(config, entity)] : [entity], derivation, hasRow);
  const suspected = new Set(listHeldSources(told.staged).map(({ guard }) => guard));
  const guards = trips.flatMap((trip) => {
    if (suspected.has(trip.guard)) return [trip];
    const held = work.countWithheld(trip.guard);
    return held > 0 ? [{ ...trip, held }] : [];
  });
  return { guards, told, others: { ...work.heldCounts(true), waiting: waiting - work.countWaiting() } };
}

/** A record that could not be used is known only by its key. A cell that is written back is known only by the place of its row. */
function isAboutOne(
  { work }: Stores,
  entity: Entity,
  words: string,
  keys: readonly string[],
): (hold: Pick<Hold, 'entity' | 'key' | 'place'>) => boolean {
  const places = new Set(
    keys.flatMap((key) => {
      const place = work.stagedByKey(entity, key)?.desired?.place;
      return place === undefined ? [] : [formatPlace(place)];
    }),
  );
  return ({ entity: of, key, place }) => {
    if (of === entity && (keys.includes(key) || foldKey(key) === words)) return true;
    return work.isKept(`${of}:${key}`) || (findEntity(of) === undefined && places.has(place));
  };
}

/**
 * Keeps the reads that one of these entities depends on. If the requested object has a row, its source need not be
 * complete, because completeness only matters for missing rows.
 */
function tellOnly(
  entities: readonly Entity[],
  { staged, stopped, unread }: Pick<DerivedRun, 'staged' | 'stopped' | 'unread'>,
  hasRow: boolean,
): DerivedRun['told'] {
  const isMeant = (name: string): boolean => entities.some((entity) => entity === name.split('.')[0]);
  const matters = ({ evidence }: StreamRead): boolean => !hasRow || evidence === null || evidence.complete;
  return {
    staged: staged.flatMap((one) => (isMeant(one.entity) ? [{ ...one, deciding: one.deciding.filter(matters) }] : [])),
    stopped: stopped.filter(({ entity }) => isMeant(entity)),
    unread: unread.filter(({ leftAlone }) => leftAlone.some(isMeant)),
  };
}

function refersTo({ mappings }: Pick<Config, 'mappings'>, entity: Entity): readonly Entity[] {
  const mapped = mappings[entity]?.fields ?? {};
  return Object.entries(FIELDS[entity]).flatMap(([name, { to }]) =>
    to === undefined || mapped[name] === undefined ? [] : [to],
  );
}

function nameOfChange(stores: Stores, { entity, target }: NamedChange): string | null {
  const object = target === null ? null : stores.mirror.get(entity, target);
  return object === null ? null : naturalKeyOf(stores, object);
}

/** @param place the option, which takes complete names, or `explain`, which also finds parts of names */
export function notFound(kind: string, asked: string, inService: boolean, place: '--only' | 'explain'): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: inService
      ? `The ${kind} "${asked}" is in the service, but no source has it and no link points to it: talent-sync does not manage it.`
      : `"${asked}" was not found in the sources, the links or the service.`,
    place,
    remedy:
      place === '--only'
        ? 'Ask by source key, e-mail, external id or exact name; `talent-sync explain` finds parts of them too.'
        : 'Ask by source key, e-mail, external id or name, or a part of it.',
  });
}
