/** The eight values of the EXIF tag 0x0112, which say how a stored picture must be turned to be upright. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

interface Turn {
  /** True if left and right are swapped before the picture is turned. */
  readonly isMirrored: boolean;
  /** Clockwise rotation in degrees. */
  readonly degrees: 0 | 90 | 180 | 270;
}

/** Orientation → turn. PDF, Word and PowerPoint all mirror a picture before they turn it. */
export const TURNS: Readonly<Record<Orientation, Turn>> = {
  1: { isMirrored: false, degrees: 0 },
  2: { isMirrored: true, degrees: 0 },
  3: { isMirrored: false, degrees: 180 },
  4: { isMirrored: true, degrees: 180 },
  5: { isMirrored: true, degrees: 270 },
  6: { isMirrored: false, degrees: 90 },
  7: { isMirrored: true, degrees: 90 },
  8: { isMirrored: false, degrees: 270 },
};

const TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** True for orientations that swap width and height. */
export function isOnItsSide(orientation: Orientation): boolean {
  return orientation >= 5;
}

/** Reads the orientation from the TIFF structure that contains EXIF data; 1 if it is damaged or has no orientation. */
export function readOrientation(tiff: Buffer): Orientation {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1;
  const isLittle = order === 'II';
  const readShort = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const count = readShort(start);
  for (let at = start + 2; at < start + 2 + count * ENTRY_BYTES && at + ENTRY_BYTES <= tiff.length; at += ENTRY_BYTES) {
    if (readShort(at) !== TAG || readShort(at + 2) !== SHORT) continue;
    const value = readShort(at + 8);
    return value in TURNS ? (value as Orientation) : 1;
  }
  return 1;
}

/** Writes EXIF data that contain only the orientation, as a TIFF structure. */
export function writeOrientation(orientation: Orientation): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(TAG, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
