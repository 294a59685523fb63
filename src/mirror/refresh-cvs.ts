import type { Directory, TagNames } from '../model/directory.js';
import { SECTION_TYPES } from '../model/sections.js';
import { isSettledStamp } from '../model/settled-stamp.js';
import { isText } from '../model/shown-text.js';
import type { WireUser } from '../service/wire.js';
import type { WireCv } from '../service/wire-cv.js';
import { settleOwned } from './look-up.js';
import { observeUser, shownPlace, withValues } from './observe.js';
import { observeCv, readCvTags } from './observe-cv.js';
import { currentRound, type RefreshContext } from './refresh.js';
import { contradict } from './refused-reads.js';

/** The CV reads of one run, which reads each preview page and each CV once. */
export type CvReads = ReturnType<typeof createCvReads>;

/** Master CVs per page of previews (spec, Limits). */
export const PREVIEWS_A_PAGE = 500;

export function createCvReads(context: RefreshContext, directory: Directory & TagNames) {
  const { reader, mirror, signal, config } = context;
  const current = new Set<string>();
  let previews: Promise<ReadonlyMap<string, string>> | null = null;

  async function readOne(userId: string, stamp: string | null): Promise<void> {
    const known = mirror.get('users', userId)?.values.default_cv_id;
    // A list that omits the CV id does not prove that the person has no CV.
    const cvId = typeof known === 'string' ? known : ((await askUser(userId, context))?.default_cv_id ?? null);
    if (cvId === null) return;
    const cv = await reader.cvs.get({ userId, cvId }, signal);
    if (cv === null && (await isOwnerGone({ userId, cvId }, typeof known === 'string', context))) return;
    await saveCv(context, directory, userId, cv);
    const seen = stamp ?? cv?.updated_at ?? null;
    const isCurrent = seen !== null && isSettledStamp(seen, context.serviceTime()) && knowsTags(cv, context);
    mirror.setMark(markOf(userId), isCurrent ? seen : '');
    current.add(userId);
  }

  return {
    /**
     * Updates the mirror's copies of these people's CVs. `previews` reads only the CVs that the search shows as
     * changed. `direct` reads every CV, because the search may lag behind. A link that it does not show yet would be
     * created twice.
     */
    async read(userIds: readonly string[], how: 'previews' | 'direct'): Promise<void> {
      const wanted = [...new Set(userIds)].filter((id) => !current.has(id));
      if (wanted.length === 0) return;
      if (how === 'previews') previews ??= readPreviews(context);
      const stamps = how === 'previews' ? await previews : null;
      const moved = wanted.filter((id) => {
        const stamp = stamps?.get(id);
        const isCurrent = stamp !== undefined && stamp !== '' && stamp === mirror.mark(markOf(id));
        if (isCurrent) current.add(id);
        return !isCurrent;
      });
      const atATime = config.service.rateLimit.concurrency;
      for (let first = 0; first < moved.length; first += atATime) {
        const some = moved.slice(first, first + atATime);
        await Promise.all(some.map((id) => readOne(id, stamps?.get(id) ?? null)));
      }
    },
  };
}

/**
 * Returns true if the person was deleted after the last full read, and so has no CV. A person who still exists must
 * have one.
 *
 * @param isFromMirror true if the CV's owner is known from an earlier read and must be looked up again
 * @throws SyncError SYNC_SERVICE_REFUSED when the service names the CV but cannot find it
 */
async function isOwnerGone(
  { userId, cvId }: { readonly userId: string; readonly cvId: string },
  isFromMirror: boolean,
  context: RefreshContext,
): Promise<boolean> {
  const user = isFromMirror ? await askUser(userId, context) : undefined;
  if (user === undefined || user?.default_cv_id === cvId)
    throw contradict(`CV ${cvId}`, `GET /api/v3/cvs/${userId}/${cvId}`);
  return user === null;
}

/** Updates a person in the mirror. If the service has no such person, removes them from the mirror and returns null. */
async function askUser(userId: string, { mirror, reader, signal }: RefreshContext): Promise<WireUser | null> {
  const user = await reader.users.get(userId, signal);
  if (user === null) mirror.remove('users', [userId]);
  else mirror.save([observeUser(user)], currentRound(mirror, 'users'));
  return user;
}

function markOf(userId: string): string {
  return `cv.${userId}`;
}

/** Returns when each person's master CV last changed, by person id. */
async function readPreviews({ reader, signal }: RefreshContext): Promise<ReadonlyMap<string, string>> {
  const stamps = new Map<string, string>();
  for await (const page of reader.cvs.search({ signal, size: PREVIEWS_A_PAGE })) {
    for (const { cv } of page.cvs) if (cv.user_id) stamps.set(cv.user_id, cv.updated_at ?? '');
  }
  return stamps;
}

/** A tag without a name may be missing from the list by mistake. The CV is then read again once the tag has a name. */
function knowsTags(cv: WireCv | null, { mirror }: RefreshContext): boolean {
  const ids = cv?.custom_tag_ids ?? cv?.custom_tags?.map(({ id }) => id) ?? [];
  return ids.every((id) => mirror.get('tags', id) !== null);
}

/** Replaces everything known from a person's CV with the CV's current content. Null means that the CV does not exist. */
async function saveCv(
  context: RefreshContext,
  directory: Directory & TagNames,
  userId: string,
  cv: WireCv | null,
): Promise<void> {
  const { mirror } = context;
  const user = mirror.get('users', userId);
  const name = cv?.name ?? user?.label ?? userId;
  const objects = cv === null ? [] : observeCv(cv, { userId, cvId: cv.id, name });
  for (const entity of [...SECTION_TYPES, 'staffing'] as const) {
    const observed = objects.filter((object) => object.entity === entity);
    const shown = new Set(observed.map(({ id }) => id));
    const round = currentRound(mirror, entity);
    // Without a CV, everything on it is gone. Otherwise, objects that the CV omits are looked up.
    await settleOwned(context, { entity, by: 'user_id', owner: userId, isGone: cv === null }, shown, round);
    mirror.save(observed, round);
  }
  if (user === null || cv === null) return;
  // Texts set through the CV also appear on the person. If the person shows one language only, the CV provides the
  // text.
  const place = isText(user.values, 'place_of_residence') ? shownPlace(cv) : undefined;
  const seen = withValues(user, { cv_tags: readCvTags(cv, directory), place_of_residence: place });
  if (seen.hash !== user.hash) mirror.save([seen], currentRound(mirror, 'users'));
}
