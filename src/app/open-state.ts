import { type Clock, isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Fence } from '../base/fence.js';
import type { Logger } from '../base/logger.js';
import type { Config } from '../config/config.js';
import { verifyChainInTurns } from '../store/audit/verify-chain.js';
import { CHECKED_FACT, checkMirror, checkState, damaged, discardMirror } from '../store/integrity.js';
import { openStores, type Stores } from '../store/open-stores.js';
import { acquireRunLock, lockFolder, type RunLock } from '../store/run-lock.js';
import type { AuditPolicy } from '../store/state/audit-store.js';

export interface OpenStateOptions {
  /** ISO 8601; the caller holds the run lock. */
  readonly at: string;
  readonly policy?: AuditPolicy;
  readonly logger: Logger;
  /** Protects calls to other systems if this state is stored in PostgreSQL. */
  readonly fence?: Fence | null;
}

/**
 * Opens a state for the holder of its lock. A damaged state.db is an error; a damaged mirror.db is replaced with an
 * empty one.
 *
 * @throws SyncError SYNC_STATE_DAMAGED, and the errors of `openStores`
 */
export async function openState(
  folder: string,
  { at, policy, logger, fence = null }: OpenStateOptions,
): Promise<Stores> {
  const checked = await checkState(folder, at);
  const fault = await checkMirror(folder, checked);
  if (fault !== null) {
    logger.warn({ state: folder, fault }, 'mirror.db is damaged, so it is deleted and everything is read again');
    discardMirror(folder);
  }
  const stores = openStores(
    folder,
    {
      lockedAt: at,
      ...(fence === null ? {} : { ship: () => fence.ship() }),
      onOpenFile: (file) =>
        logger.warn(
          { file },
          'other users can read this file, and only its owner could change that; the file is used unchanged',
        ),
    },
    policy,
  );
  try {
    if (checked.how === 'whole') {
      const { broken } = await verifyChainInTurns(stores.audit);
      if (broken !== null) throw damaged(`${folder}/state.db`, `audit entry ${broken.seq}: ${broken.reason}`);
      if (checked.isDue) stores.history.setFact(CHECKED_FACT, at);
    }
    return stores;
  } catch (error) {
    stores.close();
    throw error;
  }
}

/** Opens the state of the configured account for the holder of its run lock. It needs no secrets. */
export async function openLocked(
  config: Config,
  { clock, logger, fence = null }: Pick<LockOptions, 'clock'> & Pick<OpenStateOptions, 'logger' | 'fence'>,
  of: 'its account' | 'any account' = 'its account',
): Promise<Stores> {
  const stores = await openState(config.state, { at: isoNow(clock), policy: config.audit, logger, fence });
  try {
    if (of === 'its account') checkAccount(config, stores);
    return stores;
  } catch (error) {
    stores.close();
    throw error;
  }
}

export interface LockOptions {
  readonly clock: Clock;
  /** The name that others see as the lock's holder: `sync, process 4711`. */
  readonly holder: string;
  /**
   * Called once with an error that names the current holder. The caller then waits for the lock. Without this
   * callback, a held lock is an error.
   */
  readonly onLocked?: (error: SyncError) => void;
  readonly signal?: AbortSignal;
  /** Set if the caller already holds the lock and will release it. */
  readonly lock?: RunLock;
  /** True if the folder is a copy of a state in PostgreSQL. */
  readonly isCopy?: boolean;
}

/** Milliseconds between attempts to get a held lock. */
const LOCK_LOOK_MS = 500;

/** @throws SyncError SYNC_STATE_LOCKED if another process holds the lock and `onLocked` is not given */
export async function waitForRunLock(
  folder: string,
  { holder, onLocked, clock, signal, lock, isCopy = false }: LockOptions,
): Promise<RunLock> {
  if (lock !== undefined) return { note: (doing) => lock.note(doing), close: () => undefined };
  for (let told = false; ; told = true) {
    try {
      return isCopy ? lockFolder(folder, holder) : acquireRunLock(folder, holder);
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED') || onLocked === undefined) throw error;
      if (!told) onLocked(error);
    }
    await clock.sleep(LOCK_LOOK_MS, signal);
  }
}

/** Links and base values contain the ids of one account, so they must not be used with another. */
function checkAccount(config: Config, stores: Stores): void {
  const { hostname } = new URL(config.service.baseUrl);
  const known = stores.history.fact('account');
  if (known === null) stores.history.setFact('account', hostname);
  else if (known !== hostname) {
    throw new SyncError('SYNC_STATE_OTHER_ACCOUNT', {
      message: `This state belongs to ${known}, but the configuration names ${hostname}.`,
      place: config.state,
      remedy: `If the account has moved to ${hostname}, run \`talent-sync state move --to ${config.service.baseUrl}\`. It first looks up linked people there, and keeps links, approvals and the audit log. If this is another account, give it a separate \`state\` folder, or correct \`service.base_url\`.`,
    });
  }
}
