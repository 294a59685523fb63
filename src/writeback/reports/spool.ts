import { createHash, type Hash } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import { createNameless } from '../../base/nameless-file.js';
import { readHandle } from '../../connectors/drop/read-handle.js';
import type { DeliveredFile } from '../../model/delivery.js';
import type { ServiceFile } from '../../service/service-file.js';
import { createTableReader } from './table-reader.js';

export type Spool = Awaited<ReturnType<typeof createSpool>>;

/**
 * Creates an unfinished file on disk without a name, because reports contain personal data that must not stay behind.
 *
 * @param folder a folder on a disk with enough space
 * @param kind parts of a table share one header; a file of another kind has one part
 * @param place place of the delivery, for messages
 */
export async function createSpool(folder: string, kind: 'table' | 'bytes', place: string) {
  const handle = await createNameless(folder);
  let hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  let header: string | null = null;
  let endsLine = true;

  return {
    /** Adds a part completely or not at all. If the download breaks off, the same part can be added again. */
    async add(file: ServiceFile): Promise<void> {
      const reader = kind === 'table' ? createTableReader(header === null) : null;
      const part = createPart(handle, { hash, bytes, endsLine });
      await handle.truncate(bytes);
      for await (const chunk of file.bytes) await part.append(reader === null ? chunk : reader.take(chunk));
      const { header: own = '', rows: more = 0 } = reader?.end() ?? {};
      if (own !== '') header ??= own;
      if (own !== '' && own !== header) throw refuseParts(place);
      rows += more;
      ({ hash, bytes, endsLine } = part.end());
    },
    facts: (): Omit<DeliveredFile, 'at' | 'name'> => ({
      bytes,
      rows: kind === 'table' ? rows : null,
      sha256: hash.copy().digest('hex'),
    }),
    content: () => readHandle(handle, place),
    close: () => handle.close(),
  };
}

type NamelessFile = Awaited<ReturnType<typeof createNameless>>;

/** The current end of the file. */
interface SpoolEnd {
  readonly hash: Hash;
  readonly bytes: number;
  readonly endsLine: boolean;
}

/** Writes a part after the current end, which moves only once the part is complete. */
function createPart(handle: NamelessFile, before: SpoolEnd) {
  const hash = before.hash.copy();
  let { bytes, endsLine } = before;
  async function put(chunk: Uint8Array): Promise<void> {
    hash.update(chunk);
    for (let done = 0; done < chunk.length; )
      done += (await handle.write(chunk, done, chunk.length - done, bytes + done)).bytesWritten;
    bytes += chunk.length;
    endsLine = chunk.at(-1) === 0x0a;
  }
  return {
    async append(chunk: Uint8Array): Promise<void> {
      if (chunk.length === 0) return;
      if (bytes === before.bytes && !endsLine) await put(Buffer.from('\r\n'));
      await put(chunk);
    },
    end: (): SpoolEnd => ({ hash, bytes, endsLine }),
  };
}

function refuseParts(place: string): SyncError {
  return new SyncError('SYNC_REPORT_PARTS', {
    message: 'It was split by office, but the parts do not have the same columns, so they cannot form one table.',
    place,
    remedy:
      'Set its `languages`, so that all parts have the same; otherwise configure one report per office with `filter.offices`.',
  });
}
