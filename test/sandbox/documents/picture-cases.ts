import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type DrawnPng, writePng } from './drawings.js';

/**
 * Pictures of four colours, described as a reader sees them: `RG/BY` is red and green above blue and yellow, three units wide and two high.
 * `g` is half of the green on white, a dot is white paper.
 */
export interface PictureCase {
  readonly name: string;
  readonly bytes: Buffer;
  readonly corners: string;
  readonly isUpended?: boolean;
}

export const COLOURS: Readonly<Record<string, readonly [number, number, number]>> = {
  R: [220, 40, 40],
  G: [40, 160, 60],
  B: [40, 60, 200],
  Y: [240, 200, 40],
  /** Blue in inks, which have less of it. */
  b: [68, 76, 143],
  g: [147, 207, 157],
  '.': [255, 255, 255],
  K: [0, 0, 0],
  // The first four, grey.
  1: [94, 94, 94],
  2: [113, 113, 113],
  3: [70, 70, 70],
  4: [194, 194, 194],
};

/** Made by Pillow: 48 × 32 pixels of RG/BY. */
export function readJpegFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'jpegs', `${name}.jpg`));
}

/** EXIF with an orientation among other things, in either byte order. */
export function buildExif(orientation: number, isLittle = false): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4 + 16);
  const [short, long] = isLittle
    ? (['writeUInt16LE', 'writeUInt32LE'] as const)
    : (['writeUInt16BE', 'writeUInt32BE'] as const);
  tiff.write(isLittle ? 'II' : 'MM', 'latin1');
  tiff[short](42, 2);
  tiff[long](8, 4);
  tiff[short](2, 8);
  // Where it was taken, as a text of 16 letters at byte 38.
  for (const [at, value] of [
    [10, 0x010e],
    [12, 2],
  ] as const)
    tiff[short](value, at);
  for (const [at, value] of [
    [14, 16],
    [18, 38],
  ] as const)
    tiff[long](value, at);
  for (const [at, value] of [
    [22, 0x0112],
    [24, 3],
    [30, orientation],
  ] as const)
    tiff[short](value, at);
  tiff[long](1, 26);
  tiff.write(SECRET, 38, 'latin1');
  return tiff;
}

/** Metadata has it, and nothing that is delivered may. */
export const SECRET = 'GPS 59.91N 10.7E';

export function writeSegment(marker: number, content: Buffer | string): Buffer {
  const data = Buffer.from(content as string, 'latin1');
  return Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);
}

