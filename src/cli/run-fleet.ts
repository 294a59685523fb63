import { dirname, extname } from 'node:path';
import { SyncError } from '../base/errors.js';
import { loadBackend } from '../config/load-backend.js';
import { connectionOf } from '../daemon/tenants/backend.js';
import { openPostgres } from '../store/remote/postgres.js';
import { preparePostgres } from '../store/remote/prepare.js';
import { type Console, printing } from './context.js';

export interface FleetPrepareFlags {
  readonly config: string;
  readonly json?: boolean;
}

/** `fleet prepare`: states may be in the PostgreSQL of daemon.yaml from now on. */
export function runFleetPrepare(console: Console, { config, json }: FleetPrepareFlags): Promise<void> {
  return printing(console, json === true, async () => {
    const folder = extname(config) === '' ? config : dirname(config);
    const settings = loadBackend(folder, console.env);
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
  });
}
