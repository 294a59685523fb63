import { isOnItsSide, TURNS } from '../pictures/orientation.js';
import type { Picture } from './paper.js';

interface PictureExtent {
  readonly width: number;
  readonly height: number;
}

export interface PlacedPicture {
  /** Upright, as a reader sees it. */
  readonly shown: PictureExtent;
  /** Before the program mirrors it and turns it around its centre. */
  readonly stored: PictureExtent;
  readonly isMirrored: boolean;
  /** Clockwise. */
  readonly degrees: number;
}

/** As large as a frame allows, in the frame's unit, without a change of proportions. */
export function placePicture({ width, height, orientation }: Picture, frame: PictureExtent): PlacedPicture {
  const isTurned = isOnItsSide(orientation);
  const upright = isTurned ? { width: height, height: width } : { width, height };
  const scale = Math.min(frame.width / upright.width, frame.height / upright.height);
  const shown = { width: upright.width * scale, height: upright.height * scale };
  const stored = isTurned ? { width: shown.height, height: shown.width } : shown;
  return { shown, stored, ...TURNS[orientation] };
}
