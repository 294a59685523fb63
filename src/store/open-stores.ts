import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError } from '../errors.js';
import type { Observed } from '../model/observed.js';
import type { PushedReader } from '../model/pushed.js';
import { type OpenDatabase, type OpenOptions, openDatabase } from './database.js';
import { createErasureStore, type ErasureStore } from './erasure-store.js';
import { createMirrorStore, type MirrorStore } from './mirror/mirror-store.js';
import { createSourceRowStore, type SourceRowStore } from './mirror/source-row-store.js';
import { withNames } from './mirror/with-names.js';
import type { Sqlite } from './sqlite.js';
import { type AcknowledgementStore, createAcknowledgementStore } from './state/acknowledgement-store.js';
import { type AuditPolicy, type AuditStore, createAuditStore } from './state/audit-store.js';
import { createDeliveryStore, type DeliveryStore } from './state/delivery-store.js';
import { createDepartureStore, type DepartureStore } from './state/departure-store.js';
import { createHistoryStore, type HistoryStore } from './state/history-store.js';
import { createJournalStore, type JournalStore } from './state/journal-store.js';
import { createLinkStore, type LinkStore } from './state/link-store.js';
import { createOutboxStore, type OutboxStore } from './state/outbox-store.js';
import { createPinStore, type PinStore } from './state/pin-store.js';
import { createPushStore } from './state/push-store.js';
import { createRefusalStore, type RefusalStore } from './state/refusal-store.js';
import { forgetOld } from './state/retention.js';
import { createSecretFact } from './state/secret-fact.js';
import { createLostStateStore, type LostStateStore, openStateFile } from './state/state-file.js';
import { createWorkStore, type WorkStore } from './work/work-store.js';

const UNFIT: ReadonlySet<string> = new Set(['SYNC_STATE_NEWER', 'SYNC_STATE_MIGRATION']);

const PLAN_KEY = 'plan.key';

/** Every store of one state folder. */
export interface Stores {
  readonly folder: string;
  readonly acknowledgements: AcknowledgementStore;
  readonly links: LinkStore;
  readonly journal: JournalStore;
  readonly audit: AuditStore;
  readonly deliveries: DeliveryStore;
  readonly departures: DepartureStore;
  readonly erasure: ErasureStore;
  readonly history: HistoryStore;
  readonly outbox: OutboxStore;
  readonly pins: PinStore;
  readonly refusals: RefusalStore;
  /** What identity providers have pushed. */
  readonly pushed: PushedReader;
  readonly mirror: MirrorStore;
  readonly work: WorkStore;
  /** The rows of a stream as earlier reads brought them. */
  readonly sourceRows: (stream: string) => SourceRowStore;
  /** Whether it is new beside the traces of an earlier one. */
  readonly lostState: LostStateStore;
  /** What plans are sealed with. */
  readonly planKey: () => string;
  readonly state: {
    /** All that `work` does to state.db is on disk together, or not at all. Never spans an await. */
    transaction(work: () => void): void;
  };
  /** Puts an answered object into the mirror, as seen by the newest read. */
  absorb(observed: Observed): void;
  /** An answered object as the mirror will have it: with what the answer leaves out. */
  asMirrored(observed: Observed): Observed;
  /** Drops what is too old to be asked for. */
  forgetOld(nowMs: number): void;
  /** Gives the mirror what a process that died between the two files could not. */
  replayAbsorption(): void;
  /** The same object with the offices and tags of a person as the lists name them now (`with-names.ts`). */
  withNames(observed: Observed): Observed;
  close(): void;
}

/**
 * @param options `lockedAt` when this process holds the run lock, and may bring older tables up
 * @param policy how audit entries are written; as they are, without it
 * @throws SyncError SYNC_STATE_UNUSABLE, _OUTDATED, _NEWER, _MIGRATION
 */
export function openStores(folder: string, options: OpenOptions = { lockedAt: null }, policy?: AuditPolicy): Stores {
  refuseEmptied(join(folder, 'state.db'), join(folder, 'mirror.db'));
  const state = openStateFile(folder, options);
  const mirrorDb = openMirrorBeside(state, folder, options);
  const stateStores = createStateStores(state, policy);
  const mirror = createMirrorStore(mirrorDb);
  const { journal } = stateStores;
  const absorb = (observed: Observed): void =>
    mirror.save([observed], Number(mirror.mark(`${observed.entity}.round`) ?? 0));
  return {
    folder,
    ...stateStores,
    erasure: createErasureStore(state.sqlite, mirrorDb),
    mirror,
    work: createWorkStore(mirrorDb),
    sourceRows: (stream) => createSourceRowStore(mirrorDb, stream),
    absorb,
    asMirrored: mirror.complete,
    replayAbsorption() {
      journal.unabsorbed().forEach(absorb);
      mirrorDb.pragma('wal_checkpoint(PASSIVE)');
      journal.forgetAbsorbed();
    },
    withNames: (observed) => withNames(mirror, observed),
    close() {
      mirrorDb.close();
      state.sqlite.close();
    },
  };
}

type MirrorStores =
  | 'folder'
  | 'erasure'
  | 'mirror'
  | 'work'
  | 'sourceRows'
  | 'absorb'
  | 'asMirrored'
  | 'replayAbsorption'
  | 'withNames'
  | 'close';

function createStateStores(state: OpenDatabase, policy: AuditPolicy | undefined): Omit<Stores, MirrorStores> {
  const { sqlite } = state;
  return {
    links: createLinkStore(sqlite),
    journal: createJournalStore(sqlite),
    audit: createAuditStore(sqlite, policy),
    deliveries: createDeliveryStore(sqlite),
    departures: createDepartureStore(sqlite),
    history: createHistoryStore(state),
    outbox: createOutboxStore(sqlite),
    acknowledgements: createAcknowledgementStore(sqlite),
    pins: createPinStore(sqlite),
    refusals: createRefusalStore(sqlite),
    pushed: createPushStore(sqlite),
    lostState: createLostStateStore(sqlite),
    planKey: createSecretFact(sqlite, PLAN_KEY).make,
    // Immediate: a transaction that read first and found `approve` to have written meanwhile would fail.
    state: { transaction: (work) => void sqlite.transaction(work).immediate() },
    forgetOld: (nowMs) => void sqlite.transaction(() => forgetOld(sqlite, nowMs))(),
  };
}

/** The mirror with state.db attached: they are joined where they lie, and this connection only ever reads the durable file. */
function openMirrorBeside(state: OpenDatabase, folder: string, options: OpenOptions): Sqlite {
  try {
    const { sqlite } = openMirror(join(folder, 'mirror.db'), options);
    sqlite.prepare('ATTACH DATABASE ? AS state').run(join(folder, 'state.db'));
    return sqlite;
  } catch (error) {
    state.sqlite.close();
    throw error;
  }
}

function openMirror(file: string, options: OpenOptions): OpenDatabase {
  try {
    return openDatabase(file, 'mirror', options);
  } catch (error) {
    if (options.lockedAt === null || !(error instanceof SyncError) || !UNFIT.has(error.code)) throw error;
    // Of a newer version, or not to be brought up: it is only a copy, and the next run reads everything again.
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
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
