import { SyncError } from '../../base/errors.js';
import { decodeFile, type EncodedFile } from '../../connectors/formats/decode.js';

/** What files that are not UTF-8 are written in, the likeliest first: Windows west and east, DOS, the old Mac. */
const OTHERS = ['windows-1252', 'windows-1250', 'cp850', 'macroman'];
/** More of a file says nothing new. */
const MOST_LOOKED_AT = 1_000_000;

/**
 * The `encoding` under which a sample can be read; null where none has to be configured.
 *
 * | the bytes of | read as windows-1252 |
 * |---|---|
 * | `służbowy` in windows-1250 | `s³u¿bowy` |
 * | `Müller` in cp850 | a byte that means nothing |
 * | `Zoé` in macroman | `ZoŽ` |
 *
 * So of all in which every byte means something it is the one in whose words there is least that no word has.
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
    remedy: 'Have it exported as CSV UTF-8.',
  });
}

/** A sign or a capital letter within a word; null where a byte means nothing at all. */
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

/** Neither a tab nor the end of a line. */
const CONTROLS = /(?![\t\n\v\f\r])\p{Cc}/u;
const ODD = /(?<=\p{L})[^\p{ASCII}\p{L}\p{M}\p{Pf}\p{Pi}\p{Pd}°…]|(?<=\p{Ll})(?!\p{ASCII})\p{Lu}/gu;
