import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ReportTable, TableFormat } from './report-table.js';
import { writeRow, writeTitleRow } from './xlsx-cells.js';
import { buildWorkbookParts, nameSheetPart } from './xlsx-parts.js';

/** Office Open XML (ISO/IEC 29500), a zip of XML files. Sheets are written and compressed as their rows arrive. */
export const XLSX: TableFormat = {
  extension: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: writeXlsx,
};

/** Maximum number of rows in a sheet. */
const MOST_ROWS = 1_048_576;

async function* writeXlsx(table: ReportTable): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: Error): void => {
    output.destroy(error);
  };
  zip.on('error', fail);
  fillWorkbook(zip, table).catch(fail);
  yield* output as AsyncIterable<Uint8Array>;
}

/** Writes as many sheets as the rows need. The parts that list the sheets come last. */
async function fillWorkbook(zip: ZipFile, table: ReportTable): Promise<void> {
  // Zip entries have local times without a timezone. A fixed time reveals nothing about this machine.
  const options = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  const rest = await openPages(table);
  let sheets = 0;
  do {
    sheets += 1;
    const sheet = Readable.from(writeSheet(table, rest));
    zip.addReadStream(sheet, nameSheetPart(sheets), options);
    await finished(sheet);
  } while (rest.page() !== undefined);
  for (const [name, text] of buildWorkbookParts(table.name, sheets)) zip.addBuffer(Buffer.from(text), name, options);
  zip.end();
}

type RestOfPages = Awaited<ReturnType<typeof openPages>>;

/** Reads one page ahead, because the next page may belong to the next sheet. */
async function openPages({ pages }: ReportTable) {
  const iterator = pages[Symbol.asyncIterator]();
  let next = await iterator.next();
  return {
    page: () => (next.done === true ? undefined : next.value),
    async advance(): Promise<void> {
      next = await iterator.next();
    },
  };
}

async function* writeSheet({ columns }: ReportTable, rest: RestOfPages): AsyncGenerator<Buffer, void, undefined> {
  const widths = columns.map(({ title }, index) => {
    const width = Math.min(40, Math.max(14, title.length + 2));
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  // The title row stays visible when people scroll.
  yield Buffer.from(
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>${writeTitleRow(columns)}`,
  );
  let written = 1;
  for (let rows = rest.page(); rows !== undefined; rows = rest.page()) {
    if (written > 1 && written + rows.length > MOST_ROWS) break;
    const first = written + 1;
    yield Buffer.from(rows.map((row, index) => writeRow(row, first + index, columns)).join(''));
    written += rows.length;
    await rest.advance();
  }
  yield Buffer.from('</sheetData></worksheet>');
}
