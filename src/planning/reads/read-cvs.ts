import { findReferences } from '../../mirror/directory.js';
import { type CvReads, PREVIEWS_A_PAGE } from '../../mirror/refresh-cvs.js';
import { ENTITIES, type Entity, isAccount, isLink, liesOnCv } from '../../model/entity.js';
import { standingOf } from '../../model/left-alone.js';
import { isDoubtful, isText, SHOWN_AS_TEXT } from '../../model/shown-text.js';
import { idOfPlanned, type TakerPorts, takerOfWord } from '../../reconcile/fields/planned-places.js';
import type { DeriveContext, ReadingContext } from '../derive-context.js';
import { findObjectId } from '../match-objects.js';

/**
 * Reads the CVs that a run needs before it compares an entity whose objects are on CVs. The feed does not report CVs,
 * and there may be 100,000 of them:
 *
 * | run                       | read                                                                                    |
 * |---------------------------|-----------------------------------------------------------------------------------------|
 * | with a full read          | all previews (500 per page); if changed, complete CVs of people who have or may get something |
 * | others                    | CVs of the candidates' people: one by one, or by the previews if that takes fewer calls |
 * | before a person is linked | that person's CV, in this very run, whatever a preview says                             |
 * | if a person shows a plain text that no known language holds | the same: the CV shows the languages                  |
 *
 * CVs of deactivated people are not read, because nothing is changed on them, unless the people are about to be
 * activated.
 */
export async function readCvsFor(entity: Entity, context: ReadingContext, reads: CvReads): Promise<void> {
  const { config, stores, usersFresh: isFullRead } = context;
  const { work } = stores;
  if (isAccount(entity)) return readForPeople(context, reads);
  if (!liesOnCv(entity)) return;
  const people = (words: readonly string[]): readonly string[] => activePeople(words, context);
  if (isLink(entity)) await reads.read(people(toBeLinked(entity, context)), 'direct');
  // If nothing is ever removed, a missing row changes nothing.
  const removes = (config.mappings[entity]?.leaver?.afterMissingReads ?? 0) > 0;
  const missing = removes ? work.usersOfMissing(entity) : [];
  const ids = isFullRead ? everybodyOnCvs(context) : people([...usersOfMoving(entity, context), ...missing]);
  await readFewest(ids, context, reads);
}

/** Reads CVs for the fields of people that are on the CV. */
async function readForPeople(context: ReadingContext, reads: CvReads): Promise<void> {
  const { config, stores, usersFresh: isFullRead } = context;
  const texts = SHOWN_AS_TEXT.filter((name) => config.mappings.users?.fields[name] !== undefined);
  const shows = (id: string, name: string, are: typeof isText): boolean =>
    are(stores.mirror.get('users', id)?.values ?? {}, name);
  for (const name of texts) {
    const doubtful = candidatesWith(name, context).filter((id) => shows(id, name, isDoubtful));
    // These come first, because a CV that is unchanged according to its preview is not read again.
    if (doubtful.length > 0) await reads.read(doubtful, 'direct');
    const linked = isFullRead ? stores.work.linkedWith(name).filter((id) => shows(id, name, isText)) : [];
    if (linked.length > 0) await readFewest(linked, context, reads);
  }
  if (!hasCvTags(config)) return;
  const known = isFullRead ? everybodyOnCvs(context) : [];
  await readFewest([...known, ...candidatesWith('cv_tags', context)], context, reads);
}

async function readFewest(ids: readonly string[], context: DeriveContext, reads: CvReads): Promise<void> {
  const pages = Math.floor(context.stores.mirror.counts('users').all / PREVIEWS_A_PAGE) + 1;
  const isMany = new Set(ids).size > pages;
  await reads.read(ids, context.usersFresh || isMany ? 'previews' : 'direct');
}

/** Everyone who has, or may get, objects of any entity that is on CVs. */
function everybodyOnCvs(context: DeriveContext): readonly string[] {
  const { config, stores } = context;
  const words = ENTITIES.filter((entity) => liesOnCv(entity) && config.mappings[entity] !== undefined).flatMap(
    (entity) => [...stores.work.usersOfStaged(entity), ...stores.work.usersOfMissing(entity)],
  );
  return [...activePeople(words, context), ...(hasCvTags(config) ? stores.work.linkedWith('cv_tags') : [])];
}

function hasCvTags({ mappings }: DeriveContext['config']): boolean {
  return mappings.users?.fields.cv_tags !== undefined;
}

/** People whose record contains the field: those with a link, and those whom the record will match. */
function candidatesWith(field: string, context: ReadingContext): readonly string[] {
  const ids: string[] = [];
  for (const candidate of context.moving()) {
    const { desired } = candidate;
    if (desired.values[field] === undefined || desired.leaver) continue;
    const id = findObjectId(candidate, context);
    if (id !== null) ids.push(id);
  }
  return ids;
}

/**
 * The words for people whose CVs contain objects of the records. People who are yet to be linked were read before. A
 * deleted record without an object of ours may stay in its source for years, so only a full read looks for it.
 */
function* usersOfMoving(entity: Entity, { moving }: ReadingContext): Iterable<string> {
  for (const { desired, linkedId } of moving()) {
    const { user } = desired.values;
    if (typeof user === 'string' && (linkedId !== null || !(isLink(entity) || desired.leaver))) yield user;
  }
}

/** The words for people whom a run may link. While the project is unknown, the record is held whatever the CV shows. */
function toBeLinked(entity: Entity, { stores }: DeriveContext): readonly string[] {
  const ports = takersOf(stores);
  const isKnown = (project: string): boolean =>
    ports.service.directory.find('projects', project).length > 0 || takerOfWord('projects', project, ports) !== null;
  return stores.work.endsOfUnlinked(entity).flatMap(({ user, project }) => (isKnown(project) ? [user] : []));
}

/** People whose CVs a run may write to, including those who are about to be activated. */
function activePeople(words: readonly string[], { stores }: DeriveContext): readonly string[] {
  const { mirror, work } = stores;
  // People who are about to get that word count too, so that nothing is created twice.
  const idOf = idOfPlanned(takersOf(stores));
  const people = { observed: mirror.get, plannedByTarget: work.plannedByTarget };
  const ids = words.flatMap((word) => {
    const id = idOf('users', word);
    return id === null || mirror.get('users', id) === null || standingOf(id, people).kind === 'closed' ? [] : [id];
  });
  return [...new Set(ids)];
}

/** Resolves words to their meaning, both now and after the changes planned so far. */
function takersOf({ mirror, work }: DeriveContext['stores']): TakerPorts {
  return {
    service: { directory: { find: (to, word) => findReferences(mirror, to, word) } },
    plan: { claimants: work.claimants, find: work.planned },
  };
}
