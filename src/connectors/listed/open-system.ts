import type { ConnectorContext } from '../connector.js';
import type { Credentials } from '../http/credentials.js';
import type { HttpPurpose } from '../http/http-call.js';
import { HttpSource } from '../http/http-source.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';

const ADDRESS_HINTS: Readonly<Record<HttpPurpose, string>> = {
  read: "Check the source's `base_url` and the stream's `path`.",
  write: "Check the source's `base_url`, and the stream's `write_back`.",
};

/** @param credentials the shared credentials, if the source has several streams */
export function openSystem(
  { access, path }: ListedStreamConfig,
  { noun, read: { exhausted, isThrottled, isTokenOver } }: ListedSystem,
  context: ConnectorContext,
  { purpose, credentials }: { readonly purpose: HttpPurpose; readonly credentials?: Credentials | undefined },
): HttpSource {
  const settings = {
    system: noun,
    access,
    accept: 'application/json',
    right: `${purpose === 'read' ? 'read' : 'change'} ${path}`,
    addressHint: ADDRESS_HINTS[purpose],
    purpose,
    ...(exhausted === undefined ? {} : { exhausted }),
    ...(isThrottled === undefined ? {} : { isThrottled }),
    ...(isTokenOver === undefined ? {} : { isTokenOver }),
  };
  return new HttpSource(settings, context, credentials);
}
