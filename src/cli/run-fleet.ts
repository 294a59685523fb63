import { dirname, extname } from 'node:path';
import { systemClock } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import type { LineName } from '../store/remote/file-line.js';
import { rollBack } from '../store/remote/kept-states.js';
import { preparePostgres } from '../store/remote/prepare.js';
import type { RemoteStates } from '../store/remote/remote-states.js';
import { findLag, type RemoteTenantRow } from '../store/remote/tenant-rows.js';
import { type CommandResult, type Console, printing } from './context.js';
import { usingRemoteOf } from './remote-command.js';

export interface FleetFlags {
  readonly config: string;
  readonly json?: boolean;
}

/** `fleet prepare`: prepares the PostgreSQL of daemon.yaml to hold states. */
export function runFleetPrepare(console: Console, flags: FleetFlags): Promise<void> {
  return withFleet(console, flags, async ({ postgres }) => {
    const { from, to } = await preparePostgres(postgres);
    const made = from === 0 ? 'created' : `upgraded from version ${from} to ${to}`;
    return {
      json: { version: { from, to } },
      text:
        from === to ? `The tables in PostgreSQL already have version ${to}.` : `The tables in PostgreSQL were ${made}.`,
    };
  });
}

/** `fleet status`: which daemon works for which tenant, and which tenants are late. */
export function runFleetStatus(console: Console, flags: FleetFlags): Promise<void> {
  return withFleet(console, flags, async ({ rows }) => {
    const nowMs = (console.clock ?? systemClock).now();
    const tenants = (await rows.look()).map((row) => toStatus(row, nowMs));
    const late = tenants.filter(({ late_seconds: seconds }) => seconds > 0).length;
    const lines = tenants.map(
      ({ tenant, holder, last_good_run: good, next_run: next, late_seconds: seconds }) =>
        worded`${tenant}: ${holder === null ? 'no daemon works for it now' : `${holder} works for it`}; last good run ${formatOr(good, 'none')}, next ${formatOr(next, 'none')}${seconds === 0 ? '' : `, ${seconds} s late`}`,
    );
    const lead = `${plural(tenants.length, 'tenant')}, ${late === 0 ? 'none late' : `${late} late`}`;
    return { json: { tenants }, text: [lead, ...lines].join('\n') };
  });
}

function toStatus(row: RemoteTenantRow, nowMs: number) {
  const { tenant, holder, lastGoodMs, nextMs, pausedUntilMs, hasLeft } = row;
  return {
    tenant,
    holder,
    last_good_run: toIso(lastGoodMs),
    next_run: toIso(nextMs),
    late_seconds: Math.round(findLag(row, { seenMs: nowMs, nowMs }) / 1_000),
    paused_until: toIso(pausedUntilMs),
    moved_away: hasLeft,
  };
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function formatOr(iso: string | null, otherwise: string): string {
  return iso === null ? otherwise : formatMinute(iso);
}

/** `fleet rollback`: restores the states of all tenants from before a newer version migrated them. */
export function runFleetRollback(console: Console, flags: FleetFlags & { readonly yes?: boolean }): Promise<void> {
  return withFleet(console, flags, async ({ postgres }) => {
    if (flags.yes !== true) {
      throw new SyncError('SYNC_CLI_USAGE', {
        message: 'The states would lose everything that was done since the newer version took over the tenants.',
        place: '--yes',
        remedy:
          'Stop the newer daemons, and add --yes. Give approvals again afterwards; the next plan shows what may be missing.',
      });
    }
    const files = await rollBack(postgres);
    const lines = files.map(({ tenant, name, from, isDone }) => {
      const what = worded`${[tenant, WHAT[name]].filter((part) => part !== null).join(', ')}`;
      return isDone
        ? worded`${what}: restored as of ${formatMinute(from)}`
        : worded`${what}: not restored, because another process works with it now`;
    });
    return {
      json: { files: files.map(({ tenant, name, from, isDone }) => ({ tenant, name, from, rolled_back: isDone })) },
      text: lines.length === 0 ? 'No state was upgraded by a newer version.' : lines.join('\n'),
      exitCode: files.every(({ isDone }) => isDone) ? 0 : 1,
    };
  });
}

const WHAT: Readonly<Record<LineName, string | null>> = {
  state: null,
  pushed: 'pushed users and groups',
  operators: 'operators',
};

function withFleet(
  console: Console,
  { config, json }: FleetFlags,
  work: (remote: RemoteStates) => Promise<CommandResult>,
): Promise<void> {
  return printing(console, json === true, () => {
    const folder = extname(config) === '' ? config : dirname(config);
    const clock = console.clock ?? systemClock;
    return usingRemoteOf(folder, { clock, console }, (remote) => {
      if (remote !== null) return work(remote);
      throw new SyncError('SYNC_CONFIG_UNREADABLE', {
        message: 'There is no `backend:` with the address of PostgreSQL.',
        place: config,
        remedy:
          'Name the folder that holds daemon.yaml with its `backend:`; docs/guides/many-tenants.md has an example.',
      });
    });
  });
}
