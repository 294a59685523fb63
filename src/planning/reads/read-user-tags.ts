import { USER_TAGS_MARK } from '../../mirror/directory.js';
import { withValues } from '../../mirror/observe.js';
import { currentRound } from '../../mirror/refresh.js';
import type { Directory, TagNames } from '../../model/directory.js';
import { itemsOf, type Json, objectOf } from '../../model/json.js';
import type { DeriveContext } from '../derive-context.js';

/**
 * Reads the tags of people. The user object does not show them, and the spec does not say whether the master CV does.
 * So one search checks this. It asks for the tag that most people are known to have, or at first contact for the one
 * that the sources want for most people, and must find most of them. A negative result is checked again in each full
 * read, because somebody may just have removed the tag. A positive result is doubted as soon as nobody shows the tag
 * that was written.
 *
 * | found out       | at each full read                                | clearing           |
 * |-----------------|--------------------------------------------------|--------------------|
 * | yes             | one search for each tag of the mapped categories | a delete on the CV |
 * | no              | checked again; what was written last counts      | held               |
 * | not checked yet | nothing; as `no`                                 | held               |
 *
 * If the service rejects the search, what was written last counts as well.
 */
export async function readUserTags(context: DeriveContext, directory: Directory & TagNames): Promise<void> {
  const { config, stores, usersFresh: isFullRead } = context;
  const { mirror } = stores;
  const tags = config.mappings.users?.fields.tags;
  if (typeof tags !== 'object' || Array.isArray(tags)) return;
  const categories = Object.keys(tags);
  const known = mirror.mark(USER_TAGS_MARK);
  const findPeople = createSearch(context);
  if (known === null || (known === 'no' && isFullRead)) await probe(context, directory, categories, findPeople);
  if (isFullRead && mirror.mark(USER_TAGS_MARK) === 'yes') await searchTags(context, directory, categories, findPeople);
}

/** Tags that more people have are not used for the check, because a page of the search holds no more. */
const ONE_PAGE = 500;

/** Returns the people whose CVs show a tag. */
type FindPeople = (tagId: string) => Promise<readonly string[]>;

/** Makes one paged search per tag, however often it is called. */
function createSearch({ refresh }: DeriveContext): FindPeople {
  const asked = new Map<string, Promise<readonly string[]>>();
  const search = async (tagId: string): Promise<readonly string[]> => {
    const people: string[] = [];
    const must = [{ exact: { field: 'custom_tag_id', value: tagId } }] as const;
    for await (const { cvs } of refresh.reader.cvs.search({ must, signal: refresh.signal }))
      people.push(...cvs.flatMap(({ cv }) => cv.user_id || []));
    return people;
  };
  return (tagId) => {
    const people = asked.get(tagId) ?? search(tagId);
    asked.set(tagId, people);
    return people;
  };
}

async function probe(
  { stores }: DeriveContext,
  directory: Directory & TagNames,
  categories: readonly string[],
  findPeople: FindPeople,
): Promise<void> {
  const { work, mirror } = stores;
  // The tag that most people have, because somebody may have removed it from one of them since.
  const findBest = (tagsOf: typeof work.writtenTags) =>
    categories
      .flatMap((category) =>
        tagsOf(category).map(({ tag, people }) => ({ id: directory.tagId(category, tag) ?? '', people })),
      )
      .filter(({ id, people }) => id !== '' && people <= ONE_PAGE)
      .sort((a, b) => b.people - a.people)[0];
  const written = findBest(work.writtenTags);
  // At first contact nothing was written yet, but the account may have the tags already.
  const best = written ?? findBest(work.wantedTags);
  if (best === undefined || mirror.counts('users').active * 2 <= best.people) return;
  const names = directory.tagById(best.id);
  const people = await findPeople(best.id);
  const found = written === undefined ? people : people.filter((id) => hasWritten(id, names, stores));
  const isShown = found.length * 2 > best.people;
  if (isShown || written !== undefined) mirror.setMark(USER_TAGS_MARK, isShown ? 'yes' : 'no');
}

function hasWritten(
  userId: string,
  names: ReturnType<TagNames['tagById']>,
  { links }: DeriveContext['stores'],
): boolean {
  if (names === null) return false;
  const tags = links.findByServiceId('users', userId)?.written?.tags;
  return (tags as Readonly<Record<string, Json>> | undefined)?.[names.category] === names.tag;
}

/** If this many people have a written tag and none of them is found, the account does not show such tags (any more). */
const ENOUGH_TO_DOUBT = 3;

/** Finds the people of each tag. Any other active person has none of these tags. */
async function searchTags(
  { stores }: DeriveContext,
  directory: Directory & TagNames,
  categories: readonly string[],
  findPeople: FindPeople,
): Promise<void> {
  const { mirror, work } = stores;
  const shown = new Map<string, Record<string, Json>>();
  for (const category of categories) {
    for (const tag of directory.known('tags', category)) {
      const id = directory.tagId(category, tag);
      if (id === null) continue;
      for (const userId of await findPeople(id)) addTag(shown, userId, category, tag);
    }
  }
  const written = categories
    .flatMap((category) => work.writtenTags(category))
    .reduce((sum, one) => sum + one.people, 0);
  const isAnyShown = [...shown].some(([id, tags]) =>
    Object.entries(tags).some(([category, tag]) => hasWritten(id, { category, tag: String(tag) }, stores)),
  );
  if (!isAnyShown && written >= ENOUGH_TO_DOUBT) {
    mirror.setMark(USER_TAGS_MARK, 'no');
    // The tags seen so far no longer match those of the people.
    mirror.forget('users', 'tags');
    return;
  }
  for (const user of mirror.all('users')) {
    if (!user.active) continue;
    // Categories that are no longer mapped were not searched; an undo still uses the stored tags of these categories.
    const unasked = Object.entries(objectOf(user.values.tags)).filter(([category]) => !categories.includes(category));
    const tags = { ...Object.fromEntries(unasked), ...shown.get(user.id) };
    mirror.save([withValues(user, { tags })], currentRound(mirror, 'users'));
  }
}

/**
 * A CV can have two tags of one category if somebody added them manually. The list differs from any single tag, so it
 * is corrected.
 */
function addTag(shown: Map<string, Record<string, Json>>, userId: string, category: string, tag: string): void {
  const tags = shown.get(userId) ?? {};
  shown.set(userId, tags);
  const there = tags[category];
  tags[category] = there === undefined ? tag : [...itemsOf(there), tag];
}
