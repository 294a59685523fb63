import { once } from 'node:events';
import { createDeflate } from 'node:zlib';
import type { ReadPng } from '../pictures/read-png.js';
import { type RowPlace, readRows, SAMPLES } from './png-rows.js';

/** Samples of 8 bits in rows, compressed with zlib. */
export interface PixelPlanes {
  /** One sample per pixel for a grey PNG, otherwise red, green and blue. */
  readonly colours: readonly Buffer[];
  /** Opacity of each pixel; undefined if no pixel can be transparent. */
  readonly opacity: readonly Buffer[] | undefined;
}

const BLOCK_BYTES = { inOrder: 256 * 1024, interlaced: 64 * 1024 * 1024 };

/**
 * Separates colours from transparency, as PDF requires, with one block of rows in memory at a time. The rows of an interlaced
 * picture come in seven passes, so it is decompressed once per block, and its blocks are larger. Missing pixels of a damaged
 * file become black, and transparent if the picture has transparency.
 */
export async function readPixels(png: ReadPng, limits = BLOCK_BYTES): Promise<PixelPlanes> {
  const { width, height, isInterlaced } = png;
  const perPixel = png.colours.startsWith('grey') ? 1 : 3;
  const hasOpacity = png.transparency !== undefined || png.colours.endsWith('alpha');
  const blockBytes = isInterlaced ? limits.interlaced : limits.inOrder;
  const blockRows = Math.max(1, Math.floor(blockBytes / (width * (perPixel + 1))));
  const colours = new Plane({ rowBytes: width * perPixel, height, blockRows });
  const opacity = hasOpacity ? new Plane({ rowBytes: width, height, blockRows }) : undefined;
  const readRow = png.colours === 'palette' ? buildPaletteReader(png) : buildColourReader(png);
  const flush = async (): Promise<void> => {
    await colours.flush();
    await opacity?.flush();
  };
  for (let first = 0; first < height; first += isInterlaced ? blockRows : height) {
    const isInBlock = ({ y }: RowPlace): boolean => !isInterlaced || (y >= first && y < first + blockRows);
    const onRow = (samples: Buffer, place: RowPlace): void => {
      if (isInBlock(place)) readRow(samples, place, colours.openRow(place.y), opacity?.openRow(place.y));
    };
    await readRows(png, onRow, flush);
  }
  return { colours: await colours.end(), opacity: await opacity?.end() };
}

/** The buffer for the samples of a row. */
interface OpenRow {
  readonly block: Buffer;
  readonly start: number;
}

type RowTaker = (samples: Buffer, place: RowPlace, shown: OpenRow, opacity: OpenRow | undefined) => void;

/** Samples that are written to a compressed stream. */
class Plane {
  readonly #deflate = createDeflate();
  readonly #pieces: Buffer[] = [];
  readonly #rowBytes: number;
  readonly #blockRows: number;
  readonly #height: number;
  /** Rows that are not yet compressed. */
  #block: Buffer;
  #firstRow = 0;
  #fullBlocks: Buffer[] = [];

  constructor({ rowBytes, height, blockRows }: Readonly<Record<'rowBytes' | 'height' | 'blockRows', number>>) {
    this.#rowBytes = rowBytes;
    this.#height = height;
    this.#blockRows = blockRows;
    this.#block = this.#startBlock();
    this.#deflate.on('data', (piece: Buffer) => this.#pieces.push(piece));
  }

  openRow(y: number): OpenRow {
    while (y >= this.#firstRow + this.#blockRows) this.#endBlock();
    return { block: this.#block, start: (y - this.#firstRow) * this.#rowBytes };
  }

  async flush(): Promise<void> {
    for (const block of this.#fullBlocks.splice(0)) {
      if (!this.#deflate.write(block)) await once(this.#deflate, 'drain');
    }
  }

  /** Ends the stream. Missing rows are empty. */
  async end(): Promise<readonly Buffer[]> {
    while (this.#firstRow < this.#height) {
      this.#endBlock();
      await this.flush();
    }
    this.#deflate.end();
    await once(this.#deflate, 'end');
    return this.#pieces;
  }

  #startBlock(): Buffer {
    return Buffer.alloc(Math.min(this.#blockRows, this.#height - this.#firstRow) * this.#rowBytes);
  }

  #endBlock(): void {
    this.#fullBlocks.push(this.#block);
    this.#firstRow += this.#blockRows;
    this.#block = this.#firstRow < this.#height ? this.#startBlock() : Buffer.alloc(0);
  }
}

function buildPaletteReader({ depth, palette, transparency }: ReadPng): RowTaker {
  return (samples, { first, step, pixels }, shown, opacity) => {
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const entry = sampleAt(samples, pixel, depth);
      const to = first + pixel * step;
      for (let at = 0; at < 3; at += 1) shown.block[shown.start + 3 * to + at] = palette?.[3 * entry + at] ?? 0;
      if (opacity) opacity.block[opacity.start + to] = transparency?.[entry] ?? 255;
    }
  };
}

function buildColourReader({ depth, colours, transparency }: ReadPng): RowTaker {
  const samplesPerPixel = SAMPLES[colours];
  const inColour = colours.startsWith('grey') ? 1 : 3;
  const hasAlpha = samplesPerPixel > inColour;
  const toByte = 255 / (2 ** depth - 1);
  // Without an alpha channel, one colour may be transparent.
  const clear = transparency?.length === 2 * inColour && !hasAlpha ? transparency : undefined;
  const isClear = (sample: number, at: number): boolean => clear?.readUInt16BE(2 * at) === sample;
  return (samples, { first, step, pixels }, shown, opacity) => {
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const from = pixel * samplesPerPixel;
      const to = first + pixel * step;
      let isTransparent = clear !== undefined;
      for (let at = 0; at < inColour; at += 1) {
        const sample = sampleAt(samples, from + at, depth);
        isTransparent &&= isClear(sample, at);
        shown.block[shown.start + inColour * to + at] = sample * toByte;
      }
      if (!opacity) continue;
      const alpha = hasAlpha ? sampleAt(samples, from + inColour, depth) * toByte : 255;
      opacity.block[opacity.start + to] = isTransparent ? 0 : alpha;
    }
  };
}

function sampleAt(samples: Buffer, index: number, depth: number): number {
  if (depth === 8) return samples[index] ?? 0;
  if (depth === 16) return ((samples[2 * index] ?? 0) << 8) | (samples[2 * index + 1] ?? 0);
  const bit = index * depth;
  return ((samples[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
}
