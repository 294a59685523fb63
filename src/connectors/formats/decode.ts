import { isUtf8 } from 'node:buffer';
import { SyncError } from '../../base/errors.js';
import { iconv } from './iconv.js';

export interface EncodedFile {
  /** The path of the file, for messages. */
  readonly at: string;
  /** Yields the bytes from the start. May be called more than once. */
  bytes(): AsyncIterable<Buffer>;
}

type Decode = (chunk: Buffer | null) => Buffer;

interface Mark {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  readonly length: number;
}

const MARKS = [
  { bytes: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'utf-8' },
  { bytes: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { bytes: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;

/**
 * Decodes a file into UTF-8 chunks that never split a character, without a byte order mark. It yields chunks and not
 * strings, because the CSV parser works on bytes, so a UTF-8 file is checked but never copied.
 *
 * | the file | is read as |
 * |---|---|
 * | starts with a byte order mark | the encoding of that mark |
 * | has a NUL in every other byte | UTF-16, little or big endian |
 * | is entirely UTF-8 | UTF-8, whatever is configured |
 * | anything else | the configured encoding, or SYNC_SOURCE_ENCODING |
 *
 * A configured encoding takes one more pass over the file, because it applies only if some byte of the file is not
 * UTF-8.
 */
export async function* decodeFile(
  file: EncodedFile,
  configured: string | null,
  onBytes: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let decode: Decode | null = null;
  for await (const chunk of file.bytes()) {
    onBytes(chunk);
    let rest = chunk;
    if (decode === null) {
      refuseOtherKind(chunk, file.at);
      const mark = findMark(chunk);
      decode = await chooseDecoder(file, mark, configured);
      rest = chunk.subarray(mark?.length ?? 0);
    }
    const text = decode(rest);
    if (text.length > 0) yield text;
  }
  const tail = decode?.(null);
  if (tail !== undefined && tail.length > 0) yield tail;
}

async function chooseDecoder(file: EncodedFile, mark: Mark | null, configured: string | null): Promise<Decode> {
  if (mark !== null && mark.encoding !== 'utf-8') return decodeUtf16(mark.encoding, file.at);
  const isOther = configured !== null && !/^utf-?8$/i.test(configured);
  if (mark !== null || !isOther || (await isUtf8Throughout(file)))
    return checkUtf8(file.at, mark?.length ?? 0, configured);
  return decodeConfigured(configured, file.at);
}

function findMark(head: Buffer): Mark | null {
  const mark = MARKS.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (mark !== undefined) return { encoding: mark.encoding, length: mark.bytes.length };
  const sample = head.subarray(0, 4096);
  const even = sample.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = sample.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  // Headers are nearly all ASCII. In UTF-16, almost half of their bytes are NUL, either all odd or all even ones. A
  // threshold of a third of these bytes allows for other characters.
  const few = sample.length / 6;
  if (odd > few && even === 0) return { encoding: 'utf-16le', length: 0 };
  if (even > few && odd === 0) return { encoding: 'utf-16be', length: 0 };
  return null;
}

function checkUtf8(at: string, start: number, configured: string | null): Decode {
  let offset = start;
  let carried = Buffer.alloc(0);
  return (chunk) => {
    const next = chunk ?? Buffer.alloc(0);
    const bytes = carried.length === 0 ? next : Buffer.concat([carried, next]);
    const end = chunk === null ? bytes.length : findWholeEnd(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw refuseUtf8(at, offset + findInvalid(whole), configured);
    offset += end;
    carried = Buffer.from(bytes.subarray(end));
    return whole;
  };
}

async function isUtf8Throughout(file: EncodedFile): Promise<boolean> {
  const check = checkUtf8(file.at, 0, null);
  try {
    for await (const chunk of file.bytes()) check(chunk);
    check(null);
    return true;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_SOURCE_ENCODING') return false;
    throw error;
  }
}

/**
 * Returns the index at which the last complete character ends. A lead byte with too few following bytes is kept for the
 * next chunk.
 */
function findWholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    // A lead byte starts with as many one bits as its character has bytes. A following byte starts with a single one
    // bit.
    const ones = Math.clz32(~(byte << 24));
    if (ones !== 1) return ones > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/**
 * Returns the index of the first byte that is not UTF-8. There, a lenient decoding has its first U+FFFD that is not in
 * the file.
 */
function findInvalid(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf('\uFFFD', from);
    if (at < 0) return bytes.length;
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    offset += 3;
    from = at + 1;
  }
}

function decodeUtf16(encoding: 'utf-16le' | 'utf-16be', at: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk) => {
    try {
      return Buffer.from(chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true }));
    } catch (error) {
      throw new SyncError('SYNC_SOURCE_ENCODING', {
        message: `The file looks like ${encoding.toUpperCase()} but is not valid ${encoding.toUpperCase()}: it is damaged or truncated.`,
        place: at,
        remedy: 'Export it again, preferably as UTF-8.',
        cause: error,
      });
    }
  };
}

