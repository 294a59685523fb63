import type { Config } from '../config/config.js';
import type { PushedReader } from '../model/pushed.js';
import type { Connector, ConnectorContext } from './connector.js';
import { createCrmConnector } from './crm/crm-connector.js';
import { createFeedConnector } from './crm/feed-connector.js';
import { createCsvConnector } from './csv/csv-connector.js';
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
        for (const [stream, streamConfig] of Object.entries(source.streams)) {
          const streamName = `${name}.${stream}`;
          const connector =
            'baseUrl' in streamConfig
              ? createFeedConnector(streamName, streamConfig, context)
              : createCrmConnector(streamName, streamConfig, context);
          connectors.set(streamName, connector);
        }
        break;
    }
  }
  return connectors;
}
