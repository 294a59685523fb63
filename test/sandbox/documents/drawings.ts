import { deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** @param row the bytes of a line: three for each point of a coloured picture, one for a grey one */
export function encodePng(
  width: number,
  height: number,
  colour: 'rgb' | 'grey',
  row: (y: number) => Uint8Array,
): Buffer {
  const rows = Array.from({ length: height }, (_, y) => Buffer.concat([Buffer.of(0), row(y)]));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colour === 'rgb' ? 2 : 0, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const shades = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', shades), chunk('IEND', Buffer.alloc(0))]);
}

/** A picture as base64 PNG: each point as `paint` says, red, green and blue. */
export function drawPng(
  width: number,
  height: number,
  paint: (x: number, y: number) => readonly [number, number, number],
): string {
  const row = (y: number): Buffer =>
    Buffer.from(Array.from({ length: width }, (_, x) => paint(x / width, y / height)).flat());
  return encodePng(width, height, 'rgb', row).toString('base64');
}

/** A head and shoulders. */
export const PORTRAIT = drawPng(160, 160, (x, y) => {
  const isHead = (x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.045;
  const isBody = (x - 0.5) ** 2 / 0.14 + (y - 1.05) ** 2 / 0.16 < 1;
  return isHead || isBody ? [236, 240, 241] : [52, 102, 140];
});

/** A dam before a sky. */
export const DAM = drawPng(240, 150, (x, y) => {
  if (y < 0.35 + 0.05 * Math.sin(x * 6)) return [160, 205, 235];
  return y < 0.75 ? [150 - Math.round(40 * x), 150, 150] : [40, 90, 140];
});

/** Three bars. */
export const LOGO = drawPng(200, 50, (x, y) =>
  Math.floor(x * 6) % 2 === 0 && y > x * 0.5 ? [31, 78, 121] : [255, 255, 255],
);
