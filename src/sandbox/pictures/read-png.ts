import { crc32 } from 'node:zlib';
import { refuse } from '../fields/refusal.js';
import { type Orientation, readOrientation } from './orientation.js';
import { checkPartCount, checkPictureSize } from './picture-size.js';

export interface ReadPng {
  readonly type: 'png';
  /** Width of the stored pixels, before the picture is turned. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** The file without metadata, in pieces. The first piece is the start of the file. */
  readonly parts: readonly Buffer[];
  /** Number of bits per colour. */
  readonly depth: number;
  readonly colours: PngColours;
  readonly isInterlaced: boolean;
  /** Red, green and blue of each palette entry. */
  readonly palette: Buffer | undefined;
  /** The tRNS chunk: opacities of a palette, or the single transparent colour. */
  readonly transparency: Buffer | undefined;
  /** The pixels as compressed by zlib. */
  readonly pixels: readonly Buffer[];
}

export type PngColours = 'grey' | 'rgb' | 'palette' | 'grey+alpha' | 'rgb+alpha';

/** Number of the colour type → colours and allowed depths (PNG specification, 11.2.1). */
const COLOURS: Readonly<Record<number, { readonly colours: PngColours; readonly depths: readonly number[] }>> = {
  0: { colours: 'grey', depths: [1, 2, 4, 8, 16] },
  2: { colours: 'rgb', depths: [8, 16] },
  3: { colours: 'palette', depths: [1, 2, 4, 8] },
  4: { colours: 'grey+alpha', depths: [8, 16] },
  6: { colours: 'rgb+alpha', depths: [8, 16] },
};

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const HEAD_BYTES = 13;
/** Chunks with the picture and its colours. Texts, EXIF, times and animations are dropped. */
const KEPT: readonly string[] = ['PLTE', 'tRNS', 'IDAT', 'IEND', 'iCCP', 'sRGB', 'gAMA', 'cHRM', 'cICP'];

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/** @throws Refusal for a damaged file */
export function readPng(bytes: Buffer): ReadPng {
  const chunks = listChunks(bytes);
  const first = chunks.next().value;
  const head = readHead(first);
  const parts = [bytes.subarray(0, SIGNATURE.length + 12 + HEAD_BYTES)];
  const pixels: Buffer[] = [];
  const kept = new Map<string, Buffer>();
  let orientation: Orientation = 1;
  for (const { name, data, whole } of chunks) {
    if (name === 'eXIf') orientation = readOrientation(data);
    if (!KEPT.includes(name)) continue;
    checkSum(name, whole);
    checkPartCount(parts.push(whole));
    if (name === 'IDAT') pixels.push(data);
    else kept.set(name, data);
  }
  const palette = kept.get('PLTE');
  if (pixels.length === 0) refuse(422, 'the PNG is damaged: it has no picture');
  if (head.colours === 'palette' && !isPalette(palette))
    refuse(422, 'the PNG is damaged: its palette is missing or not valid');
  return { type: 'png', ...head, orientation, parts, palette, transparency: kept.get('tRNS'), pixels };
}

function isPalette(colours: Buffer | undefined): boolean {
  return colours !== undefined && colours.length > 0 && colours.length <= 768 && colours.length % 3 === 0;
}

export function writePngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(name, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
  /** The chunk with its length, name and checksum. */
  readonly whole: Buffer;
}

/** Yields the chunks up to the end of the picture. */
function* listChunks(bytes: Buffer): Generator<Chunk, undefined> {
  for (let at = SIGNATURE.length; ; ) {
    const end = at + 12 <= bytes.length ? at + 12 + bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) return refuse(422, 'the PNG is truncated: its end is missing');
    const name = bytes.toString('latin1', at + 4, at + 8);
    yield { name, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) };
    if (name === 'IEND') return undefined;
    at = end;
  }
}

function checkSum(name: string, whole: Buffer): void {
  const end = whole.length - 4;
  if (crc32(whole.subarray(4, end)) !== whole.readUInt32BE(end)) {
    refuse(422, `the PNG is damaged: the check sum of its ${name} chunk is wrong`);
  }
}

function readHead(chunk: Chunk | undefined) {
  if (chunk?.name !== 'IHDR' || chunk.data.length !== HEAD_BYTES)
    return refuse(422, 'the PNG is damaged: it has no header');
  const { data, name, whole } = chunk;
  checkSum(name, whole);
  const size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
  checkPictureSize(size);
  const [depth = 0, kind = 0, compression, filter, interlacing = 0] = data.subarray(8);
  const { colours, depths = [] } = COLOURS[kind] ?? {};
  if (colours === undefined || !depths.includes(depth) || compression !== 0 || filter !== 0 || interlacing > 1) {
    return refuse(422, 'the PNG is damaged: its header is not valid');
  }
  return { ...size, depth, colours, isInterlaced: interlacing === 1 };
}
