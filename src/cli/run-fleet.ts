import { dirname, extname, resolve } from 'node:path';
import { SyncError } from '../base/errors.js';
import { loadBackend } from '../config/load-backend.js';
import { type FleetSettings, loadFleet } from '../config/load-fleet.js';
import { connectionOf } from '../daemon/tenants/backend.js';
import { openPlace, preparePlace } from '../daemon/tenants/fleet/hand-over-place.js';
import { ownerOf } from '../daemon/tenants/fleet/owner-of.js';
import { plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import { copyWithoutApprovals, inspectBackup } from '../store/backup.js';
import { openPostgres } from '../store/remote/postgres.js';
import { preparePostgres } from '../store/remote/prepare.js';
import { type Console, printing } from './context.js';

export interface FleetPrepareFlags {
  /** Where states are handed over; undefined: the tables in PostgreSQL. */
  readonly folder: string | undefined;
  readonly config: string;
  readonly json?: boolean;
}

export interface FleetMovesFlags {
  readonly config: string;
  /** Daemons. */
  readonly to: number;
  readonly json?: boolean;
}

export interface FleetOfferFlags {
  readonly tenant: string;
  /** A file. */
  readonly backup: string;
  readonly config: string;
  readonly json?: boolean;
}

/** `fleet prepare`: states may be in the PostgreSQL of daemon.yaml, or handed over in that folder, from now on. */
export function runFleetPrepare(console: Console, { folder, config, json }: FleetPrepareFlags): Promise<void> {
  return printing(console, json === true, async () => {
    if (folder === undefined) return prepareBackend(config, console.env);
    const path = resolve(folder);
    const isNew = preparePlace(path);
    return {
      json: { folder: path, prepared: isNew },
      text: isNew ? worded`States are handed over in ${path} from now on.` : worded`${path} was prepared before.`,
    };
  });
}

async function prepareBackend(config: string, env: NodeJS.ProcessEnv) {
  const folder = extname(config) === '' ? config : dirname(config);
  const settings = loadBackend(folder, env);
  if (settings === null) {
    throw new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: 'No `backend:` says where PostgreSQL is.',
      place: config,
      remedy: 'Name the folder that holds daemon.yaml with its `backend:`; docs/postgres.md has an example.',
    });
  }
  const postgres = openPostgres(connectionOf(settings, 1));
  try {
    const { from, to } = await preparePostgres(postgres);
    const made = from === 0 ? 'made' : `brought from version ${from} to ${to}`;
    return {
      json: { version: { from, to } },
      text:
        from === to
          ? `The tables in PostgreSQL are of version ${to} already.`
          : `The tables in PostgreSQL were ${made}.`,
    };
  } finally {
    await postgres.close();
  }
}

/** `fleet offer TENANT BACKUP`: the daemon that has the tenant's state loses it, and the tenant's own one takes this. */
export function runFleetOffer(console: Console, { tenant, backup, config, json }: FleetOfferFlags): Promise<void> {
  return printing(console, json === true, async () => {
    const { handOver } = requireFleet(config);
    const place = openPlace(handOver);
    place.check();
    const { links } = inspectBackup(resolve(backup));
    const generation = place.newest(tenant) + 1;
    place.offer(tenant, generation, (file) => copyWithoutApprovals(resolve(backup), file));
    return {
      json: { tenant, generation, links },
      text: worded`Offered: the daemon that ${tenant} belongs to takes the state over (${plural(links, 'link')}), and no other may run.`,
    };
  });
}

export interface FleetOwnerFlags {
  readonly config: string;
  readonly tenant: string;
  readonly json?: boolean;
}

/** `fleet owner TENANT`: which daemon has it, for those who want to look there. Changes nothing. */
export function runFleetOwner(console: Console, { config, tenant, json }: FleetOwnerFlags): Promise<void> {
  return printing(console, json === true, async () => {
    const { daemons, tenants } = requireFleet(config);
    if (!tenants.includes(tenant)) {
      throw new SyncError('SYNC_NOT_FOUND', {
        message: `The fleet has no tenant ${tenant}.`,
        place: config,
        remedy: 'Name one of `fleet.tenants` in daemon.yaml.',
      });
    }
    const daemon = ownerOf(tenant, daemons);
    return {
      json: { tenant, daemon, daemons },
      text: joinLines([
        worded`${tenant} belongs to daemon ${String(daemon)} of ${String(daemons)}, which are counted from 0.`,
      ]),
    };
  });
}

/** `fleet moves --to N`: what another number of daemons would move. Changes nothing. */
export function runFleetMoves(console: Console, { config, to, json }: FleetMovesFlags): Promise<void> {
  return printing(console, json === true, async () => {
    const { daemons, tenants } = requireFleet(config);
    const moves = tenants
      .map((tenant) => ({ tenant, from: ownerOf(tenant, daemons), to: ownerOf(tenant, to) }))
      .filter((move) => move.from !== move.to);
    const share = tenants.length === 0 ? 0 : (moves.length / tenants.length) * 100;
    return {
      json: { daemons: { from: daemons, to }, tenants: tenants.length, moves },
      text: joinLines([
        `${daemons} → ${to} daemons: ${moves.length} of ${plural(tenants.length, 'tenant')} move (${share.toFixed(1)} %).`,
        ...moves.map((move) => worded`  ${move.tenant}: ${String(move.from)} → ${String(move.to)}`),
      ]),
    };
  });
}

function requireFleet(config: string): FleetSettings {
  const settings = loadFleet(config);
  if (settings !== null) return settings;
  throw new SyncError('SYNC_CONFIG_UNREADABLE', {
    message: 'There is no list of a fleet.',
    place: config,
    remedy: 'Name the folder that holds daemon.yaml with its `fleet:`.',
  });
}
