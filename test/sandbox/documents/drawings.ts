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

/** Draws a picture as a base64 PNG. `paint` gives the red, green and blue of each point. */
export function drawPng(
  width: number,
  height: number,
  paint: (x: number, y: number) => readonly [number, number, number],
): string {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => paint(x / width, y / height)).flat()]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString('base64');
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
