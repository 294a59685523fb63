import { SyncError } from '../base/errors.js';
import { ENTITIES, type Entity, findEntity, nameSeveral, wordFor } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import { parseSelector } from '../planning/only.js';
import type { WantedObject } from '../store/audit/log-filter.js';
import type { Stores } from '../store/open-stores.js';
import { findPeople } from './find-people.js';

/** An object that matches a part of a name. */
export interface MeantObject {
  readonly entity: Entity;
  readonly key: string;
  readonly label: string;
}

export interface MeantObjects {
  /** Null if several objects match. */
  readonly who: WantedObject | null;
  readonly several: readonly MeantObject[];
  /** True if there are more objects. */
  readonly isCut: boolean;
}

/** Kinds of objects that people search for by name without naming the kind. */
const NAMED: readonly Entity[] = ['users', 'customers', 'projects', 'proposals'];

/**
 * Finds the object for the requested audit entries. A key or full address means the object that has it in the log, even if
 * it belongs to someone else now. Other words are searched for in current names. A name that nobody has now is searched for
 * in the log.
 *
 * @throws SyncError SYNC_CLI_USAGE for an unknown kind of object
 */
export async function findMeant(
  stores: Stores,
  { words: asked, isVeiled }: { readonly words: string; readonly isVeiled: boolean },
): Promise<MeantObjects> {
  const { entity, words } = parseWho(asked);
  const exact: MeantObjects = { who: { entity, words }, several: [], isCut: false };
  if (words.includes('@')) return exact;
  const found: MeantObject[] = [];
  let isCut = false;
  for (const one of entity === null ? NAMED : [entity]) {
    const people = await findPeople(stores, { entity: one, words }, isVeiled);
    isCut ||= people.more;
    for (const { key, label } of people.found) if (key !== null) found.push({ entity: one, key, label: label ?? key });
  }
  if (found.some(({ key }) => foldKey(key) === words)) return exact;
  const [only, ...others] = found;
  if (only === undefined) return { ...exact, who: { entity, words, isName: true } };
  if (others.length > 0) return { who: null, several: found, isCut };
  return { ...exact, who: { entity: only.entity, words: foldKey(only.key) } };
}

/** `user:E1`, as on the command line. */
export function selectorOf({ entity, key }: Pick<MeantObject, 'entity' | 'key'>): string {
  return `${wordFor(entity)}:${key}`;
}

/** @throws SyncError SYNC_CLI_USAGE for an unknown kind of object */
export function readEntity(text: string): Entity {
  const word = text.trim().toLowerCase().replaceAll(' ', '_');
  const entity = findEntity(word) ?? ENTITIES.find((name) => nameSeveral(name) === text.trim().toLowerCase());
  if (entity !== undefined) return entity;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${text}" is not a kind of object.`,
    place: '--entity',
    remedy: `Kinds are ${ENTITIES.join(', ')}.`,
  });
}

function parseWho(text: string): { readonly entity: Entity | null; readonly words: string } {
  return /^\s*[a-z_]+:/i.test(text) ? parseSelector(text, '--who') : { entity: null, words: foldKey(text) };
}
