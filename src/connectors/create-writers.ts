import type { Config, CrmStreamConfig } from '../config/config.js';
import type { ConnectorContext } from './connector.js';
import { createFeedWriter } from './crm/feed-writer.js';
import { createFileWriter, type WrittenStream } from './drop/file-writer.js';
import { createScimWriter } from './scim/scim-writer.js';
import type { SourceWriter } from './source-writer.js';
import type { FileWriteBack } from './write-back-config.js';

/** A writer for each stream that the configuration lets be written back to, by the name that expressions use. */
export function createWriters(config: Config, context: ConnectorContext): Map<string, SourceWriter> {
  const writers = new Map<string, SourceWriter>();
  for (const [name, source] of Object.entries(config.sources)) {
    switch (source.type) {
      case 'csv':
        if (source.writeBack != null)
          writers.set(name, createFileWriter(describeFiles(config, name, source, source.writeBack), context));
        break;
      case 'scim':
        if (source.writeBack != null) writers.set(name, createScimWriter(name, source, context));
        break;
      case 'crm':
        for (const [part, stream] of Object.entries(source.streams)) {
          const streamName = `${name}.${part}`;
          if (stream.writeBack == null) continue;
          if ('baseUrl' in stream) writers.set(streamName, createFeedWriter(streamName, stream, context));
          else
            writers.set(
              streamName,
              createFileWriter(describeFiles(config, streamName, stream, stream.writeBack), context),
            );
        }
        break;
      case 'scim-push':
        break;
    }
  }
  return writers;
}

/** Without `columns` a file has the key, then all that any entity writes back to the stream, whatever a run has to say. */
function describeFiles(
  config: Config,
  name: string,
  { key, columns }: Pick<CrmStreamConfig, 'key' | 'columns'>,
  writeBack: FileWriteBack,
): WrittenStream {
  const told = Object.values(config.mappings).flatMap((mapping) => mapping?.writeBack ?? []);
  const written = told.filter(({ source }) => source === name).map(({ column }) => column);
  return { name, key, columns, writeBack, header: writeBack.columns ?? [...new Set([key, ...written])] };
}
