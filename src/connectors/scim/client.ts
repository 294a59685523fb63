import { isJsonObject, type JsonObject } from '../../model/json.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import { createHttpSource, type HttpSource } from '../http/http-source.js';
import type { ScimSourceConfig } from './kind.js';

export interface ScimClient {
  readonly base: string;
  readonly http: HttpSource;
  /** Whether there is a user of that id; `unknown` where the provider does not tell. */
  look(id: string, signal?: AbortSignal): Promise<'there' | 'deleted' | 'unknown'>;
  /** `ServiceProviderConfig`, asked for once; null where there is none, or it may not be read. */
  capabilities(signal?: AbortSignal): Promise<JsonObject | null>;
}

export function createScimClient(config: ScimSourceConfig, context: ConnectorContext): ScimClient {
  const base = stripQuery(config.baseUrl);
  const http = createHttpSource(
    {
      system: 'identity provider',
      access: config.access,
      accept: 'application/scim+json, application/json',
      right: 'read users and groups',
      addressHint:
        "Check the source's `base_url`: it is the address under which /Users answers, usually ending in /scim/v2.",
    },
    context,
  );
  let capabilities: Promise<JsonObject | null> | null = null;

  async function askCapabilities(signal: AbortSignal | undefined): Promise<JsonObject | null> {
    const handles = [400, 401, 403, 404, 405, 501];
    const { status, body } = await http.read({ url: `${base}/ServiceProviderConfig`, handles }, signal);
    return status === 200 && isJsonObject(body) ? body : null;
  }

  return {
    base,
    http,
    async look(id, signal) {
      const url = `${base}/Users/${encodeURIComponent(id)}`;
      const { status } = await http.read({ url, handles: [400, 403, 404, 405, 501] }, signal);
      if (status === 404) return 'deleted';
      return status === 200 ? 'there' : 'unknown';
    },
    capabilities: (signal) => (capabilities ??= askCapabilities(signal)),
  };
}
