import type { ReportCell, ReportTable, TableFormat } from './report-table.js';

/** CSV by RFC 4180, with commas, CRLF, and quotes only where they are needed. */
export const CSV: TableFormat = { extension: 'csv', contentType: 'text/csv; charset=utf-8', write: writeCsv };

async function* writeCsv({ columns, pages, writeTime }: ReportTable): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(writeLine(columns.map(({ title }) => title)));
  for await (const rows of pages) {
    yield Buffer.from(rows.map((row) => writeLine(row.map((cell) => writeCell(cell, writeTime)))).join(''));
  }
}

function writeCell(cell: ReportCell, writeTime: ReportTable['writeTime']): string {
  if (cell === null) return '';
  return cell instanceof Date ? writeTime(cell) : String(cell);
}

function writeLine(texts: readonly string[]): string {
  const cells = texts.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
  return `${cells.join(',')}\r\n`;
}
