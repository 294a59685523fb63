import type { ServiceReader } from '../service/talent-service.js';
import type { WireUser } from '../service/wire.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { observeUser } from './observe.js';

/** How far the users feed has been read without finding a change. */
export interface FeedPlace {
  /** The runs' cursor. When a run moves it, the next look starts there. */
  readonly cursor: string;
  /** A stamp verbatim from the feed. */
  readonly since: string;
}

export interface FeedLook {
  /** True if a person differs from the state that the last run left. */
  readonly isNews: boolean;
  /** Where the next look starts; null until a run has read people. */
  readonly place: FeedPlace | null;
}

export interface FeedLooker {
  readonly reader: Pick<ServiceReader, 'users'>;
  /** Opens the mirror for one look, so that it is closed during calls to the service. */
  readonly withMirror: <T>(look: (mirror: MirrorStore) => T) => Promise<T>;
}

/**
 * Asks the users feed for changes since the last run or the last look, usually with one call.
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
 * Returns true if the user differs from the mirror. A run's own writes are not news, but an edit by someone else in the
 * same second as the cursor is. A mirror that was not read on this machine contains no people, so only the cursor
 * counts.
 */
function isNews(user: WireUser, cursor: string, mirror: MirrorStore): boolean {
  const shown = observeUser(user);
  const known = mirror.get('users', shown.id);
  return known === null ? user.profile_updated_at !== cursor : mirror.complete(shown).hash !== known.hash;
}
