import { deflateSync } from 'node:zlib';
import { writePngChunk } from '../../../src/sandbox/pictures/read-png.js';

type Samples = readonly number[];

export interface DrawnPng {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** As PNG numbers the kinds of colour: grey 0, RGB 2, palette 3, grey with alpha 4, RGB with alpha 6. */
  readonly kind: number;
  readonly isInterlaced?: boolean;
  /** Chunks before the pixels, by name. */
  readonly chunks?: readonly (readonly [name: string, data: Buffer])[];
  readonly paint: (x: number, y: number) => Samples;
}

/** Left, top, across and down of each pass. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Rows use the five filters in turn. */
export function writePng({ width, height, depth, kind, isInterlaced = false, chunks = [], paint }: DrawnPng): Buffer {
  const rows: Buffer[] = [];
  for (const [left, top, across, down] of isInterlaced ? PASSES : [[0, 0, 1, 1] as const]) {
    let above: Buffer | undefined;
    for (let y = top; y < height && left < width; y += down) {
      const xs = Array.from({ length: Math.ceil((width - left) / across) }, (_, index) => left + index * across);
      const row = packSamples(
        xs.flatMap((x) => paint(x, y)),
        depth,
      );
      rows.push(
        filterRow(y % 5, row, above ?? Buffer.alloc(row.length), Math.max(1, (paint(0, 0).length * depth) / 8)),
      );
      above = row;
    }
  }
  return assemblePng({ width, height, depth, kind, isInterlaced, chunks }, Buffer.concat(rows));
}

/** @param rows each with its filter before it */
export function assemblePng(
  { width, height, depth, kind, isInterlaced = false, chunks = [] }: Omit<DrawnPng, 'paint'>,
  rows: Buffer,
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, kind, 0, 0, isInterlaced ? 1 : 0], 8);
  const parts = [
    ['IHDR', head],
    ...chunks,
    ['IDAT', deflateSync(rows, { level: 9 })],
    ['IEND', Buffer.alloc(0)],
  ] as const;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, ...parts.map(([name, data]) => writePngChunk(name, data))]);
}

function packSamples(samples: Samples, depth: number): Buffer {
  const bits = samples.map((sample) => sample.toString(2).padStart(depth, '0')).join('');
  return Buffer.from(bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? []);
}

function filterRow(filter: number, row: Buffer, above: Buffer, pixelBytes: number): Buffer {
  const bytes = row.map((byte, at) => {
    const [left, up, corner] = [row[at - pixelBytes] ?? 0, above[at] ?? 0, above[at - pixelBytes] ?? 0];
    const nearest = [left, up, corner].toSorted(
      (a, b) => Math.abs(left + up - corner - a) - Math.abs(left + up - corner - b),
    );
    return byte - ([0, left, up, Math.floor((left + up) / 2), nearest[0] ?? 0][filter] ?? 0);
  });
  return Buffer.concat([Buffer.from([filter]), bytes]);
}

/** Draws a picture as a base64 PNG. `paint` gives the red, green and blue of each point. */
export function drawPng(
  width: number,
  height: number,
  paint: (x: number, y: number) => readonly [number, number, number],
): string {
  const png = { width, height, depth: 8, kind: 2, paint: (x: number, y: number) => paint(x / width, y / height) };
  return writePng(png).toString('base64');
}

/** Draws a head and shoulders. */
export const PORTRAIT = drawPng(160, 160, (x, y) => {
  const isHead = (x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.045;
  const isBody = (x - 0.5) ** 2 / 0.14 + (y - 1.05) ** 2 / 0.16 < 1;
  return isHead || isBody ? [236, 240, 241] : [52, 102, 140];
});

/** Draws a dam under a sky. */
export const DAM = drawPng(240, 150, (x, y) => {
  if (y < 0.35 + 0.05 * Math.sin(x * 6)) return [160, 205, 235];
  return y < 0.75 ? [150 - Math.round(40 * x), 150, 150] : [40, 90, 140];
});

/** Draws three bars. */
export const LOGO = drawPng(200, 50, (x, y) =>
  Math.floor(x * 6) % 2 === 0 && y > x * 0.5 ? [31, 78, 121] : [255, 255, 255],
);
