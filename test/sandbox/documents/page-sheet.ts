import { inflateSync } from 'node:zlib';
import { assemblePng } from './drawings.js';

/** Shades of grey, from the upper left. */
export interface Shades {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

const COLUMNS = 4;
const GAP = 6;
const GAP_SHADE = 150;
/** Fewer shades make a smaller file. */
const STEP = 17;

/** @param file a PGM of eight bits, as `pdftoppm -gray` writes it */
export function parsePgm(file: Buffer): Shades {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 40));
  if (head === null) throw new Error('This is not a PGM of eight bits.');
  return { width: Number(head[1]), height: Number(head[2]), bytes: file.subarray(head[0].length) };
}

/** All pages of a document in one picture, four in a row. */
export function tilePages(pages: readonly Shades[]): Shades {
  const columns = Math.min(COLUMNS, pages.length);
  const tile = {
    width: Math.max(...pages.map((page) => page.width)),
    height: Math.max(...pages.map((page) => page.height)),
  };
  const width = columns * (tile.width + GAP) - GAP;
  const height = Math.ceil(pages.length / columns) * (tile.height + GAP) - GAP;
  const bytes = Buffer.alloc(width * height, GAP_SHADE);
  for (const [index, page] of pages.entries()) {
    const left = (index % columns) * (tile.width + GAP);
    const top = Math.floor(index / columns) * (tile.height + GAP);
    for (let y = 0; y < page.height; y += 1) {
      for (let x = 0; x < page.width; x += 1) {
        const shade = page.bytes[y * page.width + x] ?? 255;
        bytes[(top + y) * width + left + x] = Math.round(shade / STEP) * STEP;
      }
    }
  }
  return { width, height, bytes };
}

export function writeSheet({ width, height, bytes }: Shades): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), bytes.subarray(y * width, (y + 1) * width)]),
  );
  return assemblePng({ width, height, depth: 8, kind: 0 }, Buffer.concat(rows));
}

/** @param png a sheet as `writeSheet` makes it: no filters, one chunk of shades */
export function readSheet(png: Buffer): Shades {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const at = png.indexOf('IDAT', 0, 'latin1');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const lines = Array.from({ length: height }, (_, y) => rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)));
  return { width, height, bytes: Buffer.concat(lines) };
}

const CELL = 8;
/** How far the mean shade of a cell may be off: a line of text that is elsewhere changes it by a fifth, another release of a renderer by less. */
const SLACK = 30;

/** The share of small cells that look different, 1 for sheets of different sizes. */
export function compareSheets(one: Shades, other: Shades): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const [columns, rows] = [Math.ceil(one.width / CELL), Math.ceil(one.height / CELL)];
  let different = 0;
  for (let cell = 0; cell < columns * rows; cell += 1) {
    const [x, y] = [(cell % columns) * CELL, Math.floor(cell / columns) * CELL];
    if (Math.abs(meanShade(one, x, y) - meanShade(other, x, y)) > SLACK) different += 1;
  }
  return different / (columns * rows);
}

function meanShade({ width, height, bytes }: Shades, left: number, top: number): number {
  const [right, bottom] = [Math.min(left + CELL, width), Math.min(top + CELL, height)];
  let sum = 0;
  for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) sum += bytes[y * width + x] ?? 255;
  return sum / ((right - left) * (bottom - top));
}
