import { isOnItsSide, TURNS } from '../pictures/orientation.js';
import type { Picture } from './paper.js';

interface PictureExtent {
  readonly width: number;
  readonly height: number;
}

export interface PlacedPicture {
  /** Size of the picture as people see it, upright. */
  readonly shown: PictureExtent;
  /** Size before the program mirrors the picture and turns it around its centre. */
  readonly stored: PictureExtent;
  readonly isMirrored: boolean;
  /** Clockwise rotation in degrees. */
  readonly degrees: number;
}

/** Makes a picture as large as a frame allows, with its proportions unchanged. Sizes are in the unit of the frame. */
export function placePicture({ width, height, orientation }: Picture, frame: PictureExtent): PlacedPicture {
  const isTurned = isOnItsSide(orientation);
  const upright = isTurned ? { width: height, height: width } : { width, height };
  const scale = Math.min(frame.width / upright.width, frame.height / upright.height);
  const shown = { width: upright.width * scale, height: upright.height * scale };
  const stored = isTurned ? { width: shown.height, height: shown.width } : shown;
  return { shown, stored, ...TURNS[orientation] };
}
