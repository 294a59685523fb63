import type { RowsReader } from '../drop/drop-connector.js';
import { compileObjectReader, type RowShape } from '../rows/records.js';
import { createJsonScanner } from './json-scanner.js';

/** One JSON document with a list of rows in it; a place's line is the row's 1-based position in the list. */
export function createJsonReader(shape: RowShape, pointer: string): RowsReader {
  const readRow = compileObjectReader(shape);
  return async (file, sink) => {
    let position = 0;
    const scanner = createJsonScanner(pointer, file.at, (value) => {
      const row = readRow(value, { source: shape.source, at: file.at, line: ++position });
      if ('record' in row) sink.accept(row.record);
      else sink.reject(row.rejected);
    });
    for await (const chunk of file.text()) scanner.write(chunk);
    scanner.end();
    return null;
  };
}
