import { refuse } from '../fields/refusal.js';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const MOST_MEGAPIXELS = 50;
/** A picture of 25 MiB has a few thousand, unless it was made to take up memory. */
const MOST_PARTS = 100_000;

/** Readers call it with the size in the header, before they look at anything else. */
export function checkPictureSize({ width, height }: PictureSize): void {
  if (width === 0 || height === 0) refuse(422, 'the picture is damaged: it has no size');
  const megapixels = (width * height) / 1e6;
  if (megapixels <= MOST_MEGAPIXELS) return;
  const size = `${width} × ${height} pixels, ${megapixels.toFixed(1)} megapixels`;
  refuse(422, `a picture may have at most ${MOST_MEGAPIXELS} megapixels; this one has ${size}`);
}

/** Readers call it for each part of the file that they find. */
export function checkPartCount(parts: number): void {
  if (parts > MOST_PARTS) refuse(422, `a picture may have at most ${MOST_PARTS} parts; this one has more`);
}
