import { SyncError } from '../../base/errors.js';
import type { DocumentFormat } from '../../model/document-kinds.js';
import type { ServiceFile } from '../../service/service-file.js';

/**
 * Bytes at the start and near the end of each format. A proxy's error page has neither mark; a truncated file lacks the
 * end mark.
 */
const MARKS: Readonly<Record<DocumentFormat, { readonly start: Buffer; readonly end: Buffer }>> = {
  pdf: { start: Buffer.from('%PDF-'), end: Buffer.from('%%EOF') },
  docx: { start: Buffer.from('PK\u0003\u0004', 'latin1'), end: Buffer.from('PK\u0005\u0006', 'latin1') },
  pptx: { start: Buffer.from('PK\u0003\u0004', 'latin1'), end: Buffer.from('PK\u0005\u0006', 'latin1') },
};
const END = 1_024;

/**
 * Returns the same file. Its stream throws at the end if the content is not a complete file of the format.
 * @throws SyncError SYNC_DOCUMENT_UNUSABLE
 */
export function checkDocument(file: ServiceFile, format: DocumentFormat, place: string): ServiceFile {
  return { ...file, bytes: checkBytes(file, format, place) };
}

async function* checkBytes(file: ServiceFile, format: DocumentFormat, place: string): AsyncGenerator<Uint8Array> {
  const { start, end } = MARKS[format];
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  for await (const chunk of file.bytes) {
    if (head.length < start.length) head = Buffer.concat([head, chunk.subarray(0, start.length - head.length)]);
    tail = Buffer.concat([tail, chunk.subarray(-END)]).subarray(-END);
    yield chunk;
  }
  if (!head.equals(start)) throw documentError(`${describeType(file)}, not a ${format}`, place);
  if (!tail.includes(end)) throw documentError(`a ${format} without its end`, place);
}

function describeType({ contentType }: ServiceFile): string {
  return contentType === null ? 'something' : `something of type ${contentType}`;
}

function documentError(found: string, place: string): SyncError {
  return new SyncError('SYNC_DOCUMENT_UNUSABLE', {
    message: `The service answered ${found}.`,
    place,
    remedy: 'Download the document in the service itself. If that also fails, its template or the record is at fault.',
  });
}
