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

/** Every store of one state folder. */
export type Stores = ReturnType<typeof openStores>;

/**
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
  // Answers of all calls in one commit enter the mirror together: there, a transaction takes as long as a write.
  const tellTogether = mirrorDb.transaction((tell) => tell());
  const stateStores = createStateStores(state, { policy, tellTogether, pushedDb, ship: options.ship ?? null });
  const mirror = createMirrorStore(mirrorDb);
  // Its tables are created on first use; commands that only read stored data do not need them.
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
    /** The rows of a stream from earlier reads. */
    sourceRows: (stream: string) => createSourceRowStore(mirrorDb, stream),
    /** Puts an object from an answer into the mirror, as seen by the newest read. */
    absorb,
    /** Returns an answered object as the mirror will store it, including values that the answer omits. */
    asMirrored: mirror.complete,
    /** Brings into the mirror, step by step, the answers of a process that died before it could. */
    *replayAbsorption(): Iterable<'absorbed' | 'forgotten'> {
      for (const observed of journal.unabsorbed()) {
        absorb(observed);
        yield 'absorbed';
      }
      // Only the mirror's log is checkpointed. Including the attached state would write its file too, and wait for the
      // disk three times.
      mirrorDb.pragma('main.wal_checkpoint(PASSIVE)');
      yield* journal.forgetAbsorbed();
    },
    /** Skips objects found equal in this run in the next one. */
    *settlePending(): Generator<void, void> {
      const seen = yield* work().settleInSteps();
      while (stateStores.links.forgetMoves(seen) > 0) yield;
    },
    /** Checks if a word named a person who has left and whose account has since been deleted, by a run or anyone else. */
    deletedWords(): { has(word: string): boolean } {
      const [byRuns, byOthers] = [stateStores.departures.deletedWords(), new Set(work().wordsOfGone().map(foldKey))];
      return { has: (word) => byRuns.has(word) || byOthers.has(foldKey(word)) };
    },
    /** Returns the object with a person's offices and tags as the lists name them now (`with-names.ts`). */
    withNames: (observed: Observed) => withNames(mirror, observed),
    /** Does the same for many objects, while the lists do not change. */
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
  /** Ships committed changes to the copy in PostgreSQL before a commit ends. */
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
  // Data pushed by identity providers is written through another connection (`open-push-store.ts`).
  const pushed: PushedReader = createPushStore(pushedDb ?? sqlite);
  return {
    /** Transactions of state.db that several callers share. */
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
    /** Stores which columns the records of a stream had. */
    filledColumns: (stream: string) => createFilledColumnStore(sqlite, stream),
    refusals: createRefusalStore(sqlite),
    pushed,
    /** Detects a new state next to the traces of an earlier one. */
    lostState: createLostStateStore(sqlite),
    /** The key that seals plans. */
    planKey: createSecretFact(sqlite, PLAN_KEY).make,
    state: {
      /**
       * Writes everything that `work` does to state.db in one transaction. Never spans an await. It is IMMEDIATE: a
       * transaction that reads first would fail if `approve` wrote in between.
       */
      transaction<T>(work: () => T): T {
        learnTexts(sqlite);
        return atomically.immediate(work) as T;
      },
    },
    /** Deletes data past its retention. */
    forgetOld: (nowMs: number) => void sqlite.transaction(() => forgetOld(sqlite, nowMs))(),
  };
}

/** Opens the mirror with state.db attached, so that both can be joined. This connection only reads state.db. */
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
    // The mirror is from a newer version, or cannot be migrated. It is only a copy: the next run reads everything
    // again.
    discardMirror(folder);
    return openDatabase(file, 'mirror', options);
  }
}

/** The mirror is only created next to a state that has tables. If state.db is empty now, its content was lost since. */
function refuseEmptied(stateFile: string, mirrorFile: string): void {
  if (!existsSync(mirrorFile) || !existsSync(stateFile) || statSync(stateFile).size > 0) return;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: 'The state database has no content, zero bytes: it no longer has links, approvals and the audit log.',
    place: stateFile,
    remedy: 'Restore the newest backup (`talent-sync state restore`), or delete the file to start without one.',
  });
}
