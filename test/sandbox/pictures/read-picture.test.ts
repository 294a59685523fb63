import { describe, expect, test } from 'vitest';
import { listKeptParts, readPicture } from '../../../src/sandbox/pictures/read-picture.js';
import { writePngChunk } from '../../../src/sandbox/pictures/read-png.js';
import { drawPng, writePng } from '../documents/drawings.js';
import {
  addMetadata,
  buildExif,
  PICTURE_CASES,
  readJpegFile,
  SECRET,
  writeSegment,
} from '../documents/picture-cases.js';

const rgb = readJpegFile('rgb');
const png = Buffer.from(
  drawPng(4, 2, () => [1, 2, 3]),
  'base64',
);

const keep = (bytes: Buffer): Buffer => Buffer.concat(listKeptParts(readPicture(bytes)));

function setSize(jpeg: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(jpeg);
  const frame = changed.indexOf('ffc0', 'hex');
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
}

/** A PNG that says that it is this large. */
function claimSize(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8);
  return Buffer.concat([png.subarray(0, 8), writePngChunk('IHDR', head), png.subarray(33)]);
}

describe('a picture', () => {
  test.each(PICTURE_CASES)('keeps nothing but its orientation: $name', ({ bytes }) => {
    const { type, width, height, orientation } = readPicture(bytes);
    const kept = keep(bytes);
    const trace = [SECRET, 'xmpmeta', 'tEXt', 'MPF\0'].filter((words) => kept.includes(words, 0, 'latin1'));
    expect(trace).toEqual([]);
    expect(readPicture(kept)).toMatchObject({ type, width, height, orientation });
    expect(keep(kept).equals(kept)).toBe(true);
    expect(kept.includes(type === 'png' ? 'eXIf' : 'Exif\0', 0, 'latin1')).toBe(orientation !== 1);
  });

  test.each([
    ['an orientation in little-endian EXIF', addMetadata(rgb, 8, true), 8],
    ['an orientation in a PNG', PICTURE_CASES.find(({ name }) => name.includes('EXIF'))?.bytes ?? png, 6],
    ['an orientation out of range', addMetadata(rgb, 0), 1],
    ['EXIF that is cut off', addSegment(Buffer.concat([Buffer.from('Exif\0\0'), buildExif(6).subarray(0, 20)])), 1],
    ['EXIF that points outside', addSegment(Buffer.from('Exif\0\0MM\0*\xff\xff\xff\xff', 'latin1')), 1],
    ['EXIF that is none', addSegment(Buffer.from('Exif\0\0hello')), 1],
  ])('reads %s', (_, bytes, orientation) => {
    expect(readPicture(bytes).orientation).toBe(orientation);
  });

  test('keeps a thumbnail neither in JFIF nor in its extension', () => {
    const start = rgb.indexOf('ffdb', 'hex');
    const jfif = writeSegment(
      0xe0,
      Buffer.concat([Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\x02\x03', 'latin1'), Buffer.from(SECRET.repeat(2))]),
    );
    const kept = keep(
      Buffer.concat([rgb.subarray(0, 2), jfif, writeSegment(0xe0, `JFXX\0\x10${SECRET}`), rgb.subarray(start)]),
    );
    expect(kept.includes(SECRET)).toBe(false);
    expect(kept.toString('hex', 2, 20)).toBe('ffe000104a46494600010200000100010000');
  });

  test.each([
    ['RIFF\0\0\0\0WEBPVP8 ', 'a picture must be a PNG or a JPEG; this one is WebP'],
    ['\0\0\0\x18ftypheic', 'a picture must be a PNG or a JPEG; this one is HEIC'],
    ['\0\0\0\x18ftypmif1', 'a picture must be a PNG or a JPEG; this one is HEIC'],
    ['\0\0\0\x18ftypavif', 'a picture must be a PNG or a JPEG; this one is AVIF'],
    ['GIF89a', 'a picture must be a PNG or a JPEG; this one is GIF'],
    ['II*\0', 'a picture must be a PNG or a JPEG; this one is TIFF'],
    ['BM', 'a picture must be a PNG or a JPEG; this one is BMP'],
    [
      '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>',
      'a picture must be a PNG or a JPEG; this one is SVG',
    ],
    ['%PDF-1.7', 'a picture must be a PNG or a JPEG; this one is PDF'],
    ['hello', 'a picture must be a PNG or a JPEG'],
    ['', 'a picture must be a PNG or a JPEG'],
  ])('is rejected in another format: %j', (text, message) => {
    expect(() => readPicture(Buffer.from(text, 'latin1'))).toThrow(expect.objectContaining({ status: 422, message }));
  });

  test.each([
    ['30,000 × 30,000', claimSize(30_000, 30_000), 'at most 50 megapixels; this one has 30000 × 30000 pixels, 900.0'],
    [
      'over 50 megapixels as JPEG',
      setSize(rgb, 10_000, 5_001),
      'at most 50 megapixels; this one has 10000 × 5001 pixels',
    ],
    ['no width', setSize(rgb, 0, 10), 'it has no size'],
    ['more than 25 MiB', Buffer.concat([png, Buffer.alloc(25 * 1024 * 1024)]), 'at most 25 MiB; this one has 25.0'],
    ['a JPEG without its end', rgb.subarray(0, -2), 'the JPEG is truncated'],
    ['a JPEG cut off in a segment', rgb.subarray(0, 30), 'the JPEG is truncated'],
    [
      'a JPEG without pixels',
      Buffer.concat([rgb.subarray(0, rgb.indexOf('ffda', 'hex')), Buffer.from('ffd9', 'hex')]),
      'it has no picture',
    ],
    ['a lossless JPEG', Buffer.from(rgb.toString('hex').replace('ffc0', 'ffc3'), 'hex'), 'baseline or progressive'],
    ['CMYK that nobody marked', readJpegFile('cmyk'), 'a CMYK JPEG must have the marker of Adobe'],
    [
      'millions of segments',
      Buffer.concat([rgb.subarray(0, 2), Buffer.alloc(800_000, 'fffe0002fffe0002', 'hex')]),
      'at most 100000 parts',
    ],
    ['a PNG without its end', png.subarray(0, -4), 'the PNG is truncated'],
    ['a PNG with a wrong check sum', Buffer.from(png).fill(7, 45, 46), 'the check sum of its IDAT chunk is wrong'],
    ['a PNG without pixels', Buffer.concat([png.subarray(0, 33), png.subarray(-12)]), 'it has no picture'],
    [
      'a palette that is missing',
      writePng({ width: 1, height: 1, depth: 8, kind: 3, paint: () => [0] }),
      'its palette is missing or not valid',
    ],
    [
      'a palette of one and a third colours',
      writePng({ width: 1, height: 1, depth: 8, kind: 3, chunks: [['PLTE', Buffer.alloc(4)]], paint: () => [0] }),
      'its palette is missing or not valid',
    ],
    [
      'a kind of colour that is none',
      writePng({ width: 1, height: 1, depth: 8, kind: 5, paint: () => [0] }),
      'its header is not valid',
    ],
  ])('is rejected with %s', (_, bytes, message) => {
    expect(() => readPicture(bytes)).toThrow(message);
  });

  test('may have 50 megapixels', () => {
    expect(readPicture(setSize(rgb, 10_000, 5_000))).toMatchObject({ width: 10_000, height: 5_000 });
  });
});

function addSegment(content: Buffer): Buffer {
  return Buffer.concat([rgb.subarray(0, 2), writeSegment(0xe1, content), rgb.subarray(2)]);
}
