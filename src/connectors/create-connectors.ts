import type { Config, CrmSourceConfig } from '../config/config.js';
import type { PushedReader } from '../model/pushed.js';
import type { Connector, ConnectorContext } from './connector.js';
import { createCrmConnector } from './crm/crm-connector.js';
import { createFeedConnector } from './crm/feed-connector.js';
import { createCsvConnector } from './csv/csv-connector.js';
import { type Credentials, createCredentials } from './http/credentials.js';
import type { HttpAccess } from './http/http-access.js';
import { createScimConnector } from './scim/scim-connector.js';
import { createPushConnector } from './scim-push/scim-push-connector.js';

/** Every readable stream of the configuration by the name that expressions use: `hr`, `idp`, `crm.companies`. */
export function createConnectors(
  config: Config,
  context: ConnectorContext,
  pushed: PushedReader,
): Map<string, Connector> {
  const connectors = new Map<string, Connector>();
  for (const [name, source] of Object.entries(config.sources)) {
    switch (source.type) {
      case 'csv':
        connectors.set(name, createCsvConnector(name, source, context));
        break;
      case 'scim':
        connectors.set(name, createScimConnector(name, source, context));
        break;
      case 'scim-push':
        connectors.set(name, createPushConnector(name, source, context, pushed));
        break;
      case 'crm':
        for (const connector of createCrmConnectors(name, source, context)) connectors.set(connector.name, connector);
        break;
    }
  }
  return connectors;
}

/** Streams over HTTP are let in by one token of their source. */
function createCrmConnectors(name: string, { streams }: CrmSourceConfig, context: ConnectorContext): Connector[] {
  const shared = new Map<HttpAccess, Credentials>();
  const shareCredentials = (access: HttpAccess): Credentials => {
    const credentials = shared.get(access) ?? createCredentials(access.auth, context.clock);
    shared.set(access, credentials);
    return credentials;
  };
  return Object.entries(streams).map(([stream, config]) =>
    'baseUrl' in config
      ? createFeedConnector(`${name}.${stream}`, config, context, shareCredentials(config.access))
      : createCrmConnector(`${name}.${stream}`, config, context),
  );
}
