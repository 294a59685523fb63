import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { createNameless } from '../../base/nameless-file.js';
import { iconv } from '../formats/iconv.js';
import type { Delivery } from './deliver-once.js';
import { readHandle } from './read-handle.js';
import type { FileWriteBack } from './resolve-file-write-back.js';

type SpoolFormat = Pick<FileWriteBack, 'encoding' | 'bom' | 'separator'>;

export interface SpooledFile extends Delivery {
  close(): Promise<void>;
}

/**
 * Writes rows as CSV (RFC 4180, lines end with CR LF) into a local file. Rows can be iterated only once, but a delivery over a network
 * may take several attempts. Cells are written unchanged, even those that begin with `=` or `+`.
 */
export async function spoolRows(
  rows: Iterable<readonly string[]>,
  { encoding, bom, separator }: SpoolFormat,
  folder: string,
): Promise<SpooledFile> {
  const handle = await createNameless(folder);
  try {
    const hash = createHash('sha256');
    let size = 0;
    const write = async (text: string): Promise<void> => {
      const bytes = iconv().encode(text, encoding, { addBOM: false });
      hash.update(bytes);
      size += bytes.length;
      await handle.writeFile(bytes);
    };
    if (bom) await write('\uFEFF');
    const table = stringify({ delimiter: separator, record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
    // Each chunk contains complete rows, so decoding a chunk as text never splits a character.
    table.setEncoding('utf8');
    pipeline(Readable.from(rows), table, () => undefined);
    for await (const text of table) await write(String(text));
    return spooledFile(handle, size, hash.digest('hex'), folder);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function spooledFile(handle: FileHandle, size: number, sha256: string, at: string): SpooledFile {
  return { size, sha256, bytes: () => readHandle(handle, at), close: () => handle.close() };
}
