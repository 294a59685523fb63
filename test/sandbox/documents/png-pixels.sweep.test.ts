import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPixels } from '../../../src/sandbox/documents/png-pixels.js';
import { type ReadPng, readPng } from '../../../src/sandbox/pictures/read-png.js';
import { COLOURS, PICTURE_CASES } from './picture-cases.js';

const CASES = PICTURE_CASES.filter(({ name }) => name.startsWith('PNG')).map((one) => ({
  ...one,
  png: readPng(one.bytes),
}));

async function inflatePixels(png: ReadPng, limits?: Parameters<typeof readPixels>[1]) {
  const { colours, opacity } = await readPixels(png, limits);
  return { colours: inflateSync(Buffer.concat(colours)), opacity: opacity && inflateSync(Buffer.concat(opacity)) };
}

test.each(CASES)('reads the same pixels with fewer rows in memory: $name', async ({ png }) => {
  const all = await inflatePixels(png);
  expect(all.colours.length).toBe(png.width * png.height * (png.colours.startsWith('grey') ? 1 : 3));
  for (const bytes of [1, 400]) expect(await inflatePixels(png, { inOrder: bytes, interlaced: bytes })).toEqual(all);
});

test.each(CASES)('fills up a damaged picture with empty pixels: $name', async ({ png }) => {
  const whole = await inflatePixels(png);
  const stream = Buffer.concat(png.pixels);
  for (const pixels of [[stream.subarray(0, stream.length / 2)], [Buffer.from('hello')]]) {
    const { colours, opacity } = await inflatePixels({ ...png, pixels });
    expect([colours.length, opacity?.length]).toEqual([whole.colours.length, whole.opacity?.length]);
    expect(colours.at(-1)).toBe(0);
    if (opacity) expect(opacity.at(-1)).toBe(0);
  }
});

test('stops reading a stream at the end of the picture', async () => {
  const rgb = CASES.find(({ name }) => name === 'PNG, RGB')?.png;
  if (rgb === undefined) throw new Error('The picture is missing.');
  const { colours } = await inflatePixels({ ...rgb, height: 10 });
  expect(colours.length).toBe(rgb.width * 10 * 3);
  expect([...colours.subarray(0, 3)]).toEqual(COLOURS.R);
});
