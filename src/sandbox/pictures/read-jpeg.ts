import { refuse } from '../fields/refusal.js';
import { type Orientation, readOrientation } from './orientation.js';
import { checkPartCount, checkPictureSize } from './picture-size.js';

export interface ReadJpeg {
  readonly type: 'jpg';
  /** Width of the stored pixels, before the picture is turned. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** The file without metadata, in pieces. The first piece is the start of the file. */
  readonly parts: readonly Buffer[];
  /** Number of components: grey, RGB, or CMYK in which 0 means full ink. */
  readonly components: 1 | 3 | 4;
  readonly profile: Buffer | undefined;
}

const [START, END, SCAN] = [0xd8, 0xd9, 0xda];
const [FIRST_APP, LAST_APP, COMMENT] = [0xe0, 0xef, 0xfe];
const START_BYTES = Buffer.from([0xff, START]);
const END_BYTES = Buffer.from([0xff, END]);
const PROFILE = 'ICC_PROFILE\0';
/** Length of the header of a profile piece: the name, the number of the piece, and the number of pieces. */
const PROFILE_HEAD = PROFILE.length + 2;
const EXIF_HEAD = 6;
const JFIF_BYTES = 14;

/** Markers of baseline, extended and progressive frames. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
/** Markers of lossless, hierarchical and arithmetic frames, which hardly any program supports. */
const OTHER_FRAMES: readonly number[] = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

type JpegFrame = Pick<ReadJpeg, 'width' | 'height' | 'components'>;

export function isJpeg(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === START && bytes[2] === 0xff;
}

/**
 * Reads a JPEG. Keeps the picture, its colour profile and Adobe's marker, which says how colours are stored. Drops EXIF, XMP,
 * comments, thumbnails and anything after the end of the picture.
 *
 * @throws Refusal for a damaged file, and for one that programs do not show
 */
export function readJpeg(bytes: Buffer): ReadJpeg {
  const segments: Segment[] = [];
  let frame: JpegFrame | undefined;
  for (const segment of listSegments(bytes)) {
    checkPartCount(segments.push(segment));
    if (FRAMES.includes(segment.marker)) frame = readFrame(segment.data);
    if (OTHER_FRAMES.includes(segment.marker))
      refuse(422, 'a JPEG must be baseline or progressive; this one is neither');
  }
  if (frame === undefined || !segments.some(({ marker }) => marker === SCAN)) {
    return refuse(422, 'the JPEG is damaged: it has no picture');
  }
  // Without the marker, 0 means no ink. Browsers and LibreOffice ignore this and would show a negative.
  if (frame.components === 4 && !segments.some(isAdobeMarker)) {
    refuse(422, 'a CMYK JPEG must have the marker of Adobe (APP14); save this one as RGB');
  }
  const exif = segments.find((segment) => isApp(segment, 1, 'Exif\0'));
  return {
    type: 'jpg',
    ...frame,
    orientation: exif ? readOrientation(exif.data.subarray(EXIF_HEAD)) : 1,
    parts: [START_BYTES, ...segments.flatMap(keepSegment), END_BYTES],
    profile: joinProfile(segments.filter(isProfile)),
  };
}

interface Segment {
  readonly marker: number;
  readonly data: Buffer;
  /** The segment with its marker and length. For a scan, it includes the pixels. */
  readonly whole: Buffer;
}

/** Yields the segments up to the end of the picture. */
function* listSegments(bytes: Buffer): Generator<Segment> {
  for (let at = findMarker(bytes, 2); bytes[at + 1] !== END; ) {
    const marker = bytes[at + 1] ?? 0;
    const end = at + 4 > bytes.length ? bytes.length + 1 : at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) refuseTruncated();
    const next = findMarker(bytes, end);
    yield { marker, data: bytes.subarray(at + 4, end), whole: bytes.subarray(at, marker === SCAN ? next : end) };
    at = next;
  }
}

/** Finds the next marker with content, or the end. Skips restart markers and pixels, in which a zero follows each 0xff. */
function findMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1];
    if (marker !== undefined && marker > 1 && marker < 0xff && (marker < 0xd0 || marker > START)) return at;
  }
  return refuseTruncated();
}

function refuseTruncated(): never {
  return refuse(422, 'the JPEG is truncated: its end is missing');
}

function readFrame(data: Buffer): JpegFrame {
  if (data.length < 6) return refuse(422, 'the JPEG is damaged: it has no size');
  const size = { width: data.readUInt16BE(3), height: data.readUInt16BE(1) };
  checkPictureSize(size);
  const components = data[5];
  if (data[0] !== 8) refuse(422, `a JPEG must have 8 bits per colour; this one has ${data[0]}`);
  if (components === 1 || components === 3 || components === 4) return { ...size, components };
  return refuse(422, 'a JPEG must be grey, RGB or CMYK; this one is none of them');
}

function isApp({ marker, data }: Segment, number: number, name: string): boolean {
  return marker === FIRST_APP + number && data.toString('latin1', 0, name.length) === name;
}

function isProfile(segment: Segment): boolean {
  return isApp(segment, 2, PROFILE);
}

function isAdobeMarker(segment: Segment): boolean {
  return isApp(segment, 14, 'Adobe');
}

/** Returns the pieces of a segment to keep, which are none for metadata. */
function keepSegment(segment: Segment): readonly Buffer[] {
  const { marker, data, whole } = segment;
  if (isApp(segment, 0, 'JFIF\0')) return [dropThumbnail(data)];
  const isMetadata = marker === COMMENT || (marker >= FIRST_APP && marker <= LAST_APP);
  return isMetadata && !isProfile(segment) && !isAdobeMarker(segment) ? [] : [whole];
}

/** Removes the thumbnail from a JFIF segment. The segment itself is kept, because it says that the colours are YCbCr. */
function dropThumbnail(data: Buffer): Buffer {
  const jfif = Buffer.alloc(4 + JFIF_BYTES);
  jfif.set([0xff, FIRST_APP, 0, JFIF_BYTES + 2]);
  data.copy(jfif, 4, 0, JFIF_BYTES - 2);
  return jfif;
}

function joinProfile(pieces: readonly Segment[]): Buffer | undefined {
  if (pieces.length === 0) return undefined;
  const numberOf = ({ data }: Segment): number => data[PROFILE.length] ?? 0;
  const ordered = [...pieces].sort((a, b) => numberOf(a) - numberOf(b));
  return Buffer.concat(ordered.map(({ data }) => data.subarray(PROFILE_HEAD)));
}
