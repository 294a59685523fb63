import { compileObjectReader, type RowShape } from '../rows/records.js';
import { JsonScanner } from './json-scanner.js';
import type { RowsReader } from './rows-reader.js';

/**
 * Reads one JSON document with a list of rows in it. The line of a place is the position of the row in the list, counted
 * from 1.
 */
export function createJsonReader(shape: RowShape, pointer: string): RowsReader {
  const readRow = compileObjectReader(shape);
  return async (file, sink) => {
    let position = 0;
    const scanner = new JsonScanner(pointer, file.at, (value) => {
      sink.add(readRow(value, { source: shape.source, at: file.at, line: ++position }));
    });
    for await (const chunk of file.text()) scanner.write(chunk);
    scanner.end();
    return null;
  };
}
