import { type Options, Parser } from 'csv-parse';
import { MAX_ROW_BYTES, type ParsedRow, type ParseStop } from '../../../src/connectors/formats/csv-rows.js';

type TakeRow = (row: Omit<ParsedRow, 'text'>) => void;

/** The counterpart that `CsvRows` is compared with. */
interface ParsedRows {
  readonly stop: ParseStop | null;
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
  close(): void;
}

/**
 * csv-parse, with rows handed over inside `push` instead of through its readable side: only at that moment is the line
 * number of the row correct. (`on_record` would give it too, but copies an object of facts for every row and is a
 * quarter slower.)
 */
class RowParser extends Parser {
  constructor(
    options: Options,
    private readonly takeRow: (fields: readonly string[]) => void,
  ) {
    super(options);
  }

  override push(fields: readonly string[] | null): boolean {
    if (fields !== null) this.takeRow(fields);
    return true;
  }
}

/**
 * Strict about quotes, lenient about the number of fields (the caller judges that). Any of \r
 * ,
 *  and \r ends a row, also mixed. Blank lines come as rows with one empty field.
 * Lines are counted here, because csv-parse counts a quoted \r
 *  twice. Its count only shows whose fields to inspect.
 */
export function createParsedRows(separator: string, firstLine: number, takeRow: TakeRow): ParsedRows {
  let nextLine = firstLine;
  let seenLines = 0;
  let stop: ParseStop | null = null;
  let thrown: { readonly error: unknown } | null = null;
  const parser = new RowParser(
    {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_ROW_BYTES,
      ltrim: true,
      rtrim: true,
    },
    (fields) => {
      if (thrown !== null) return;
      const line = nextLine;
      const isOneLine = parser.info.lines - seenLines <= 1;
      seenLines = parser.info.lines;
      const newlines = isOneLine ? 0 : countNewlines(fields);
      nextLine += 1 + newlines;
      try {
        takeRow({ fields, line, newlines });
      } catch (error) {
        thrown = { error };
      }
    },
  );
  function noteStop(error: Error | null | undefined): void {
    if (error) stop ??= { problem: describeProblem(error), line: nextLine };
  }
  parser.on('error', noteStop);
  function rethrow(): void {
    if (thrown !== null) throw thrown.error;
  }
  return {
    get stop() {
      return stop;
    },
    write: async (chunk) => {
      if (stop !== null) return;
      noteStop(await new Promise<Error | null | undefined>((resolve) => parser.write(chunk, resolve)));
      rethrow();
    },
    end: async () => {
      if (stop !== null) return;
      await new Promise<void>((resolve) => {
        parser.once('error', () => resolve());
        parser.end(() => resolve());
      });
      rethrow();
    },
    close: () => {
      parser.destroy();
    },
  };
}

function countNewlines(fields: readonly string[]): number {
  let count = 0;
  for (const field of fields) count += field.match(/\r\n|\n|\r/g)?.length ?? 0;
  return count;
}

function describeProblem(error: Error): string {
  const code = 'code' in error ? error.code : '';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote opens in this row and is never closed';
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `the row is longer than ${MAX_ROW_BYTES} bytes, most likely a quote that is never closed`;
  return 'a quote is in the wrong place (quote a field that contains a quote, and double the quote)';
}
