import { USER_TAGS_MARK } from '../mirror/directory.js';
import { withValues } from '../mirror/observe-cv.js';
import { currentRound } from '../mirror/refresh.js';
import type { Directory, TagNames } from '../model/directory.js';
import type { Json } from '../model/json.js';
import type { DeriveContext } from './derive-plan.js';

/**
 * The tags of people do not show on the user object, and the spec leaves open whether they show on the master CV. So the
 * account is asked, with the tag that most people are known to have been given: one search, which must find most of them.
 * A "no" is asked again at each full read, since others may just have taken the tag off; a "yes" is doubted as soon as
 * nobody shows what was written.
 *
 * | found out     | at each full read                              | clearing               |
 * |---------------|------------------------------------------------|------------------------|
 * | yes           | one search for each tag of the mapped categories | a delete on the CV   |
 * | no            | asked again; what was written last stands for them | held               |
 * | not asked yet | nothing; as `no`                               | held                   |
 *
 * Where the service refuses the search, what was written last stands for them as well.
 */
export async function readUserTags(context: DeriveContext, directory: Directory & TagNames): Promise<void> {
  const { config, stores, usersFresh: isFullRead } = context;
  const { mirror } = stores;
  const tags = config.mappings.users?.fields.tags;
  if (typeof tags !== 'object' || Array.isArray(tags)) return;
  const categories = Object.keys(tags);
  const known = mirror.mark(USER_TAGS_MARK);
  if (known === null || (known === 'no' && isFullRead)) await probe(context, directory, categories);
  if (isFullRead && mirror.mark(USER_TAGS_MARK) === 'yes') await searchTags(context, directory, categories);
}

/** More people than this are not looked for: a page of the search holds no more. */
const ONE_PAGE = 500;

async function probe(
  { stores, refresh }: DeriveContext,
  directory: Directory & TagNames,
  categories: readonly string[],
): Promise<void> {
  const { work, mirror } = stores;
  const known = categories.flatMap((category) =>
    work
      .writtenTags(category)
      .map(({ tag, people }) => ({ id: directory.tagId(category, tag), people }))
      .filter(({ id, people }) => id !== null && people <= ONE_PAGE),
  );
  // The one that most people have: somebody may have taken it off one of them since.
  const [best] = known.sort((a, b) => b.people - a.people);
  if (best?.id == null) return;
  const page = await refresh.reader.cvs.searchPage({
    must: [onTag(best.id)],
    offset: 0,
    size: ONE_PAGE,
    signal: refresh.signal,
  });
  const names = directory.tagById(best.id);
  const found = page.cvs.filter(({ cv }) => hasWritten(cv.user_id, names, stores)).length;
  mirror.setMark(USER_TAGS_MARK, found * 2 > best.people ? 'yes' : 'no');
}

function onTag(tagId: string) {
  return { exact: { field: 'custom_tag_id', value: tagId } } as const;
}

function hasWritten(
  userId: string | null | undefined,
  names: ReturnType<TagNames['tagById']>,
  { links }: DeriveContext['stores'],
): boolean {
  if (!userId || names === null) return false;
  const tags = links.findByServiceId('users', userId)?.written?.tags;
  return (tags as Readonly<Record<string, Json>> | undefined)?.[names.category] === names.tag;
}

/** More people with a written tag than this, and none of them found: then the account shows no such tags (any more). */
const ENOUGH_TO_DOUBT = 3;

/** One search a tag, paged: whom each is on. Everybody active who is on none has none of them. */
async function searchTags(
  { stores, refresh }: DeriveContext,
  directory: Directory & TagNames,
  categories: readonly string[],
): Promise<void> {
  const { mirror, work } = stores;
  const shown = new Map<string, Record<string, Json>>();
  for (const category of categories) {
    for (const tag of directory.known('tags', category)) {
      const id = directory.tagId(category, tag);
      if (id === null) continue;
      for await (const { cvs } of refresh.reader.cvs.search({ must: [onTag(id)], signal: refresh.signal })) {
        for (const { cv } of cvs) if (cv.user_id) addTag(shown, cv.user_id, category, tag);
      }
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
    // What was seen of tags is no longer what is on the people.
    mirror.forget('users', 'tags');
    return;
  }
  for (const user of mirror.all('users')) {
    if (!user.active) continue;
    mirror.save([withValues(user, { tags: shown.get(user.id) ?? {} })], currentRound(mirror, 'users'));
  }
}

/** Two tags of one category can be on a CV by hand: the list differs from any one tag, so that it is set right. */
function addTag(shown: Map<string, Record<string, Json>>, userId: string, category: string, tag: string): void {
  const tags = shown.get(userId) ?? {};
  shown.set(userId, tags);
  const there = tags[category];
  tags[category] =
    there === undefined ? tag : Array.isArray(there) ? [...(there as readonly Json[]), tag] : [there, tag];
}
