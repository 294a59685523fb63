import type { StreamKind } from '../kind.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { whyNotWritable } from './writable.js';

/** Describes the kind of streams that are read over HTTP. */
export function describeListed<Stream extends ListedStreamConfig>(
  systemOf: (stream: Pick<Stream, 'dialect'>) => ListedSystem,
): StreamKind<Stream> {
  return {
    whyNotWritable: (stream, column) => whyNotWritable(systemOf(stream), stream, column),
    listConditions: ({ deleted }) =>
      deleted !== null && 'when' in deleted ? [{ at: ['deleted', 'when'], text: deleted.when }] : [],
    /** The parts of the request also count, because they decide which rows are delivered. */
    describeDeciding({ key, columns, prefer, rows, dialect, path, filter, query, headers, ...rest }) {
      const { next, total, deleted, body, detail } = rest;
      const end = rest.isEndTrusted === true ? { end: 'trusted' } : {};
      return {
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
        ...end,
        ...listAsked({ body, detail }),
      };
    },
    describeAbsence({ baseUrl, dialect, path, filter, query, headers, rows, key, columns, body }) {
      const asked = [baseUrl, dialect, path, filter, { ...query }, { ...headers }, rows, key];
      return [...asked, columns[key]?.type ?? null, ...(body === undefined ? [] : [body])];
    },
    async createReader(name, stream, context) {
      const { createListedReader } = await import('./listed-reader.js');
      const credentials = context.shareCredentials(stream.access);
      return createListedReader(name, stream, systemOf(stream), { ...context, credentials });
    },
    createWriter: async (name, stream, context) =>
      stream.writeBack == null
        ? null
        : (await import('./listed-writer.js')).createListedWriter(name, stream, systemOf(stream), context),
  };
}

/** Leaves out missing parts of the request, so that values stored by earlier versions stay valid. */
function listAsked(asked: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}
