const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Reads a CSV file of several parts as it comes, and tells the header of each from its rows. */
export interface TableReader {
  /** What of the chunk belongs into the joined file. */
  take(chunk: Uint8Array): Uint8Array;
  /** At the end of a part. */
  end(): { readonly header: string; readonly rows: number };
}

/**
 * Line ends within quotes are part of a cell (RFC 4180); a doubled quote opens and closes at once, so that counting quotes is
 * enough. All of it is ASCII, which UTF-8 uses for nothing else.
 *
 * @param isFirst the header of the first part is that of the file; the others leave theirs out
 */
export function createTableReader(isFirst: boolean): TableReader {
  const header: Uint8Array[] = [];
  let inHeader = true;
  let inQuotes = false;
  let lineBytes = 0;
  let rows = 0;

  return {
    take(chunk) {
      let start = 0;
      for (let i = 0; i < chunk.length; i++) {
        const byte = chunk[i];
        if (byte === QUOTE) inQuotes = !inQuotes;
        if (byte !== LINE_FEED || inQuotes) {
          // A line of nothing but its own end is no row.
          if (byte !== 0x0d) lineBytes += 1;
          continue;
        }
        if (inHeader) {
          header.push(chunk.subarray(0, i + 1));
          inHeader = false;
          start = i + 1;
        } else if (lineBytes > 0) rows += 1;
        lineBytes = 0;
      }
      if (inHeader) {
        header.push(chunk.slice());
        start = chunk.length;
      }
      return isFirst ? chunk : chunk.subarray(start);
    },
    end() {
      if (!inHeader && lineBytes > 0) rows += 1;
      return {
        header: Buffer.concat(header)
          .toString('utf8')
          .replace(/\r?\n$/, ''),
        rows,
      };
    },
  };
}
