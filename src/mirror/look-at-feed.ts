import type { ServiceReader } from '../service/talent-service.js';
import type { WireUser } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { observeUser } from './observe.js';

/** How far the users feed was read without news. */
export interface FeedPlace {
  /** Where the runs are: once they have moved, looks begin there. */
  readonly cursor: string;
  /** A stamp of the feed, untouched. */
  readonly since: string;
}

export interface FeedLook {
  /** Somebody is not as the last run left them. */
  readonly isNews: boolean;
  /** Where the next look begins; null where no run has read people yet. */
  readonly place: FeedPlace | null;
}

export interface FeedLooker {
  readonly reader: Pick<ServiceReader, 'users'>;
  /** Opens the mirror for a look: nobody has it open while the service is asked. */
  readonly withMirror: <T>(look: (mirror: MirrorStore) => T) => Promise<T>;
}

/**
 * Asks the users feed for what has changed since the last run, or the last look. Usually one call.
 *
 * @throws SyncError SYNC_SERVICE_*
 */
export async function lookAtFeed({ reader, withMirror }: FeedLooker, before: FeedPlace | null): Promise<FeedLook> {
  const cursor = await withMirror((mirror) => mirror.mark('users.cursor'));
  if (cursor === null) return { isNews: false, place: null };
  let place = before?.cursor === cursor ? before : { cursor, since: cursor };
  for await (const { users, resumeFrom } of reader.users.readChanges({ since: place.since })) {
    const hasNews = (mirror: MirrorStore): boolean => users.some((user) => isNews(user, cursor, mirror));
    if (users.length > 0 && (await withMirror(hasNews))) return { isNews: true, place };
    place = { cursor, since: resumeFrom };
  }
  return { isNews: false, place };
}

/**
 * Not as the mirror has them: what a run has written itself is no news, and a colleague's edit in the second of the cursor is. A mirror
 * that was not read here has nobody, and only the cursor.
 */
function isNews(user: WireUser, cursor: string, mirror: MirrorStore): boolean {
  const shown = observeUser(user);
  const known = mirror.get('users', shown.id);
  return known === null ? user.profile_updated_at !== cursor : mirror.complete(shown).hash !== known.hash;
}
