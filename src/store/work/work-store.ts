import { learnTexts } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createCandidates } from './candidates.js';
import { createDueDepartures } from './due-departures.js';
import { createEnrichingStore } from './enriching-store.js';
import { createEqualPairs } from './equal-pairs.js';
import { createFindingStore } from './finding-store.js';
import { createHeldBefore } from './held-before.js';
import { createHeldStore } from './held-store.js';
import { createSeenStaging } from './known-rows.js';
import { createLeftAlone } from './left-alone.js';
import { createPending } from './pending.js';
import { createPlannedStore } from './planned-store.js';
import { createPlannedWriteBackStore } from './planned-write-back-store.js';
import { createStagedCounts } from './staged-counts.js';
import { createStagedLookup } from './staged-lookup.js';
import { createStagedRows } from './staged-rows.js';
import { createStagedWords } from './staged-words.js';
import { createUnusableRows } from './unusable-store.js';
import { createWithheldStore } from './withheld-store.js';
import { createWordStore } from './word-store.js';
import { createWorkTables, emptyWorkTables } from './work-tables.js';

/**
 * The working tables of a run: findings, plan, holds. They disappear with the connection, except for the rows that the
 * next run needs.
 */
export type WorkStore = ReturnType<typeof createWorkStore>;

/** @param isOwn true if a run may be using the same files, so nothing is kept */
export function createWorkStore(sqlite: Sqlite, isOwn = false) {
  createWorkTables(sqlite, isOwn);
  const { forgetSeen, ...known } = createSeenStaging(sqlite, isOwn);
  const { forgetFilled, ...pending } = createPending(sqlite, isOwn);
  const { forgetEqual, ...equal } = createEqualPairs(sqlite);
  const unusable = createUnusableRows(sqlite);
  return {
    ...createStagedRows(sqlite, known, unusable.keepUnusable),
    ...createStagedLookup(sqlite, known),
    ...createStagedCounts(sqlite, known, pending, isOwn),
    ...createCandidates(sqlite, pending, known),
    ...createEnrichingStore(sqlite),
    ...known,
    ...pending,
    ...createStagedWords(sqlite, pending),
    ...createWordStore(sqlite),
    ...createFindingStore(sqlite),
    ...equal,
    ...createHeldStore(sqlite),
    ...createHeldBefore(sqlite),
    ...createLeftAlone(sqlite),
    ...createPlannedStore(sqlite),
    ...createPlannedWriteBackStore(sqlite),
    ...createWithheldStore(sqlite),
    ...createDueDepartures(sqlite),
    ...unusable,
    reset(): void {
      emptyWorkTables(sqlite, isOwn);
      forgetSeen();
      forgetFilled();
      forgetEqual();
    },
    /** Runs many small statements in one transaction, which must not span an await. */
    together<T>(work: () => T): T {
      learnTexts(sqlite);
      return sqlite.transaction(work)();
    },
    /**
     * Runs long work in one transaction, which is rolled back if the work returns a value or is stopped in a pause.
     * This is the only transaction that spans an await. Its tables belong to this connection, so it does not block
     * others, and they do not see it.
     */
    async unlessInSteps<T extends object>(
      steps: Generator<void, T | null>,
      pause: () => Promise<void>,
    ): Promise<T | null> {
      learnTexts(sqlite);
      sqlite.exec('BEGIN');
      try {
        for (;;) {
          const step = steps.next();
          if (step.done !== true) {
            await pause();
            continue;
          }
          sqlite.exec(step.value === null ? 'COMMIT' : 'ROLLBACK');
          return step.value;
        }
      } catch (error) {
        if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
        throw error;
      }
    },
  };
}
