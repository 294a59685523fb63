import { officeKey, tagKey } from '../../model/directory.js';
import type { Entity } from '../../model/entity.js';
import { nearestName } from '../../model/nearest.js';
import type { Change, Reason } from '../../model/plan.js';
import { buildChange } from '../build-change.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { Draft } from './draft.js';
import { newNameOf, rivalOfOffice, takerOfOffice, takerOfWord } from './planned-places.js';

/** The record whose names are resolved. */
export type NameContext = Pick<Draft, 'entity' | 'place' | 'settings' | 'ports' | 'observed'>;

/** The reason why a name cannot be used, and the remedy. */
export interface NameProblem {
  readonly reason: string;
  readonly remedy: string;
}

/**
 * Checks that an office exists or is planned, and plans it if allowed. Adds the ref of a planned office to `needs`.
 *
 * @returns null if the office can be used
 */
export function needOffice(
  country: string,
  name: string,
  { settings, ports, place }: NameContext,
  needs: string[],
): NameProblem | null {
  const { directory } = ports.service;
  const key = officeKey(country, name);
  const id = directory.officeId(country, name);
  const newName = id === null ? null : newNameOf(id, key, ports);
  const isUnseen = ports.service.isUnseen('offices', country, name);
  const what = `office "${name}" in country "${country}"`;
  if (id !== null && newName === null) return isUnseen ? unseenName(what) : findRival(what, key, id, ports);
  // A delivered office that is about to be created, or to get this name.
  const fed = takerOfOffice(key, ports);
  if (fed !== null) {
    needs.push(`offices:${fed.key}`);
    return null;
  }
  const other = otherwiseCalled({ country, name, newName }, ports);
  if (other !== null) return other;
  const newCountry = takerOfWord('countries', country, ports);
  if (!directory.hasCountry(country) && newCountry === null) {
    return {
      reason: `The service has no country "${country}"; it has ${list(directory.known('countries'))}.`,
      remedy: 'Correct the country in the source, or create the country in the service.',
    };
  }
  if (!settings.createMissingOffices) {
    return unknownName(what, name, directory.known('offices', country), {
      option: 'users.fields.office.create_missing: true',
    });
  }
  if (isUnseen) return unseenName(what);
  needs.push(`offices:${key}`);
  if (!ports.plan.has(`offices:${key}`)) {
    const first = directory.hasCountry(country) || newCountry === null ? [] : [`countries:${newCountry.key}`];
    const office = { entity: 'offices', key, label: `${name} (${country})`, after: { country, name } } as const;
    ports.plan.add(derived({ ...office, place, needs: first }, settings));
  }
  return null;
}

function findRival(what: string, key: string, id: string, ports: ReconcilePorts): NameProblem | null {
  const rival = rivalOfOffice(key, id, ports);
  if (rival === null) return null;
  return {
    reason: `It is not clear which ${what} is meant: the office of record ${rival} will get this name too, and is held.`,
    remedy: 'Resolve the hold of that office first.',
  };
}

/**
 * Reports an office that has another name, or is about to get one. If the office were created again under its old name,
 * everyone in a source that still uses that name would be moved.
 */
function otherwiseCalled(
  { country, name, newName }: { readonly country: string; readonly name: string; readonly newName: string | null },
  { service }: NameContext['ports'],
): NameProblem | null {
  const now = newName ?? service.renamedTo(country, name);
  if (now === null) return null;
  const when = newName === null ? 'is called' : 'is about to be called';
  return {
    reason: `The office "${name}" in country "${country}" ${when} "${now}".`,
    remedy: 'Deliver the new name here as well; if another office is meant, create it in the service.',
  };
}

/** Does the same for a tag and its category. */
export function needTag(category: string, tag: string, context: NameContext, needs: string[]): NameProblem | null {
  const { settings, ports } = context;
  const { directory } = ports.service;
  const isUnseen = ports.service.isUnseen('tags', category, tag);
  const what = `tag "${tag}" in category "${category}"`;
  if (directory.tagId(category, tag) !== null) return isUnseen ? unseenName(what) : null;
  const key = tagKey(category, tag);
  const [fed] = ports.plan.claimants('tags.natural', key);
  if (fed !== undefined && ports.plan.has(`tags:${fed}`)) {
    needs.push(`tags:${fed}`);
    return null;
  }
  if (settings.createMissingTags) {
    if (isUnseen) return unseenName(what);
    needs.push(`tags:${key}`);
    planTag(category, tag, key, context);
    return null;
  }
  const known = directory.categoryId(category) !== null;
  return unknownName(
    known ? what : `tag category "${category}"`,
    known ? tag : category,
    known ? directory.known('tags', category) : directory.known('categories'),
    { option: 'tags.create_missing: true' },
  );
}

function planTag(category: string, tag: string, key: string, context: NameContext): void {
  const { place, settings, ports } = context;
  const first: string[] = [];
  if (ports.service.directory.categoryId(category) === null) first.push(planCategory(category, context));
  if (ports.plan.has(`tags:${key}`)) return;
  const after = { external_unique_id: tag, category, values: { en: tag } };
  ports.plan.add(derived({ entity: 'tags', key, label: `${category}: ${tag}`, after, place, needs: first }, settings));
}

/** Returns the ref of the change that gives a category this external id, and plans one if necessary. */
function planCategory(category: string, { entity, place, settings, ports }: NameContext): string {
  const fed = takerOfWord('tag_categories', category, ports);
  if (fed !== null && fed.reason.kind !== 'referenced') return `tag_categories:${fed.key}`;
  const ref = `tag_categories:${category}`;
  const before = ports.plan.find(ref);
  const shows = SHOWN_BY[entity] ?? 'can_be_used_for_cvs';
  if (before?.after[shows] === true) return ref;
  // The tags of the category must be shown on every kind of record that names one of them.
  const after = { external_unique_id: category, values: { en: category }, ...before?.after, [shows]: true };
  const made = { entity: 'tag_categories', key: category, label: category, after, needs: [] } as const;
  ports.plan.add(derived({ ...made, place: before?.place ?? place }, settings));
  return ref;
}

/** The flag that shows the tags of a category on records of an entity; people and CVs share one flag. */
const SHOWN_BY: Readonly<Partial<Record<Entity, string>>> = {
  customers: 'can_be_used_for_customers',
  projects: 'can_be_used_for_references',
};

/** An object that is created because a record names it. */
type Named = Pick<Change, 'entity' | 'key' | 'label' | 'after' | 'place' | 'needs'>;

function derived(named: Named, { configDigest }: EntitySettings): Change {
  const reason: Reason = { kind: 'referenced', text: 'a record refers to it and the service does not have it' };
  return buildChange(
    {
      ...named,
      action: 'create',
      target: null,
      fields: Object.keys(named.after).sort(),
      before: {},
      reason,
    },
    configDigest,
  );
}

/** A list may be incomplete, so a missing object is neither used nor created again until a second run misses it too. */
function unseenName(what: string): NameProblem {
  return {
    reason: `The service does not list the ${what}, which it listed before.`,
    remedy: 'No action needed: the next run looks again, and treats it as deleted if it is still missing.',
  };
}

function unknownName(
  what: string,
  name: string,
  known: readonly string[],
  { option }: { readonly option: string },
): NameProblem {
  const near = nearestName(name, known);
  return {
    reason: `The service has no ${what}${near === null ? '' : `; the nearest name is "${near}"`}.`,
    remedy: `Correct the name in the source, create it in the service, or set \`${option}\`.`,
  };
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}
