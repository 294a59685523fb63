import { SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { ReadArea, RefusedReads } from '../../mirror/refused-reads.js';
import { ENTITIES, type Entity } from '../../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../../model/fields.js';
import { SECTION_TYPES, type SectionType } from '../../model/sections.js';

/**
 * A read that the service rejected, and everything that is left alone because of it, for example `certifications`,
 * `users.cv_tags`.
 */
export interface Unread {
  readonly area: ReadArea;
  readonly leftAlone: readonly string[];
  readonly error: SyncError;
}

function onCv<T>(value: T): Readonly<Record<SectionType, T>> {
  return Object.fromEntries(SECTION_TYPES.map((entity) => [entity, value] as const)) as Record<SectionType, T>;
}

/** The reads that are required before any object of an entity can be compared. Projects are read by customer. */
const NEEDS: Readonly<Record<Entity, readonly ReadArea[]>> = {
  countries: ['offices'],
  offices: ['offices'],
  tag_categories: ['tags'],
  tags: ['tags'],
  users: ['users'],
  ...onCv(['cvs']),
  customers: ['customers'],
  projects: ['customers', 'projects'],
  staffing: ['cvs'],
  proposals: ['proposals'],
};

/** The read that shows the objects of an entity themselves. */
export function areaOf(entity: Entity): ReadArea {
  return NEEDS[entity].at(-1) ?? 'users';
}

/** The reads that resolve the names in a value of this shape. */
const NAMES: Readonly<Partial<Record<FieldShape, readonly ReadArea[]>>> = {
  office: ['offices'],
  offices: ['offices'],
  tags: ['tags'],
  tag_sets: ['tags'],
  industry: ['industries'],
};

/** The reads that a field depends on: those for the names in it, for the objects it refers to, and for showing the field at all. */
function needsOf({ shape, to, onCv: isOnCv }: Field): readonly ReadArea[] {
  const names = NAMES[shape] ?? [];
  return [...names, ...(to === undefined ? [] : NEEDS[to]), ...(isOnCv === true && shape === 'tag_sets' ? CVS : [])];
}

const CVS: readonly ReadArea[] = ['cvs'];

function mappedFields({ mappings }: Config, entity: Entity): readonly (readonly [string, Field])[] {
  const mapped = mappings[entity]?.fields ?? {};
  return Object.entries(FIELDS[entity]).filter(([name]) => mapped[name] !== undefined);
}

/** Everything that must be readable before any change to an entity can be planned: the entity itself, and everything it requires. */
function areasOf(config: Config, entity: Entity): ReadonlySet<ReadArea> {
  const required = mappedFields(config, entity).filter(([, { required: is }]) => is === true);
  return new Set([...NEEDS[entity], ...required.flatMap(([, field]) => needsOf(field))]);
}

/** The rejection that prevents planning an entity at all; null if there is none. */
export function findRefusal(config: Config, entity: Entity, refused: RefusedReads): SyncError | null {
  for (const area of areasOf(config, entity)) {
    const error = refused.find(area);
    if (error !== null) return error;
  }
  return null;
}

/** The fields of an entity that stay unchanged, because a read that they depend on was rejected. */
export function listUnreadFields(config: Config, entity: Entity, refused: RefusedReads): ReadonlySet<string> {
  const unread = mappedFields(config, entity).filter(([, field]) =>
    needsOf(field).some((area) => refused.find(area) !== null),
  );
  return new Set(unread.map(([name]) => name));
}

/** Lists each rejection with everything that is left alone because of it. */
export function listUnread(config: Config, refused: RefusedReads): readonly Unread[] {
  return refused.all().map(({ area, error }) => {
    const leftAlone = ENTITIES.filter((entity) => config.mappings[entity] !== undefined).flatMap((entity) => {
      if (areasOf(config, entity).has(area)) return [entity];
      const fields = mappedFields(config, entity).filter(([, field]) => needsOf(field).includes(area));
      return fields.map(([name]) => `${entity}.${name}`);
    });
    return { area, leftAlone, error: unreadError(area, leftAlone, error) };
  });
}

const WORDS: Readonly<Record<ReadArea, string>> = {
  offices: 'countries and offices',
  tags: 'tags',
  users: 'users',
  cvs: 'CVs',
  customers: 'customers',
  projects: 'projects',
  industries: 'industries, by the search of projects',
  proposals: 'proposals',
};

function unreadError(area: ReadArea, leftAlone: readonly string[], error: SyncError): SyncError {
  const follows =
    leftAlone.length === 0 ? 'Nothing that is mapped depends on it.' : `Left alone: ${leftAlone.join(', ')}.`;
  const isTooLarge = error.code === 'SYNC_SERVICE_TOO_LARGE';
  return new SyncError(error.code, {
    message: `Reading ${WORDS[area]} ${isTooLarge ? 'failed' : 'was rejected'}. ${follows} ${error.message}`,
    ...(error.place === undefined ? {} : { place: error.place }),
    remedy: remedyFor(area, error),
    cause: error,
  });
}

function remedyFor(area: ReadArea, { code, remedy }: SyncError): string {
  if (code === 'SYNC_SERVICE_TOO_LARGE') return remedy;
  if (code === 'SYNC_SERVICE_FORBIDDEN')
    return `Give the key the permission to read ${WORDS[area]}; \`talent-sync check\` tests all required permissions. ${remedy}`;
  return `Look at the answer of the service. Check that \`service.base_url\` is right, and that the account has this part; the next run reads it again.`;
}
