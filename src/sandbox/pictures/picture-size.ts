import { refuse } from '../fields/refusal.js';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const MOST_MEGAPIXELS = 50;
/** A picture of 25 MiB has a few thousand parts, unless it was made to exhaust memory. */
const MOST_PARTS = 100_000;

/** Checks the size in the header of a picture. Readers call this before they read anything else. */
export function checkPictureSize({ width, height }: PictureSize): void {
  if (width === 0 || height === 0) refuse(422, 'the picture is damaged: it has no size');
  const megapixels = (width * height) / 1e6;
  if (megapixels <= MOST_MEGAPIXELS) return;
  const size = `${width} × ${height} pixels, ${megapixels.toFixed(1)} megapixels`;
  refuse(422, `a picture may have at most ${MOST_MEGAPIXELS} megapixels; this one has ${size}`);
}

/** Checks the number of parts. Readers call this for each part that they find in a file. */
export function checkPartCount(parts: number): void {
  if (parts > MOST_PARTS) refuse(422, `a picture may have at most ${MOST_PARTS} parts; this one has more`);
}
