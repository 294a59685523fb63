import { SyncError } from '../../errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { nearestName } from '../../model/nearest.js';
import type { RowsReader } from '../drop-connector.js';
import { splitPointer, stepInto } from '../pointer.js';
import { compileObjectReader, type RowShape } from '../records.js';

/** A document is parsed whole, at several times its size in memory; beyond this it should come as NDJSON, which streams. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** One JSON document with a list of rows in it; a place's line is the row's 1-based position in the list. */
export function createJsonReader(shape: RowShape, pointer: string): RowsReader {
  const readRow = compileObjectReader(shape);
  return async (file, sink) => {
    if (file.size > MAX_DOCUMENT_BYTES) {
      throw new SyncError('SYNC_SOURCE_FORMAT', {
        message: `The JSON document has ${file.size} bytes; at most ${MAX_DOCUMENT_BYTES} are read as one document.`,
        place: file.at,
        remedy: 'Have it delivered as NDJSON (one object a line, ending .ndjson), which has no limit.',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of file.text()) chunks.push(chunk);
    const rows = findRows(parseDocument(Buffer.concat(chunks).toString('utf8'), file.at), pointer, file.at);
    for (const [index, value] of rows.entries()) {
      const row = readRow(value, { source: shape.source, at: file.at, line: index + 1 });
      if ('record' in row) sink.accept(row.record);
      else sink.reject(row.rejected);
    }
    return null;
  };
}

export function parseDocument(text: string, at: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SyncError('SYNC_SOURCE_FORMAT', {
      message: `The file is not valid JSON${describePosition(error, text)}; it may be cut.`,
      place: at,
      remedy: 'Have it exported again. A file with one object a line must end in .ndjson or .jsonl.',
    });
  }
}

/** Not the parser's own words: they quote the content, which is personal data. */
function describePosition(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  const line = before.split('\n').length;
  return ` at line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}

/** Follows a JSON pointer (RFC 6901) to the list of rows. */
export function findRows(document: Json, pointer: string, at: string): readonly Json[] {
  let value: Json | undefined = document;
  let walked = '';
  for (const name of splitPointer(pointer)) {
    const names: readonly string[] = isJsonObject(value) ? Object.keys(value) : [];
    value = stepInto(value, name);
    if (value === undefined) {
      const near = nearestName(name, names);
      throw refuseRows(
        `There is no "${name}" at ${walked === '' ? 'the top' : walked}, found: ${names.join(', ') || 'no names'}.${near === null ? '' : ` Nearest: "${near}".`}`,
        at,
      );
    }
    walked += `/${name}`;
  }
  if (Array.isArray(value)) return value;
  const names = isJsonObject(value) ? ` with ${Object.keys(value).join(', ')}` : '';
  throw refuseRows(
    `Expected a list of rows at "${pointer}", found ${isJsonObject(value) ? 'an object' : typeof value}${names}.`,
    at,
  );
}

function refuseRows(message: string, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message,
    place: at,
    remedy: "Set the stream's `rows` to the JSON pointer of the list, such as /results; '' means the document itself.",
  });
}
