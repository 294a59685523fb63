import { existsSync } from 'node:fs';
import type { Config } from './config.js';

/** A folder with its absolute path. */
export interface LocalFolder {
  readonly path: string;
  readonly isHere: boolean;
}

/** Lists the folders of this machine that a tenant reads from or writes to. A missing folder may be on another machine. */
export function listLocalFolders({ sources, reports, documents }: Config): readonly LocalFolder[] {
  const paths = [...new Set(listDrops([sources, reports, documents]))];
  return paths.map((path) => ({ path, isHere: existsSync(path) }));
}

/** Lists the paths of missing folders. They may exist on another machine. */
export function listMissingFolders(config: Config): readonly string[] {
  return listLocalFolders(config).flatMap(({ path, isHere }) => (isHere ? [] : [path]));
}

/** A place with `sftp` is not included, because it is on another machine. */
function listDrops(settings: unknown): readonly string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  const { drop, sftp } = settings as { readonly drop?: unknown; readonly sftp?: unknown };
  const own = typeof drop === 'string' && drop !== '' && sftp === null ? [drop] : [];
  return [...own, ...Object.values(settings).flatMap(listDrops)];
}
