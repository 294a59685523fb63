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
 * @param options `lockedAt` when this process holds the run lock, and may bring older tables up
 * @param policy how audit entries are written; as they are, without it
 * @throws SyncError SYNC_STATE_UNUSABLE, _OUTDATED, _NEWER, _MIGRATION
 */
export function openStores(folder: string, options: StoreOptions = { lockedAt: null }, policy?: AuditPolicy) {
  refuseEmptied(join(folder, 'state.db'), join(folder, 'mirror.db'));
  const state = openStateFile(folder, options);
  const mirrorDb = openMirrorBeside(state, folder, options);
  // If the state is in PostgreSQL, any daemon writes what is pushed.
  const pushedCopy = findPushedCopy(folder);
  const pushedDb = pushedCopy === null ? null : openStateFile(pushedCopy, options).sqlite;
  // What the calls of one commit have answered comes into the mirror together: a transaction there takes as long as a write.
  const tellTogether = mirrorDb.transaction((tell) => tell());
  const stateStores = createStateStores(state, { policy, tellTogether, pushedDb, ship: options.ship ?? null });
  const mirror = createMirrorStore(mirrorDb);
  // Its tables are made when they are first asked for: who only looks at what is kept does without them.
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
    /** The rows of a stream as earlier reads brought them. */
    sourceRows: (stream: string) => createSourceRowStore(mirrorDb, stream),
    /** Puts an answered object into the mirror, as seen by the newest read. */
    absorb,
    /** An answered object as the mirror will have it: with what the answer leaves out. */
    asMirrored: mirror.complete,
    /** Gives the mirror what a process that died between the two files could not, step by step. */
    *replayAbsorption(): Iterable<'absorbed' | 'forgotten'> {
      for (const observed of journal.unabsorbed()) {
        absorb(observed);
        yield 'absorbed';
      }
      // The mirror's alone: the state attached to it would be written to its file as well, with three waits for the disk.
      mirrorDb.pragma('main.wal_checkpoint(PASSIVE)');
      yield* journal.forgetAbsorbed();
    },
    /** What was found equal in this run is not looked at in the next one. */
    *settlePending(): Generator<void, void> {
      const seen = yield* work().settleInSteps();
      while (stateStores.links.forgetMoves(seen) > 0) yield;
    },
    /** Whether a word named somebody who has left, and whose account was deleted since, by whomever. */
    deletedWords(): { has(word: string): boolean } {
      const [byRuns, byOthers] = [stateStores.departures.deletedWords(), new Set(work().wordsOfGone().map(foldKey))];
      return { has: (word) => byRuns.has(word) || byOthers.has(foldKey(word)) };
    },
    /** The same object with the offices and tags of a person as the lists name them now (`with-names.ts`). */
    withNames: (observed: Observed) => withNames(mirror, observed),
    /** The same for many, while the lists stay as they are. */
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
  /** Brings what is committed to the copy in PostgreSQL, before a commit ends. */
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
  // What identity providers push is written through another connection (`open-push-store.ts`).
  const pushed: PushedReader = createPushStore(pushedDb ?? sqlite);
  return {
    /** Transactions of state.db that many share. */
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
    /** Which columns the records of a stream had. */
    filledColumns: (stream: string) => createFilledColumnStore(sqlite, stream),
    refusals: createRefusalStore(sqlite),
    pushed,
    /** Whether it is new beside the traces of an earlier one. */
    lostState: createLostStateStore(sqlite),
    /** What plans are sealed with. */
    planKey: createSecretFact(sqlite, PLAN_KEY).make,
    state: {
      /**
       * All that `work` does to state.db is on disk together, or not at all. Never spans an await. Immediate: a transaction
       * that read first and found `approve` to have written meanwhile would fail.
       */
      transaction<T>(work: () => T): T {
        learnTexts(sqlite);
        return atomically.immediate(work) as T;
      },
    },
    /** Drops what is too old to be asked for. */
    forgetOld: (nowMs: number) => void sqlite.transaction(() => forgetOld(sqlite, nowMs))(),
  };
}

/** The mirror with state.db attached: they are joined where they lie, and this connection only ever reads the durable file. */
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
    // Of a newer version, or not to be brought up: it is only a copy, and the next run reads everything again.
    discardMirror(folder);
    return openDatabase(file, 'mirror', options);
  }
}

/** The copy is only ever made beside a state that has its tables: without a byte in it, that state was lost since. */
function refuseEmptied(stateFile: string, mirrorFile: string): void {
  if (!existsSync(mirrorFile) || !existsSync(stateFile) || statSync(stateFile).size > 0) return;
  throw new SyncError('SYNC_STATE_UNUSABLE', {
    message: 'The state database has no content, zero bytes: links, approvals and the audit are not in it any more.',
    place: stateFile,
    remedy: 'Restore the newest backup (`talent-sync state restore`), or delete the file to begin without one.',
  });
}
