const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a CSV file of several parts as it comes, and tells the header of each from its rows.
 *
 * Line ends within quotes are part of a cell (RFC 4180); a doubled quote opens and closes at once, so that counting quotes is
 * enough. All of it is ASCII, which UTF-8 uses for nothing else.
 *
 * @param isFirst the header of the first part is that of the file; the others leave theirs out
 */
export function createTableReader(isFirst: boolean) {
  const header: Uint8Array[] = [];
  let inHeader = true;
  let inQuotes = false;
  let lineBytes = 0;
  let rows = 0;

  /** Where the line of the header ends, if it ends in this chunk. */
  function endLine(chunk: Uint8Array, at: number): number {
    const isHeader = inHeader;
    if (isHeader) header.push(chunk.subarray(0, at));
    else if (lineBytes > 0) rows += 1;
    inHeader = false;
    lineBytes = 0;
    return isHeader ? at : 0;
  }

  /** As `endLine`, where a line ends at that byte. */
  function look(chunk: Uint8Array, i: number): number {
    const byte = chunk[i];
    if (byte === QUOTE) inQuotes = !inQuotes;
    if (byte === LINE_FEED && !inQuotes) return endLine(chunk, i + 1);
    // A line of nothing but its own end is no row.
    if (byte !== CARRIAGE_RETURN) lineBytes += 1;
    return 0;
  }

  return {
    /** What of the chunk belongs into the joined file. */
    take(chunk: Uint8Array): Uint8Array {
      let start = 0;
      for (let i = 0; i < chunk.length; i++) start = look(chunk, i) || start;
      if (inHeader) {
        header.push(chunk.slice());
        start = chunk.length;
      }
      return isFirst ? chunk : chunk.subarray(start);
    },
    /** At the end of a part. */
    end(): { readonly header: string; readonly rows: number } {
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
