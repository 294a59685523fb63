import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { ServiceFile } from './service-file.js';

/** Column title → cell. */
export type ReportRow = Readonly<Record<string, string>>;

/** Yields the rows of a CSV report as they arrive. A repeated title gets a number: `Name`, `Name (2)`. */
export async function* readReportRows(file: ServiceFile): AsyncGenerator<ReportRow, void, undefined> {
  const source = Readable.from(file.bytes, { objectMode: false });
  const parser = parse({ bom: true, columns: nameColumns, relax_column_count_less: true });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const row of parser) yield row as ReportRow;
  } finally {
    source.destroy();
    await file.cancel();
  }
}

function nameColumns(titles: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return titles.map((title) => {
    const count = (seen.get(title) ?? 0) + 1;
    seen.set(title, count);
    return count === 1 ? title : `${title} (${count})`;
  });
}
