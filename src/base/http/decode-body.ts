import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What is here is given out at once, and a stream that lacks its last mark is taken, as browsers and `fetch` do. */
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  'x-gzip': () => createGunzip(LENIENT),
  deflate: () => createInflate(LENIENT),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
};

/** What a server may send, for `accept-encoding`. */
export const ENCODINGS = 'br, gzip, deflate';

/** The body without its encodings, the last one first; as it came where one of them is unknown. */
export function decodeBody(body: Readable, contentEncoding: string | null): Readable {
  if (contentEncoding === null) return body;
  const decoders = contentEncoding
    .split(',')
    .reverse()
    .map((name) => DECODERS[name.trim().toLowerCase()]);
  if (!decoders.every((decoder) => decoder !== undefined)) return body;
  return decoders.reduce<Readable>(
    // What breaks in one of them ends all, and shows to who reads the last.
    (encoded, decode) => pipeline(encoded, decode(), () => undefined),
    body,
  );
}
