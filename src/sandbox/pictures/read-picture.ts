import { refuse } from '../fields/refusal.js';
import { writeOrientation } from './orientation.js';
import { isJpeg, type ReadJpeg, readJpeg } from './read-jpeg.js';
import { isPng, type ReadPng, readPng, writePngChunk } from './read-png.js';

export type ReadPicture = ReadJpeg | ReadPng;

/** Limit on the size, because writing a document holds several copies of a picture in memory. */
const MOST_MEBIBYTES = 25;

/** Other common picture formats, recognised by some letters at an offset in the file. */
const OTHER_FORMATS: readonly (readonly [name: string, at: number, letters: string])[] = [
  ['WebP', 8, 'WEBP'],
  ['HEIC', 4, 'ftyphe'],
  ['HEIC', 4, 'ftypmif1'],
  ['HEIC', 4, 'ftypmsf1'],
  ['AVIF', 4, 'ftypavi'],
  ['a video', 4, 'ftyp'],
  ['GIF', 0, 'GIF8'],
  ['TIFF', 0, 'II*\0'],
  ['TIFF', 0, 'MM\0*'],
  ['BMP', 0, 'BM'],
  ['JPEG XL', 0, '\xff\x0a'],
  ['JPEG XL', 4, 'JXL '],
  ['JPEG 2000', 4, 'jP  '],
  ['PDF', 0, '%PDF'],
  ['a Photoshop document', 0, '8BPS'],
  ['an icon', 0, '\0\0\x01\0'],
];

/**
 * Reads a PNG or JPEG without its metadata. Nothing is decompressed; limits are checked against the header.
 *
 * @throws Refusal for any other format, for a damaged file, and for one over the limits
 */
export function readPicture(bytes: Buffer): ReadPicture {
  if (!isJpeg(bytes) && !isPng(bytes)) return refuse(422, `a picture must be a PNG or a JPEG${nameFormat(bytes)}`);
  const mebibytes = bytes.length / 1024 / 1024;
  if (mebibytes > MOST_MEBIBYTES) {
    refuse(422, `a picture may have at most ${MOST_MEBIBYTES} MiB; this one has ${mebibytes.toFixed(1)}`);
  }
  return isPng(bytes) ? readPng(bytes) : readJpeg(bytes);
}

function nameFormat(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 1024);
  const [named] = OTHER_FORMATS.find(([, at, letters]) => head.startsWith(letters, at)) ?? [];
  const name = named ?? (/<svg[\s>]/i.test(head) ? 'SVG' : undefined);
  return name === undefined ? '' : `; this one is ${name}`;
}

/**
 * Lists the parts of the file that is stored and served. Its pixels are not turned, so the orientation must be kept: otherwise
 * browsers would show a phone's picture on its side. The EXIF data contain nothing else.
 */
export function listKeptParts({ type, orientation, parts: [start, ...others] }: ReadPicture): readonly Buffer[] {
  if (start === undefined || orientation === 1) return [...(start ? [start] : []), ...others];
  const exif = writeOrientation(orientation);
  return [start, type === 'png' ? writePngChunk('eXIf', exif) : writeExif(exif), ...others];
}

function writeExif(tiff: Buffer): Buffer {
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  head.writeUInt16BE(head.length - 2 + tiff.length, 2);
  return Buffer.concat([head, tiff]);
}
