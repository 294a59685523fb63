import { JSON_STREAMS } from '../drop/file-streams.js';
import type { FileStreamConfig } from '../drop/resolve-file-stream.js';
import type { SourceKind, StreamKind } from '../kind.js';
import { describeListed } from '../listed/listed-kind.js';
import type { ListedStreamConfig } from '../listed/listed-stream.js';
import { type CrmSourceConfig, resolveCrm } from './resolve.js';
import { type CrmInput, crmSchema } from './schema.js';
import { systemOf } from './systems.js';

type CrmStreamConfig = FileStreamConfig | ListedStreamConfig;

const HTTP_STREAMS: StreamKind<ListedStreamConfig> = describeListed(systemOf);

function kindOf(stream: CrmStreamConfig): StreamKind<CrmStreamConfig> {
  return 'drop' in stream ? JSON_STREAMS : HTTP_STREAMS;
}

/** A CRM with several streams, read from exports in a folder or over HTTP. */
export const CRM = {
  type: 'crm',
  schema: crmSchema,
  resolve: resolveCrm,
  strayWriteBack: ['`write_back` is in a stream', 'Write it into `streams.<name>`.'],
  whyNotWritable: (stream, column) => kindOf(stream).whyNotWritable(stream, column),
  listConditions: (stream) => kindOf(stream).listConditions?.(stream) ?? [],
  describeDeciding: (stream) => kindOf(stream).describeDeciding(stream),
  describeAbsence: (stream) => kindOf(stream).describeAbsence(stream),
  createReader: (name, stream, context) => kindOf(stream).createReader(name, stream, context),
  createWriter: (name, stream, context) => kindOf(stream).createWriter(name, stream, context),
} satisfies SourceKind<CrmInput, CrmSourceConfig, CrmStreamConfig>;
