import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import type { PngColours, ReadPng } from '../pictures/read-png.js';

export const SAMPLES: Readonly<Record<PngColours, number>> = {
  grey: 1,
  rgb: 3,
  palette: 1,
  'grey+alpha': 2,
  'rgb+alpha': 4,
};

/** The pixels of one row. In an interlaced picture, these are the pixels of one pass. */
export interface RowPlace {
  readonly y: number;
  /** The first pixel, and the distance to the next one. */
  readonly first: number;
  readonly step: number;
  readonly pixels: number;
}

/** Left, top, across and down: the first pixel of each pass and the distance to its next pixels (PNG specification, 8.2). */
const ADAM7: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * Calls `onRow` with the stored samples of each row, and `onPause` after each piece. Stops at a damaged piece. Never reads more
 * than the size of the picture allows, however much data the file contains.
 */
export async function readRows(
  png: ReadPng,
  onRow: (samples: Buffer, place: RowPlace) => void,
  onPause: () => Promise<void>,
): Promise<void> {
  const rows = new PngRowReader(png, onRow);
  try {
    for await (const piece of Readable.from(png.pixels).pipe(createInflate({ chunkSize: 256 * 1024 }))) {
      rows.take(piece as Buffer);
      await onPause();
      if (rows.isDone) return;
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
  }
}

class PngRowReader {
  readonly #places: Iterator<RowPlace>;
  readonly #onRow: (samples: Buffer, place: RowPlace) => void;
  readonly #pixelBits: number;
  #place: RowPlace | undefined;
  /** The filter of the row and its samples. */
  #row: Buffer = Buffer.alloc(0);
  #above: Buffer = Buffer.alloc(0);
  #filled = 0;

  constructor(png: ReadPng, onRow: (samples: Buffer, place: RowPlace) => void) {
    this.#places = listPlaces(png);
    this.#onRow = onRow;
    this.#pixelBits = SAMPLES[png.colours] * png.depth;
    this.#goOn();
  }

  get isDone(): boolean {
    return this.#place === undefined;
  }

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length && this.#place !== undefined; ) {
      const copied = piece.copy(this.#row, this.#filled, at);
      this.#filled += copied;
      at += copied;
      if (this.#filled < this.#row.length) return;
      removeFilter(this.#row, this.#above, Math.max(1, this.#pixelBits / 8));
      this.#onRow(this.#row.subarray(1), this.#place);
      this.#goOn();
    }
  }

  /** Continues with the next row. The first row of a pass has no row above it. */
  #goOn(): void {
    const before = this.#place;
    const next = this.#places.next();
    this.#place = next.done ? undefined : next.value;
    this.#filled = 0;
    if (this.#place === undefined) return;
    const isSamePass = before !== undefined && before.y < this.#place.y && before.pixels === this.#place.pixels;
    if (isSamePass) {
      [this.#row, this.#above] = [this.#above, this.#row];
      return;
    }
    const bytes = 1 + Math.ceil((this.#place.pixels * this.#pixelBits) / 8);
    this.#row = Buffer.alloc(bytes);
    this.#above = Buffer.alloc(bytes);
  }
}

function* listPlaces({ width, height, isInterlaced }: ReadPng): Generator<RowPlace> {
  for (const [first, top, step, down] of isInterlaced ? ADAM7 : [[0, 0, 1, 1] as const]) {
    const pixels = Math.ceil((width - first) / step);
    for (let y = top; pixels > 0 && y < height; y += down) yield { y, first, step, pixels };
  }
}

/**
 * Removes the filter of a row. Each byte was stored as its difference from neighbours to the left and above (PNG specification,
 * 9.2).
 */
function removeFilter(row: Buffer, above: Buffer, pixelBytes: number): void {
  const filter = row[0] ?? 0;
  for (let at = 1; filter !== 0 && at < row.length; at += 1) {
    const hasLeft = at > pixelBytes;
    const left = hasLeft ? (row[at - pixelBytes] ?? 0) : 0;
    const corner = hasLeft ? (above[at - pixelBytes] ?? 0) : 0;
    row[at] = (row[at] ?? 0) + predict(filter, left, above[at] ?? 0, corner);
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
