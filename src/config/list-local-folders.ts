import type { Config } from './config.js';

/**
 * Folders of this machine that a tenant reads from or writes to. Where one is missing, another machine may have it.
 *
 * @returns absolute paths
 */
export function listLocalFolders({ sources, reports, documents }: Config): readonly string[] {
  return [...new Set(listDrops([sources, reports, documents]))];
}

/** A place with `sftp` is on another machine. */
function listDrops(settings: unknown): readonly string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  const { drop, sftp } = settings as { readonly drop?: unknown; readonly sftp?: unknown };
  const own = typeof drop === 'string' && drop !== '' && sftp === null ? [drop] : [];
  return [...own, ...Object.values(settings).flatMap(listDrops)];
}