function decodeConfigured(encoding: string, at: string): Decode {
  if (!iconv().encodingExists(encoding)) {
    throw new SyncError('SYNC_SOURCE_ENCODING', {
      message: `The file is not UTF-8, and the configured encoding "${encoding}" is not known.`,
      place: at,
      remedy: 'Set `encoding` to a known name, such as windows-1252, iso-8859-1 or utf-16le.',
    });
  }
  const decoder = iconv().getDecoder(encoding);
  return (chunk) => {
    const text = chunk === null ? (decoder.end() ?? '') : decoder.write(chunk);
    if (text.includes('\uFFFD')) {
      throw new SyncError('SYNC_SOURCE_ENCODING', {
        message: `The file has bytes that do not exist in the configured encoding ${encoding}, and it is not UTF-8 either.`,
        place: at,
        remedy: 'Ask the sender for the encoding and set `encoding`, or have the file exported as UTF-8.',
      });
    }
    return Buffer.from(text);
  };
}

function refuseUtf8(at: string, offset: number, configured: string | null): SyncError {
  const wanted = configured === null ? 'no other encoding is configured' : `${configured} is configured`;
  return new SyncError('SYNC_SOURCE_ENCODING', {
    message: `The file is not valid UTF-8: the byte at offset ${offset} does not fit, and ${wanted}.`,
    place: at,
    remedy:
      'If it comes from Excel or an older Windows system, set `encoding: windows-1252` on the source; else have it exported as UTF-8.',
  });
}

const SAVE_AS_CSV = 'Save it as CSV UTF-8 in the program that made it.';

/**
 * Kinds of files that are often renamed to .csv. A message that names the kind helps more than an error about its
 * encoding or columns.
 */
const OTHER_KINDS = [
  {
    starts: '504b0304',
    is: 'an Excel workbook or another zip archive',
    remedy: 'Save it as CSV UTF-8, or unpack it before it is delivered.',
  },
  { starts: 'd0cf11e0', is: 'an old Excel workbook', remedy: SAVE_AS_CSV },
  { starts: '1f8b', is: 'gzip-compressed', remedy: 'Unpack it before it is delivered.' },
  { starts: '255044462d', is: 'a PDF document', remedy: 'Have the table exported as CSV UTF-8.' },
] as const;
const PAGE = { is: 'a page of HTML or XML', remedy: SAVE_AS_CSV };

function refuseOtherKind(head: Buffer, at: string): void {
  const start = head.subarray(0, 64);
  const isPage = /^\ufeff?\s*<(?:!doctype|html|table|\?xml)\b/i.test(start.toString('utf8'));
  const kind =
    OTHER_KINDS.find(({ starts }) => start.toString('hex').startsWith(starts)) ?? (isPage ? PAGE : undefined);
  if (kind === undefined) return;
  throw new SyncError('SYNC_SOURCE_FORMAT', {
    message: `The file is ${kind.is}, expected plain text.`,
    place: at,
    remedy: kind.remedy,
  });
}
