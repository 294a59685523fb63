import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Outputs available data immediately, and accepts a stream without an end mark, as browsers and `fetch` do. */
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

/** The encodings that a server may use, for `accept-encoding`. */
export const ENCODINGS = 'br, gzip, deflate';

/** Decodes the body, the last encoding first; returns it unchanged if one of them is unknown. */
export function decodeBody(body: Readable, contentEncoding: string | null): Readable {
  if (contentEncoding === null) return body;
  const decoders = contentEncoding
    .split(',')
    .reverse()
    .map((name) => DECODERS[name.trim().toLowerCase()]);
  if (!decoders.every((decoder) => decoder !== undefined)) return body;
  return decoders.reduce<Readable>(
    // An error in one decoder ends all of them and is passed to the reader of the last one.
    (encoded, decode) => pipeline(encoded, decode(), () => undefined),
    body,
  );
}
