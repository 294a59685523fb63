import { isJsonObject, type JsonObject } from '../../model/json.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import type { HttpPurpose } from '../http/http-call.js';
import { HttpSource } from '../http/http-source.js';
import type { ScimSourceConfig } from './resolve.js';

const RIGHTS: Readonly<Record<HttpPurpose, string>> = { read: 'read users and groups', write: 'change users' };

/** A client for one identity provider over SCIM 2.0. */
export class ScimClient {
  readonly base: string;
  readonly http: HttpSource;
  #capabilities: Promise<JsonObject | null> | null = null;

  constructor({ baseUrl, access }: ScimSourceConfig, context: ConnectorContext, purpose: HttpPurpose) {
    this.base = stripQuery(baseUrl);
    const settings = {
      system: 'identity provider',
      access,
      accept: 'application/scim+json, application/json',
      right: RIGHTS[purpose],
      addressHint:
        "Check the source's `base_url`: /Users must answer under this address, which usually ends in /scim/v2.",
      purpose,
    };
    this.http = new HttpSource(settings, context);
  }

  addressOf(id: string): string {
    return `${this.base}/Users/${encodeURIComponent(id)}`;
  }

  /** Returns `ServiceProviderConfig`, which is read only once; null if it does not exist or may not be read. */
  capabilities(signal?: AbortSignal): Promise<JsonObject | null> {
    this.#capabilities ??= this.#askCapabilities(signal);
    return this.#capabilities;
  }

  async #askCapabilities(signal: AbortSignal | undefined): Promise<JsonObject | null> {
    // A web page, or a redirect to one, says nothing about the provider's capabilities.
    const handles = [200, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 501];
    const { status, body } = await this.http.read({ url: `${this.base}/ServiceProviderConfig`, handles }, signal);
    return status === 200 && isJsonObject(body) ? body : null;
  }
}
