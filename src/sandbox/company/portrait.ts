import { KINDS } from './people.js';
import { createRandom } from './random.js';

const CELLS = 5;
const CELL_PIXELS = 12;
const SIDE = CELLS * CELL_PIXELS;
const ROW_BYTES = Math.ceil(SIDE / 8);
/** Colours that are dark enough for a white background. */
const COLOURS = [0x1f4e79, 0x7a1f4e, 0x2e6b34, 0x8a4b08, 0x4b3b8f, 0x0f6b6b] as const;

/**
 * Draws a portrait as a symmetric pattern of five by five cells. Returns an uncompressed PNG in base64, because zlib versions
 * compress differently.
 */
export function drawPortrait(seed: number, index: number): string {
  const random = createRandom(seed, KINDS.portrait, index);
  const colour = random.pick(COLOURS);
  const half = Array.from({ length: CELLS }, () => Array.from({ length: 3 }, () => random.chance(50)));
  const rows = Buffer.alloc(SIDE * (1 + ROW_BYTES));
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      const column = Math.floor(x / CELL_PIXELS);
      if (half[Math.floor(y / CELL_PIXELS)]?.[Math.min(column, CELLS - 1 - column)] !== true) continue;
      const byte = y * (1 + ROW_BYTES) + 1 + (x >> 3);
      rows[byte] = (rows[byte] ?? 0) | (0x80 >> (x & 7));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  // The image has a palette and one bit per pixel.
  head.set([1, 3, 0, 0, 0], 8);
  const palette = Buffer.from([255, 255, 255, colour >> 16, (colour >> 8) & 255, colour & 255]);
  const chunks = [
    writeChunk('IHDR', head),
    writeChunk('PLTE', palette),
    writeChunk('IDAT', storeBytes(rows)),
    writeChunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]).toString('base64');
}

function writeChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(sumCrc(named));
  return Buffer.concat([size, named, sum]);
}

/** Returns a zlib stream with one stored block (RFC 1950, RFC 1951 3.2.4), for at most 65,535 bytes. */
function storeBytes(data: Buffer): Buffer {
  const frame = Buffer.alloc(11);
  frame.set([0x78, 0x01, 0x01]);
  frame.writeUInt16LE(data.length, 3);
  frame.writeUInt16LE(data.length ^ 0xffff, 5);
  let [low, high] = [1, 0];
  for (const byte of data) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  frame.writeUInt32BE(high * 65_536 + low, 7);
  return Buffer.concat([frame.subarray(0, 7), data, frame.subarray(7)]);
}

function sumCrc(data: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
