import type { Config } from '../config/config.js';
import type { ConnectorContext } from './connector.js';
import { createFileWriter } from './drop/file-writer.js';
import type { SourceWriter } from './source-writer.js';

/** A writer for each stream that the configuration lets be written back to, by the stream's name: `hr`, `crm.deals`. */
export function createWriters(config: Config, context: ConnectorContext): Map<string, SourceWriter> {
  const writers = new Map<string, SourceWriter>();
  for (const [name, source] of Object.entries(config.sources)) {
    switch (source.type) {
      case 'csv':
        if (source.writeBack != null)
          writers.set(name, createFileWriter({ ...source, name, writeBack: source.writeBack }, context));
        break;
      case 'crm':
        for (const [stream, streamConfig] of Object.entries(source.streams)) {
          const streamName = `${name}.${stream}`;
          if ('baseUrl' in streamConfig || streamConfig.writeBack == null) continue;
          const { writeBack } = streamConfig;
          writers.set(streamName, createFileWriter({ ...streamConfig, name: streamName, writeBack }, context));
        }
        break;
    }
  }
  return writers;
}
