import { openStateFile } from '../state/state-file.js';
import type { LineId } from './file-line.js';
import type { Postgres } from './postgres.js';
import { openSharedFile, type SharedFile } from './shared-file.js';
import { makePushedCopy } from './working-copy.js';

/** The name in PostgreSQL of a tenant's pushed users and groups. Any daemon may write them. */
export function pushedOf(tenant: string): LineId {
  return { tenant, name: 'pushed' };
}

export interface PushedOptions {
  readonly tenant: string;
  /** The folder of the tenant's state. */
  readonly folder: string;
  readonly now: () => string;
  readonly onReplaced?: () => void;
}

export function openPushedFile(postgres: Postgres, { tenant, folder, now, onReplaced }: PushedOptions): SharedFile {
  const own = makePushedCopy(folder);
  return openSharedFile(postgres, pushedOf(tenant), {
    ...{ folder: own, file: 'state.db' },
    prepare: () => openStateFile(own, { lockedAt: now() }).sqlite.close(),
    onReplaced: onReplaced ?? (() => undefined),
  });
}
