import { createMappedRows, type MappedRows } from '../mirror/mapped-rows.js';
import type { Sqlite } from '../sqlite.js';
import { type Candidates, createCandidates } from './candidates.js';
import { createDueDepartures, type DueDepartures } from './due-departures.js';
import { createEnrichingStore, type EnrichingStore } from './enriching-store.js';
import { createFindingStore, type FindingStore } from './finding-store.js';
import { createHeldStore, type HeldStore } from './held-store.js';
import { createPlannedStore, type PlannedStore } from './planned-store.js';
import { createPlannedWriteBackStore, type PlannedWriteBackStore } from './planned-write-back-store.js';
import { createStagedCounts, type StagedCounts } from './staged-counts.js';
import { createStagedLookup, type StagedLookup } from './staged-lookup.js';
import { createStagedRows, type StagedRows } from './staged-rows.js';
import { createStagedWords, type StagedWords } from './staged-words.js';
import { createUnusableRows, type UnusableRows } from './unusable-store.js';
import { createWithheldStore, type WithheldStore } from './withheld-store.js';
import { createWordStore, type WordStore } from './word-store.js';
import { createWorkTables, emptyWorkTables } from './work-tables.js';

/** A run's scratch: staged, found, planned. Gone with the connection. */
export interface WorkStore
  extends StagedRows,
    StagedLookup,
    StagedCounts,
    Candidates,
    EnrichingStore,
    MappedRows,
    StagedWords,
    WordStore,
    FindingStore,
    HeldStore,
    PlannedStore,
    PlannedWriteBackStore,
    WithheldStore,
    DueDepartures,
    UnusableRows {
  reset(): void;
  /** One transaction for many small statements; never spans an await. */
  together<T>(work: () => T): T;
  /**
   * The same for work that takes long: what it did is taken back when it answers something, or is stopped in a pause. It is
   * the one transaction that spans an await, since its tables are this connection's own: nobody waits for it, nobody sees it.
   */
  unlessInSteps<T extends object>(steps: Generator<void, T | null>, pause: () => Promise<void>): Promise<T | null>;
}

export function createWorkStore(sqlite: Sqlite): WorkStore {
  createWorkTables(sqlite);
  const { remember, ...mappedRows } = createMappedRows(sqlite);
  const unusable = createUnusableRows(sqlite);
  return {
    ...createStagedRows(sqlite, remember, unusable.keepUnusable),
    ...createStagedLookup(sqlite),
    ...createStagedCounts(sqlite),
    ...createCandidates(sqlite),
    ...createEnrichingStore(sqlite),
    ...mappedRows,
    ...createStagedWords(sqlite),
    ...createWordStore(sqlite),
    ...createFindingStore(sqlite),
    ...createHeldStore(sqlite),
    ...createPlannedStore(sqlite),
    ...createPlannedWriteBackStore(sqlite),
    ...createWithheldStore(sqlite),
    ...createDueDepartures(sqlite),
    ...unusable,
    reset: () => emptyWorkTables(sqlite),
    together: (work) => sqlite.transaction(work)(),
    async unlessInSteps(steps, pause) {
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
