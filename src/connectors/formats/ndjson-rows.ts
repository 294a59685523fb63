import type { Place } from '../../model/place.js';
import { parseJson } from '../rows/parse-json.js';
import { type ConnectorRow, compileObjectReader, type RowShape, rejectFormat } from '../rows/records.js';
import type { RowsReader } from './rows-reader.js';

/** The maximum length of a line. In a longer line, a line break is most likely missing. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** The number of characters that are searched for people in a line that is not JSON. */
const LOOKED_THROUGH = 65_536;

/** Reads one JSON object per line. A bad line does not affect other lines, but absences from the read do not count. */
export function createNdjsonReader(shape: RowShape): RowsReader {
  const readObject = compileObjectReader(shape);
  const readRow = (text: string | null, place: Place): ConnectorRow => {
    const parsed = text === null ? null : parseJson(text);
    if (parsed !== null) return readObject(parsed.value, place);
    const problem =
      text === null ? `the line is longer than ${MAX_LINE_BYTES} bytes` : 'the line is not valid JSON, or truncated';
    const raw = (text ?? '').slice(0, LOOKED_THROUGH).split(/[{}[\]",:]+/);
    return { rejected: rejectFormat(place, problem, raw) };
  };
  return async (file, sink) => {
    for await (const { text, line } of readLines(file.text())) {
      if (text?.trim() !== '') sink.add(readRow(text, { source: shape.source, at: file.at, line }));
    }
    return null;
  };
}

/** Yields the text of each line; null for a line that is too long. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly text: string | null; readonly line: number }> {
  let line = 0;
  let rest: Buffer[] = [];
  let bytes = 0;
  function gather(piece: Buffer): void {
    bytes += piece.length;
    if (bytes > MAX_LINE_BYTES) rest = [];
    else rest.push(piece);
  }
  function finish(): { text: string | null; line: number } {
    const text = bytes > MAX_LINE_BYTES ? null : Buffer.concat(rest).toString('utf8');
    rest = [];
    bytes = 0;
    return { text, line: ++line };
  }
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      gather(chunk.subarray(from, end));
      yield finish();
      from = end + 1;
    }
    if (from < chunk.length) gather(chunk.subarray(from));
  }
  if (bytes > 0) yield finish();
}
