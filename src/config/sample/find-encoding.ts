import { SyncError } from '../../base/errors.js';
import { decodeFile, type EncodedFile } from '../../connectors/formats/decode.js';

/** Encodings of files that are not UTF-8, the most likely first: Windows in western and eastern Europe, DOS, and the old Mac. */
const OTHERS = ['windows-1252', 'windows-1250', 'cp850', 'macroman'];
/** Number of bytes that are examined. More would not change the result. */
const MOST_LOOKED_AT = 1_000_000;

/**
 * Finds the `encoding` to read a sample with; null where none has to be configured.
 *
 * | the bytes of | read as windows-1252 |
 * |---|---|
 * | `służbowy` in windows-1250 | `s³u¿bowy` |
 * | `Müller` in cp850 | a byte that means nothing |
 * | `Zoé` in macroman | `ZoŽ` |
 *
 * So of all encodings that define every byte in the file, it takes the one with the fewest characters that are odd within a word.
 */
export async function findEncoding(file: EncodedFile): Promise<string | null> {
  if ((await countOdd(file, null)) !== null) return null;
  let best: { readonly encoding: string; readonly odd: number } | null = null;
  for (const encoding of OTHERS) {
    const odd = await countOdd(file, encoding);
    if (odd !== null && (best === null || odd < best.odd)) best = { encoding, odd };
    if (odd === 0) break;
  }
  if (best !== null) return best.encoding;
  throw new SyncError('SYNC_SOURCE_ENCODING', {
    message: `The file is neither UTF-8 nor text in any of ${OTHERS.join(', ')}.`,
    place: file.at,
    remedy: 'Export it as CSV UTF-8.',
  });
}

/** Counts symbols and capital letters inside words; null if the encoding does not define one of the bytes. */
async function countOdd(file: EncodedFile, encoding: string | null): Promise<number | null> {
  let odd = 0;
  let looked = 0;
  try {
    for await (const chunk of decodeFile(file, encoding, () => undefined)) {
      if (encoding === null || looked > MOST_LOOKED_AT) continue;
      looked += chunk.length;
      const text = chunk.toString('utf8');
      if (CONTROLS.test(text)) return null;
      odd += text.match(ODD)?.length ?? 0;
    }
    return odd;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_SOURCE_ENCODING') return null;
    throw error;
  }
}

/** Matches control characters other than tabs and line ends. */
const CONTROLS = /(?![\t\n\v\f\r])\p{Cc}/u;
const ODD = /(?<=\p{L})[^\p{ASCII}\p{L}\p{M}\p{Pf}\p{Pi}\p{Pd}°…]|(?<=\p{Ll})(?!\p{ASCII})\p{Lu}/gu;
