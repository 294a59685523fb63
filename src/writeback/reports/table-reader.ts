const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a CSV file of several parts as a stream, and separates the header of each part from its rows.
 *
 * Line ends within quotes belong to a cell (RFC 4180). A doubled quote opens and closes immediately, so counting quotes
 * is enough. All these characters are ASCII bytes, which never occur inside other UTF-8 characters.
 *
 * @param isFirst the first part keeps its header for the joined file; the others drop theirs
 */
export function createTableReader(isFirst: boolean) {
  const header: Uint8Array[] = [];
  let inHeader = true;
  let inQuotes = false;
  let lineBytes = 0;
  let rows = 0;

  /** Ends a line. Returns the index at which the header ends, or 0 if this line is not the header. */
  function endLine(chunk: Uint8Array, at: number): number {
    const isHeader = inHeader;
    if (isHeader) header.push(chunk.subarray(0, at));
    else if (lineBytes > 0) rows += 1;
    inHeader = false;
    lineBytes = 0;
    return isHeader ? at : 0;
  }

  /** Reads one byte. Returns the result of `endLine` if the byte ends a line, otherwise 0. */
  function look(chunk: Uint8Array, i: number): number {
    const byte = chunk[i];
    if (byte === QUOTE) inQuotes = !inQuotes;
    if (byte === LINE_FEED && !inQuotes) return endLine(chunk, i + 1);
    // An empty line is not a row.
    if (byte !== CARRIAGE_RETURN) lineBytes += 1;
    return 0;
  }

  return {
    /** Returns the part of the chunk that belongs in the joined file. */
    take(chunk: Uint8Array): Uint8Array {
      let start = 0;
      for (let i = 0; i < chunk.length; i++) start = look(chunk, i) || start;
      if (inHeader) {
        header.push(chunk.slice());
        start = chunk.length;
      }
      return isFirst ? chunk : chunk.subarray(start);
    },
    /** Ends a part; call it after the last chunk. */
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