/** As a phone writes it: EXIF, XMP, a second picture in MPF, a comment, and something after the end. */
export function addMetadata(jpeg: Buffer, orientation: number, isLittle = false): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), buildExif(orientation, isLittle)]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    writeSegment(0xe1, exif),
    writeSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${SECRET}</x:xmpmeta>`),
    writeSegment(0xe2, `MPF\0${SECRET}`),
    writeSegment(0xfe, SECRET),
    jpeg.subarray(2),
    jpeg,
    Buffer.from(SECRET),
  ]);
}

const rgb = readJpegFile('rgb');

const ORIENTATIONS: readonly (readonly [orientation: number, corners: string])[] = [
  [1, 'RG/BY'],
  [2, 'GR/YB'],
  [3, 'YB/GR'],
  [4, 'BY/RG'],
  [5, 'RB/GY'],
  [6, 'BR/YG'],
  [7, 'YG/BR'],
  [8, 'GY/RB'],
];

const JPEGS: readonly PictureCase[] = [
  ...ORIENTATIONS.map(([orientation, corners]) => ({
    name: `JPEG, orientation ${orientation}`,
    bytes: addMetadata(rgb, orientation, orientation % 2 === 0),
    corners,
    isUpended: orientation > 4,
  })),
  { name: 'JPEG, an orientation that does not exist', bytes: addMetadata(rgb, 9), corners: 'RG/BY' },
  { name: 'JPEG, progressive', bytes: addMetadata(readJpegFile('progressive'), 1), corners: 'RG/BY' },
  { name: 'JPEG, grey', bytes: addMetadata(readJpegFile('grey'), 3), corners: '43/21' },
  { name: 'JPEG, CMYK as Adobe stores it', bytes: addMetadata(readJpegFile('cmyk-adobe'), 1), corners: 'RG/BY' },
  { name: 'JPEG, with a colour profile', bytes: addMetadata(readJpegFile('profile'), 1), corners: 'RG/BY' },
];

const WIDTH = 45;
const HEIGHT = 30;

function letterAt(corners: string, x: number, y: number): string {
  return (corners.split('/')[Math.floor((2 * y) / HEIGHT)] ?? '')[Math.floor((2 * x) / WIDTH)] ?? '';
}

function paint(corners: string, samplesOf: (letter: string) => readonly number[]): DrawnPng['paint'] {
  const samples = new Map([...corners].map((letter) => [letter, samplesOf(letter)]));
  return (x, y) => samples.get(letterAt(corners, x, y)) ?? [];
}

const colourOf = (letter: string): readonly number[] => COLOURS[letter === 'g' ? 'G' : letter] ?? [];
const alphaOf = (letter: string): number => ({ g: 128, '.': 0 })[letter] ?? 255;
const in16Bits = (samples: readonly number[]): readonly number[] => samples.map((sample) => 257 * sample);
const entryOf = (letter: string): readonly number[] => ['RGBYg.'.indexOf(letter)];
const PALETTE = Buffer.from([...'RGBYg.'].flatMap(colourOf));
const OPACITIES = Buffer.from([...'RGBYg.'].map(alphaOf));

const PNGS: readonly (Pick<DrawnPng, 'depth' | 'kind' | 'isInterlaced' | 'chunks' | 'paint'> & {
  readonly name: string;
  readonly corners: string;
})[] = [
  { name: 'RGB', depth: 8, kind: 2, corners: 'RG/BY', paint: paint('RG/BY', colourOf) },
  {
    name: 'RGB with texts, a profile and EXIF',
    ...{ depth: 8, kind: 2, corners: 'BR/YG', paint: paint('RG/BY', colourOf) },
    chunks: [
      ['iCCP', Buffer.concat([Buffer.from('sRGB\0\0', 'latin1'), deflateSync(readProfile())])],
      ['tEXt', Buffer.from(`Comment\0${SECRET}`, 'latin1')],
      ['iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${SECRET}`, 'latin1')],
      ['eXIf', buildExif(6)],
    ],
  },
  { name: 'RGB, interlaced', depth: 8, kind: 2, isInterlaced: true, corners: 'RG/BY', paint: paint('RG/BY', colourOf) },
  {
    name: 'RGB, 16 bits',
    depth: 16,
    kind: 2,
    corners: 'RG/BY',
    paint: paint('RG/BY', (one) => in16Bits(colourOf(one))),
  },
  {
    name: 'RGB, one colour transparent',
    ...{ depth: 8, kind: 2, corners: 'RG/B.', paint: paint('RG/BY', colourOf) },
    chunks: [['tRNS', Buffer.from(colourOf('Y').flatMap((sample) => [0, sample]))]],
  },
  {
    name: 'RGB with alpha',
    ...{ depth: 8, kind: 6, corners: 'Rg/B.', paint: paint('Rg/B.', (one) => [...colourOf(one), alphaOf(one)]) },
  },
  {
    name: 'RGB with alpha, 16 bits, interlaced',
    ...{ depth: 16, kind: 6, isInterlaced: true, corners: 'Rg/B.' },
    paint: paint('Rg/B.', (one) => in16Bits([...colourOf(one), alphaOf(one)])),
  },
  { name: 'grey', depth: 8, kind: 0, corners: '12/34', paint: paint('12/34', (one) => colourOf(one).slice(2)) },
  { name: 'grey, 1 bit', depth: 1, kind: 0, corners: 'K./.K', paint: paint('K./.K', (one) => [one === 'K' ? 0 : 1]) },
  {
    name: 'grey with alpha',
    ...{
      depth: 8,
      kind: 4,
      corners: '12/3.',
      paint: paint('12/3.', (one) => [...colourOf(one).slice(2), alphaOf(one)]),
    },
  },
  {
    name: 'palette of 4 bits',
    ...{ depth: 4, kind: 3, corners: 'RG/BY', paint: paint('RG/BY', entryOf), chunks: [['PLTE', PALETTE]] },
  },
  {
    name: 'palette of 4 bits with opacities',
    ...{ depth: 4, kind: 3, corners: 'Rg/B.', paint: paint('Rg/B.', entryOf) },
    chunks: [
      ['PLTE', PALETTE],
      ['tRNS', OPACITIES],
    ],
  },
  {
    name: 'palette of 2 bits, interlaced',
    ...{ depth: 2, kind: 3, isInterlaced: true, corners: 'RG/BY', paint: paint('RG/BY', entryOf) },
    chunks: [['PLTE', PALETTE.subarray(0, 12)]],
  },
];

function readProfile(): Buffer {
  const jpeg = readJpegFile('profile');
  const at = jpeg.indexOf('ICC_PROFILE\0', 'latin1');
  return jpeg.subarray(at + 14, at - 4 + 2 + jpeg.readUInt16BE(at - 2));
}

export const PICTURE_CASES: readonly PictureCase[] = [
  ...JPEGS,
  ...PNGS.map(({ name, corners, ...png }) => ({
    name: `PNG, ${name}`,
    bytes: writePng({ width: WIDTH, height: HEIGHT, ...png }),
    corners,
    isUpended: name.includes('EXIF'),
  })),
];
