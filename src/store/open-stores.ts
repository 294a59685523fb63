import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError } from '../base/errors.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { PushedReader } from '../model/pushed.js';
import { type OpenDatabase, type OpenOptions, openDatabase } from './database.js';
import { createErasureStore } from './erasure-store.js';
import { discardMirror } from './integrity.js';
import { createMirrorStore } from './mirror/mirror-store.js';
import { createObjectsAhead } from './mirror/objects-ahead.js';
import { createSourceRowStore } from './mirror/source-row-store.js';
import { createWaitingStore } from './mirror/waiting-store.js';
import { rememberObjects, withNames } from './mirror/with-names.js';
import { learnTexts } from './packed-values.js';
import { findPushedCopy } from './remote/working-copy.js';
import type { Sqlite } from './sqlite.js';
import { createAcknowledgementStore } from './state/acknowledgement-store.js';
import { type AuditPolicy, createAuditStore } from './state/audit-store.js';
import { createCarriedOutStore } from './state/carried-out-store.js';
import { createDeclineStore } from './state/decline-store.js';
import { createDeliveryStore } from './state/delivery-store.js';
import { createDepartureStore } from './state/departure-store.js';
import { createDocumentStore } from './state/document-store.js';
import { createFilledColumnStore } from './state/filled-column-store.js';
import { createGroupCommit } from './state/group-commit.js';
import { createHeldChangeStore } from './state/held-change-store.js';
import { createHistoryStore } from './state/history-store.js';
import { createJournalStore } from './state/journal-store.js';
import { createLinkStore } from './state/link-store.js';
import { createNotifyStore } from './state/notify-store.js';
import { createOutboxStore } from './state/outbox-store.js';
import { createPauseStore } from './state/pause-store.js';
import { createPinStore } from './state/pin-store.js';
import { createPushStore } from './state/push-store.js';
import { createRefusalStore } from './state/refusal-store.js';
import { forgetOld } from './state/retention.js';
import { createSecretFact } from './state/secret-fact.js';
import { createLostStateStore, openStateFile } from './state/state-file.js';
import { once } from './statements.js';
import { createWorkStore } from './work/work-store.js';

const UNFIT: ReadonlySet<string> = new Set(['SYNC_STATE_NEWER', 'SYNC_STATE_MIGRATION']);

const PLAN_KEY = 'plan.key';

/** All stores of one state folder. */
export type Stores = ReturnType<typeof openStores>;

/**
 * Opens all stores of a state folder.
 *
 * @param options `lockedAt` if this process holds the run lock and may migrate older tables
 * @param policy how audit entries are written; unchanged by default
 * @throws SyncError SYNC_STATE_UNUSABLE, _OUTDATED, _NEWER, _MIGRATION
 */
export function openStores(folder: string, options: StoreOptions = { lockedAt: null }, policy?: AuditPolicy) {
  refuseEmptied(join(folder, 'state.db'), join(folder, 'mirror.db'));
  const state = openStateFile(folder, options);
  const mirrorDb = openMirrorBeside(state, folder, options);
  // If the state is in PostgreSQL, any daemon may write pushed data.
  const pushedCopy = findPushedCopy(folder);
  const pushedDb = pushedCopy === null ? null : openStateFile(pushedCopy, options).sqlite;
  // One commit may cover the answers of several calls. They enter the mirror together, because each transaction costs
  // as much as a write.
  const tellTogether = mirrorDb.transaction((tell) => tell());
  const stateStores = createStateStores(state, { policy, tellTogether, pushedDb, ship: options.ship ?? null });
  const mirror = createMirrorStore(mirrorDb);
  // The tables for this are created on first use. Commands that only read stored data do not need them.
  const work = once(() => createWorkStore(mirrorDb, options.isBeside));
  const { journal } = stateStores;
  const absorb = (observed: Observed): void =>
    mirror.save([observed], Number(mirror.mark(`${observed.entity}.round`) ?? 0));
  return {
    folder,
    ...stateStores,
    erasure: createErasureStore(state.sqlite, mirrorDb, pushedDb),
    mirror,
    objectsAhead: createObjectsAhead(mirrorDb),
    get work() {
      return work();
    },
    waiting: createWaitingStore(mirrorDb),
    /** The rows of a stream that earlier reads stored. */
    sourceRows: (stream: string) => createSourceRowStore(mirrorDb, stream),
    /** Adds an object from an answer to the mirror, as seen by the newest read. */
    absorb,
    /** Completes an object from an answer as the mirror will store it, with the values that the answer omits. */
    asMirrored: mirror.complete,
    /** Adds answers to the mirror, step by step, if an earlier process ended before it could do so. */
    *replayAbsorption(): Iterable<'absorbed' | 'forgotten'> {
      for (const observed of journal.unabsorbed()) {
        absorb(observed);
        yield 'absorbed';
      }
      // Only the mirror's log is checkpointed. Including the attached state would also write that file and wait for the
      // disk three times.
      mirrorDb.pragma('main.wal_checkpoint(PASSIVE)');
      yield* journal.forgetAbsorbed();
    },
    /** Marks objects found equal in this run, so that the next run skips them. */
    *settlePending(): Generator<void, void> {
      const seen = yield* work().settleInSteps();
      while (stateStores.links.forgetMoves(seen) > 0) yield;
    },
    /** Returns the words that named people who left and lost their accounts, deleted by a run or by others. */
    deletedWords(): { has(word: string): boolean } {
      const [byRuns, byOthers] = [stateStores.departures.deletedWords(), new Set(work().wordsOfGone().map(foldKey))];
      return { has: (word) => byRuns.has(word) || byOthers.has(foldKey(word)) };
    },
    /** Returns the object with a person's offices and tags as the current lists name them (`with-names.ts`). */
    withNames: (observed: Observed) => withNames(mirror, observed),
    /** Like `withNames`, but faster for many objects, as long as the lists do not change. */
    rememberNames(): (observed: Observed) => Observed {
      const once = rememberObjects(mirror);
      return (observed) => withNames(once, observed);
    },
    close(): void {
      stateStores.commits.close();
      mirrorDb.close();
      pushedDb?.close();
      state.sqlite.close();
    },
  };
}

