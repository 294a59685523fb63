import type { ListedStreamConfig } from '../../../listed/listed-stream.js';

/** Path of a stream's objects: `/crm/objects/2026-09/companies`; in versions before the dated ones, `/crm/v3/objects/companies`. */
export function addressObjects({ path, version }: Pick<ListedStreamConfig, 'path' | 'version'>): string {
  const name = encodeURIComponent(path);
  return version?.startsWith('v') === true ? `/crm/${version}/objects/${name}` : `/crm/objects/${version}/${name}`;
}
