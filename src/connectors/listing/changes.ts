import type { Clock } from '../../clock.js';
import type { Json } from '../../model/json.js';
import type { KnownRows } from '../connector.js';
import type { IncrementalConfig } from '../crm/listed-stream.js';
import { compilePointer } from '../rows/pointer.js';
import type { ChangesSince } from './dialect.js';

export interface AskedSince extends ChangesSince {
  /** Key of the row that changed last before: an honest answer has it again. null where a link is asked with. */
  readonly witness: string | null;
  /** When everything was read last. */
  readonly wholeAt: string;
}

/** Sees the rows of a read go by, and remembers which changed last. */
export interface Watch {
  see(row: Json, key: string): void;
  /** Whether the row came that must be in an honest answer. */
  hasSeenWitness(): boolean;
  /** @param wholeAt of a whole read: when it was; null after a read of changes */
  save(wholeAt: string | null, link: string | null): void;
}

export interface Changes {
  /** null when everything has to be read: it is due, nothing is known yet, or rows carry no time. */
  since(): AskedSince | null;
  /** @param witness key of the row that an honest answer has; null where nothing is held to it */
  watch(witness: string | null): Watch;
}

interface Newest {
  readonly key: string;
  readonly timeMs: number;
}

/**
 * Reads of changes alone, by time and key, or by a link that the vendor gave. Rows become visible late, and several change in one
 * moment, so it asks from some time before the newest change known; what comes again is told by its key. A filter
 * that is not understood shows: who changed last is not in the answer.
 */
export function createChanges(
  rows: KnownRows,
  incremental: IncrementalConfig | null,
  byLink: boolean,
  clock: Clock,
): Changes {
  const findTime = compilePointer(incremental?.modified ?? '');
  const readNewest = (): Newest | null => {
    const mark = rows.mark('newest');
    return mark === null ? null : (JSON.parse(mark) as Newest | null);
  };
  return {
    since() {
      if (incremental === null) return null;
      const [newest, wholeAt, link] = [readNewest(), rows.mark('whole'), rows.mark('link')];
      if (wholeAt === null || rows.count() === 0) return null;
      if (clock.now() - Date.parse(wholeAt) >= incremental.fullEveryMs) return null;
      if (byLink) return link === null || link === '' ? null : { timeMs: 0, link, witness: null, wholeAt };
      if (newest === null) return null;
      return { timeMs: newest.timeMs - incremental.overlapMs, link: null, witness: newest.key, wholeAt };
    },
    watch(witness) {
      const startedAt = clock.now();
      let isWitnessSeen = false;
      const state: { newest: Newest | null } = { newest: null };
      return {
        see(row, key) {
          if (incremental === null) return;
          isWitnessSeen ||= key === witness;
          const timeMs = readTime(findTime(row), incremental.time);
          if (timeMs !== null && timeMs > (state.newest?.timeMs ?? Number.NEGATIVE_INFINITY))
            state.newest = { key, timeMs };
        },
        hasSeenWitness: () => isWitnessSeen,
        save(wholeAt, link) {
          if (incremental === null) return;
          // A time to come would hide every change until then.
          const { newest } = state;
          const kept = newest === null ? null : { ...newest, timeMs: Math.min(newest.timeMs, startedAt) };
          if (wholeAt !== null || kept !== null) rows.setMark('newest', JSON.stringify(kept));
          if (wholeAt !== null || link !== null) rows.setMark('link', link ?? '');
          if (wholeAt !== null) rows.setMark('whole', wholeAt);
        },
      };
    },
  };
}

function readTime(value: Json | undefined, unit: IncrementalConfig['time']): number | null {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value));
  const time = isNumber ? Number(value) * (unit === 'seconds' ? 1_000 : 1) : Date.parse(String(value));
  return Number.isFinite(time) ? time : null;
}