export interface StoreOptions extends OpenOptions {
  /** Stores committed changes in PostgreSQL before a commit resolves. */
  readonly ship?: () => Promise<void>;
}

interface StateOptions {
  readonly ship: (() => Promise<void>) | null;
  readonly policy: AuditPolicy | undefined;
  readonly tellTogether: (tell: () => void) => void;
  readonly pushedDb: Sqlite | null;
}

function createStateStores(state: OpenDatabase, { policy, tellTogether, pushedDb, ship }: StateOptions) {
  const { sqlite } = state;
  const atomically = sqlite.transaction((work: () => unknown) => work());
  // Another connection writes the data that identity providers push (`open-push-store.ts`).
  const pushed: PushedReader = createPushStore(pushedDb ?? sqlite);
  return {
    /** Transactions of state.db that several callers can share. */
    commits: createGroupCommit(sqlite, tellTogether, ship),
    links: createLinkStore(sqlite),
    journal: createJournalStore(sqlite),
    audit: createAuditStore(sqlite, policy),
    deliveries: createDeliveryStore(sqlite),
    documents: createDocumentStore(sqlite),
    departures: createDepartureStore(sqlite),
    history: createHistoryStore(state),
    carriedOut: createCarriedOutStore(sqlite),
    heldChanges: createHeldChangeStore(sqlite),
    notify: createNotifyStore(sqlite),
    outbox: createOutboxStore(sqlite),
    acknowledgements: createAcknowledgementStore(sqlite),
    declines: createDeclineStore(sqlite),
    pauses: createPauseStore(sqlite),
    pins: createPinStore(sqlite),
    /** The columns that a stream's records had values in. */
    filledColumns: (stream: string) => createFilledColumnStore(sqlite, stream),
    refusals: createRefusalStore(sqlite),
    pushed,
    /** Detects that a new state was created although traces of an earlier one exist. */
    lostState: createLostStateStore(sqlite),
    /** The key for sealing plans. */
    planKey: createSecretFact(sqlite, PLAN_KEY).make,
    state: {
      /**
       * Writes everything that `work` does to state.db in one transaction, which must not span an await. It is
       * IMMEDIATE, because a transaction that reads first would fail if `approve` wrote in between.
       */
      transaction<T>(work: () => T): T {
        learnTexts(sqlite);
        return atomically.immediate(work) as T;
      },
    },
    /** Deletes data that is past its retention period. */
    forgetOld: (nowMs: number) => void sqlite.transaction(() => forgetOld(sqlite, nowMs))(),
  };
}

/** Opens the mirror with state.db attached, so that queries can join both. This connection only reads state.db. */
function openMirrorBeside(state: OpenDatabase, folder: string, options: OpenOptions): Sqlite {
  try {
    const { sqlite } = openMirror(folder, options);
    sqlite.prepare('ATTACH DATABASE ? AS state').run(join(folder, 'state.db'));
    return sqlite;
  } catch (error) {
    state.sqlite.close();
    throw error;
  }
}

function openMirror(folder: string, options: OpenOptions): OpenDatabase {
  const file = join(folder, 'mirror.db');
  try {
    return openDatabase(file, 'mirror', options);
  } catch (error) {
    if (options.lockedAt === null || !(error instanceof SyncError) || !UNFIT.has(error.code)) throw error;
    // The mirror is from a newer version, or its migration failed. It is only a copy, so the next run reads everything
    // again.
    discardMirror(folder);
    return openDatabase(file, 'mirror', options);
  }
}

/** The mirror is only created next to a state that has tables. If state.db is now empty, its content was lost. */
function refuseEmptied(stateFile: string, mirrorFile: string): void {
  if (!existsSync(mirrorFile) || !existsSync(stateFile) || statSync(stateFile).size > 0) return;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: 'The state database is empty (0 bytes), so its links, approvals and audit log are lost.',
    place: stateFile,
    remedy: 'Restore the newest backup (`talent-sync state restore`), or delete the file to start with an empty state.',
  });
}
