import { JSON_STREAMS } from '../drop/file-streams.js';
import type { FileStreamConfig } from '../drop/resolve-file-stream.js';
import type { SourceKind, StreamKind } from '../kind.js';
import type { ListedStreamConfig } from './listed-stream.js';
import { type CrmSourceConfig, resolveCrm } from './resolve.js';
import { type CrmInput, crmSchema } from './schema.js';
import { whyNotWritable } from './writable.js';

type CrmStreamConfig = FileStreamConfig | ListedStreamConfig;

/** Streams over HTTP. */
const HTTP_STREAMS: StreamKind<ListedStreamConfig> = {
  whyNotWritable,
  listConditions: ({ deleted }) =>
    deleted !== null && 'when' in deleted ? [{ at: ['deleted', 'when'], text: deleted.when }] : [],
  /** What a stream is asked decides which of its rows there are. */
  describeDeciding({
    key,
    columns,
    prefer,
    rows,
    dialect,
    path,
    filter,
    query,
    headers,
    next,
    total,
    deleted,
    ...rest
  }) {
    const end = rest.isEndTrusted === true ? { end: 'trusted' } : {};
    return { key, columns, prefer, rows, dialect, path, filter, query, headers, next, total, deleted, ...end };
  },
  describeAbsence({ baseUrl, dialect, path, filter, query, headers, rows, key, columns }) {
    return [baseUrl, dialect, path, filter, { ...query }, { ...headers }, rows, key, columns[key]?.type ?? null];
  },
  async createReader(name, stream, context) {
    const { createCrmConnector } = await import('./crm-connector.js');
    return createCrmConnector(name, stream, context, context.shareCredentials(stream.access));
  },
  createWriter: async (name, stream, context) =>
    stream.writeBack == null ? null : (await import('./crm-writer.js')).createCrmWriter(name, stream, context),
};

/** A stream comes as files or over HTTP. */
function kindOf(stream: CrmStreamConfig): StreamKind<CrmStreamConfig> {
  return 'drop' in stream ? JSON_STREAMS : HTTP_STREAMS;
}

/** A CRM: several streams, as exports in a folder or over HTTP. */
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
