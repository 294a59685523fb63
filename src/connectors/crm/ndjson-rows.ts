import type { Json } from '../../model/json.js';
import type { RowsReader } from '../drop-connector.js';
import { compileObjectReader, type RowShape, rejectFormat } from '../records.js';

/** One JSON object a line. A bad line spoils only itself, but nobody's absence can be told from that read. */
export function createNdjsonReader(shape: RowShape): RowsReader {
  const readRow = compileObjectReader(shape);
  return async (file, sink) => {
    for await (const { text, line } of readLines(file.text())) {
      if (text.trim() === '') continue;
      const place = { source: shape.source, at: file.at, line };
      const parsed = parseLine(text);
      if (parsed === null) {
        sink.reject(rejectFormat(place, 'the line is not valid JSON, or cut', text.split(/[{}[\]",:]+/)));
        continue;
      }
      const row = readRow(parsed.value, place);
      if ('record' in row) sink.accept(row.record);
      else sink.reject(row.rejected);
    }
    return null;
  };
}

export function parseLine(text: string): { readonly value: Json } | null {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

export async function* readLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  let line = 0;
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      rest.push(chunk.subarray(from, end));
      yield { text: Buffer.concat(rest).toString('utf8'), line: ++line };
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield { text: Buffer.concat(rest).toString('utf8'), line: ++line };
}
