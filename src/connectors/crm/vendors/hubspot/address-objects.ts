import type { ListedStreamConfig } from '../../../listed/listed-stream.js';

/**
 * The path of a stream's objects: `/crm/objects/2026-09/companies`, or `/crm/v3/objects/companies` in versions without a
 * date.
 */
export function addressObjects({ path, version }: Pick<ListedStreamConfig, 'path' | 'version'>): string {
  const name = encodeURIComponent(path);
  return version?.startsWith('v') === true ? `/crm/${version}/objects/${name}` : `/crm/objects/${version}/${name}`;
}
