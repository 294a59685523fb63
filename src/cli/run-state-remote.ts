import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { DAEMON_FILE } from '../config/load-web.js';
import { findLongestCall } from '../daemon/tenants/backend.js';
import { worded } from '../report/writers/style.js';
import { newestOf } from '../store/migrate.js';
import type { Lease } from '../store/remote/leases.js';
import { pullState, pushState } from '../store/remote/move-state.js';
import type { Postgres } from '../store/remote/postgres.js';
import type { RemoteStates } from '../store/remote/remote-states.js';
import { isWorkingCopy } from '../store/remote/working-copy.js';
import type { CommandContext, CommandResult, LockFlags } from './context.js';
import { nameTenant, usingRemoteOf } from './remote-command.js';
import { holdRunLock } from './run-lock.js';

/** `state push`: moves the state from this folder into the PostgreSQL of daemon.yaml. */
export async function runStatePush(context: CommandContext, flags: LockFlags): Promise<CommandResult> {
  const { config, clock } = context;
  const tenant = nameTenant(config.file);
  requireState(config.state);
  return await holdRunLock(context, 'state push', flags, () =>
    holdTenant(context, 'state push', async (postgres, lease) => {
      const times = { at: isoNow(clock), schema: newestOf('state') };
      const { pages } = await pushState(postgres, lease, config.state, times);
      return {
        json: { tenant, pages },
        text: worded`The state of ${tenant} was moved to PostgreSQL and compared byte by byte. From now on, any daemon of daemon.yaml can work with it; the folder ${config.state} is a copy.`,
      };
    }),
  );
}

/** `state pull`: moves the state from the PostgreSQL of daemon.yaml into this folder. */
export async function runStatePull(context: CommandContext, flags: LockFlags): Promise<CommandResult> {
  const { config } = context;
  const tenant = nameTenant(config.file);
  // An interrupted pull leaves a copy.
  const locking = { ...flags, isCopy: isWorkingCopy(config.state) };
  return await holdRunLock(context, 'state pull', locking, () =>
    holdTenant(context, 'state pull', async (postgres, lease) => {
      await pullState(postgres, lease, config.state, isoNow(context.clock));
      return {
        json: { tenant, state: config.state },
        text: worded`The state of ${tenant} was moved to ${config.state} and compared byte by byte. Daemons no longer take it from PostgreSQL; the next run reads the complete account.`,
      };
    }),
  );
}

/** Holds the tenant until its state has been moved, however long that takes. */
function holdTenant(
  context: CommandContext,
  command: string,
  work: (postgres: Postgres, lease: Lease) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { config, clock } = context;
  const folder = dirname(config.file);
  const move = async (remote: RemoteStates | null): Promise<CommandResult> => {
    if (remote === null) throw withoutBackend(folder);
    const { postgres, leases } = remote;
    const lease = await leases.claimOne(nameTenant(config.file), findLongestCall(config), 'move');
    try {
      return await work(postgres, lease);
    } finally {
      await leases.release(lease, { nextSlot: new Date(clock.now()).toISOString(), isGood: null });
    }
  };
  return usingRemoteOf(folder, context, move, command);
}

function withoutBackend(folder: string): SyncError {
  return new SyncError('SYNC_CONFIG_UNREADABLE', {
    message: 'There is no `backend:` with the address of PostgreSQL.',
    place: join(folder, DAEMON_FILE),
    remedy:
      'Put daemon.yaml with its `backend:` next to the configuration; docs/guides/many-tenants.md has an example.',
  });
}

function requireState(folder: string): void {
  if (existsSync(join(folder, 'state.db'))) return;
  throw new SyncError('SYNC_STATE_ELSEWHERE', {
    message: 'There is no state in this folder.',
    place: folder,
    remedy: 'Name the configuration whose `state` folder has it.',
  });
}
