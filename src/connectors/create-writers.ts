import type { Config } from '../config/config.js';
import type { ConnectorContext } from './connector.js';
import { createFeedWriter } from './crm/feed-writer.js';
import { createScimWriter } from './scim/scim-writer.js';
import type { SourceWriter } from './source-writer.js';

/** Every stream that may be written to, by the name that expressions use: `hr`, `idp`, `crm.companies`. */
export function createWriters(config: Config, context: ConnectorContext): Map<string, SourceWriter> {
  const writers = new Map<string, SourceWriter>();
  for (const [name, source] of Object.entries(config.sources)) {
    switch (source.type) {
      case 'scim':
        if (source.writeBack != null) writers.set(name, createScimWriter(name, source, context));
        break;
      case 'crm':
        for (const [stream, streamConfig] of Object.entries(source.streams)) {
          if (streamConfig.writeBack == null || !('baseUrl' in streamConfig)) continue;
          writers.set(`${name}.${stream}`, createFeedWriter(`${name}.${stream}`, streamConfig, context));
        }
        break;
      case 'csv':
      case 'scim-push':
        break;
    }
  }
  return writers;
}
