import type { Clock } from '../../clock.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { KnownRows } from '../connector.js';

/** From when on changes are asked for, and how the answer is held to it. */
export interface UsersSince {
  readonly time: string;
  readonly filter: string;
  /** Id of the user who changed last before: an honest answer has that user again. */
  readonly witness: string;
  /** When everybody was read last. */
  readonly wholeAt: string;
}

/** Sees the users of a read go by, and remembers the one who changed last. */
export interface UserWatch {
  see(user: Json, id: string): void;
  /** Whether the user came that must be in an honest answer. */
  hasSeenWitness(): boolean;
  /** @param wholeAt of a whole read: when it was; null after a read of changes */
  save(wholeAt: string | null): void;
}

export interface ScimChanges {
  /** null when everybody has to be read: it is due, nothing is known yet, or users carry no time of change. */
  since(): UsersSince | null;
  /** @param witness id of the user that an honest answer has; null where nothing is held to it */
  watch(witness: string | null): UserWatch;
}

interface NewestUser {
  readonly id: string;
  readonly time: string;
}

/**
 * Reads of changes alone, by `meta.lastModified`. Some providers answer such a filter with 200 and nobody, others ignore it. So
 * it asks from the time of the newest change known, that one included: who changed last must come again, and an answer
 * without that user is no answer.
 */
export function createChanges(rows: KnownRows, fullEveryMs: number | null, clock: Clock): ScimChanges {
  const readNewest = (): NewestUser | null => {
    const mark = rows.mark('newest');
    return mark === null ? null : (JSON.parse(mark) as NewestUser);
  };
  return {
    since() {
      const [newest, wholeAt] = [readNewest(), rows.mark('whole')];
      if (fullEveryMs === null || newest === null || wholeAt === null || rows.count() === 0) return null;
      if (clock.now() - Date.parse(wholeAt) >= fullEveryMs) return null;
      const { id, time } = newest;
      return { time, filter: `meta.lastModified ge "${time}"`, witness: id, wholeAt };
    },
    watch(witness) {
      let newest: NewestUser | null = null;
      let isWitnessSeen = false;
      return {
        see(user, id) {
          isWitnessSeen ||= id === witness;
          const time = readTime(user);
          if (time !== null && (newest === null || Date.parse(time) > Date.parse(newest.time))) newest = { id, time };
        },
        hasSeenWitness: () => isWitnessSeen,
        save(wholeAt) {
          // Of a read without times nothing can be asked from; the next one is whole again.
          if (wholeAt !== null || newest !== null) rows.setMark('newest', JSON.stringify(newest));
          if (wholeAt !== null) rows.setMark('whole', wholeAt);
        },
      };
    },
  };
}

/** As the provider writes it: it compares the text it is given with its own. */
function readTime(user: Json): string | null {
  const meta = isJsonObject(user) ? findAttribute(user, 'meta') : undefined;
  const time = isJsonObject(meta) ? findAttribute(meta, 'lastModified') : undefined;
  return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? time : null;
}
