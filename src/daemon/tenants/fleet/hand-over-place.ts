import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, SyncError } from '../../../base/errors.js';
import { readJson, writeJson } from '../../../store/state-token.js';

/** Who took a state over: a volume, and the daemon that it is mounted in. */
export interface Claim {
  readonly volume: string;
  readonly daemon: number;
}

/**
 * A folder that all daemons of a fleet share. For each tenant it has a folder with what happened to its state, in numbered
 * generations; a file once made is never changed, and each step is one file that appears whole:
 *
 * | file | says |
 * |---|---|
 * | `place.json` | the place was prepared: without it (an empty volume was mounted) nobody gives or takes anything |
 * | `TENANT/4.db` | the state, as the third hand left it |
 * | `TENANT/4.offer` | it is whole: somebody may take it |
 * | `TENANT/4.claim` | who did. It can be made once, so that only one can |
 * | `TENANT/4.held` | the state has arrived; `4.db` is gone |
 */
export interface HandOverPlace {
  /** @throws SyncError SYNC_STATE_ELSEWHERE when nobody prepared it */
  check(): void;
  /** The newest generation that is offered or claimed; 0 for none. */
  newest(tenant: string): number;
  isOffered(tenant: string, generation: number): boolean;
  claimOf(tenant: string, generation: number): Claim | null;
  /** @returns whether nobody else was faster */
  claim(tenant: string, generation: number, claim: Claim): boolean;
  isHeld(tenant: string, generation: number): boolean;
  /** The state has arrived. */
  noteHeld(tenant: string, generation: number): void;
  /** Writes the state under its name, then offers it. */
  offer(tenant: string, generation: number, write: (file: string) => void): void;
  /** null where no state goes with the offer: the tenant never ran. */
  stateFile(tenant: string, generation: number): string | null;
}

const PREPARED = 'place.json';

/** Once, by a person or by the chart's installation: who finds it empty later knows that something is wrong. */
export function preparePlace(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, PREPARED))) return false;
  writeJson(join(folder, PREPARED), { prepared: true });
  return true;
}

export function openPlace(folder: string): HandOverPlace {
  const fileOf = (tenant: string, generation: number, kind: string): string =>
    join(folder, tenant, `${generation}.${kind}`);
  const has = (tenant: string, generation: number, kind: string): boolean =>
    existsSync(fileOf(tenant, generation, kind));

  return {
    check() {
      if (existsSync(join(folder, PREPARED))) return;
      throw new SyncError('SYNC_STATE_ELSEWHERE', {
        message: 'The place where daemons hand states over is not prepared, or another volume is mounted there.',
        place: folder,
        remedy: 'Mount the one that was there; for a new fleet run `talent-sync fleet prepare` once.',
      });
    },
    newest(tenant) {
      const found = listNames(join(folder, tenant)).map((name) =>
        Number(/^(\d+)\.(?:offer|claim)$/.exec(name)?.[1] ?? 0),
      );
      return Math.max(0, ...found);
    },
    isOffered: (tenant, generation) => has(tenant, generation, 'offer'),
    claimOf: (tenant, generation) => readJson<Claim>(fileOf(tenant, generation, 'claim')),
    claim(tenant, generation, claim) {
      mkdirSync(join(folder, tenant), { recursive: true });
      return writeOnce(fileOf(tenant, generation, 'claim'), claim);
    },
    isHeld: (tenant, generation) => has(tenant, generation, 'held'),
    noteHeld(tenant, generation) {
      if (!has(tenant, generation, 'held')) writeJson(fileOf(tenant, generation, 'held'), {});
      rmSync(fileOf(tenant, generation, 'db'), { force: true });
    },
    offer(tenant, generation, write) {
      mkdirSync(join(folder, tenant), { recursive: true });
      const file = fileOf(tenant, generation, 'db');
      rmSync(file, { force: true });
      write(file);
      if (existsSync(file)) syncFile(file);
      writeJson(fileOf(tenant, generation, 'offer'), {});
    },
    stateFile: (tenant, generation) => (has(tenant, generation, 'db') ? fileOf(tenant, generation, 'db') : null),
  };
}

/** A link is made or not, on network file systems too, and has its whole content at once. */
function writeOnce(file: string, claim: Claim): boolean {
  const own = `${file}.${claim.volume}`;
  writeJson(own, claim);
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

export function syncFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
