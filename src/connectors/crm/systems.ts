import type { ConnectorContext } from '../connector.js';
import type { Credentials } from '../http/credentials.js';
import type { HttpPurpose } from '../http/http-call.js';
import { HttpSource } from '../http/http-source.js';
import type { CrmSystem } from './crm-system.js';
import type { CrmDialect, ListedStreamConfig } from './listed-stream.js';
import { PLAIN } from './plain/plain.js';
import { VENDORS } from './vendors/vendors.js';

export const SYSTEMS: Readonly<Record<CrmDialect, CrmSystem>> = { plain: PLAIN, ...VENDORS };

const ADDRESS_HINTS: Readonly<Record<HttpPurpose, string>> = {
  read: "Check the source's `base_url` and the stream's `path`.",
  write: "Check the source's `base_url`, and the stream's `write_back`.",
};

/** @param credentials those of the source, where it has several streams */
export function openCrm(
  { dialect, access, path }: ListedStreamConfig,
  context: ConnectorContext,
  purpose: HttpPurpose,
  credentials?: Credentials,
): HttpSource {
  const { exhausted } = SYSTEMS[dialect].read;
  const settings = {
    system: 'CRM',
    access,
    accept: 'application/json',
    right: `${purpose === 'read' ? 'read' : 'change'} ${path}`,
    addressHint: ADDRESS_HINTS[purpose],
    purpose,
    ...(exhausted === undefined ? {} : { exhausted }),
  };
  return new HttpSource(settings, context, credentials);
}
