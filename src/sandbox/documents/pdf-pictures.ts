import type { ReadJpeg } from '../pictures/read-jpeg.js';
import type { ReadPng } from '../pictures/read-png.js';
import type { Paper, PaperBlock, Picture } from './paper.js';
import { readPixels } from './png-pixels.js';

/** A picture in the file, in the form that pdfkit uses. */
export interface PdfPicture {
  readonly label: string;
  readonly obj: PDFKit.PDFKitReference;
  readonly width: number;
  readonly height: number;
}

const DEVICES = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' } as const;
/** Number of components → colour space, named as in ICC profiles. */
const SPACES = { 1: 'GRAY', 3: 'RGB ', 4: 'CMYK' } as const;

/**
 * Writes each picture once. pdfkit can read pictures itself, but it drops colour profiles and misreads the transparency of
 * small palettes. It also holds several copies of a transparent PNG's pixels in memory.
 */
export async function embedPictures(
  document: PDFKit.PDFDocument,
  paper: Paper,
): Promise<ReadonlyMap<Picture, PdfPicture>> {
  const embedded = new Map<Picture, PdfPicture>();
  for (const picture of listPictures(paper)) {
    const { width, height } = picture;
    const obj = picture.type === 'jpg' ? embedJpeg(document, picture) : await embedPng(document, picture);
    embedded.set(picture, { label: `I${embedded.size + 1}`, obj, width, height });
  }
  return embedded;
}

function listPictures({ look, head, sections }: Paper): readonly Picture[] {
  const inBlock = (block: PaperBlock): readonly Picture[] => {
    if (block.kind === 'pictures') return block.pictures;
    return block.kind === 'entry' ? block.blocks.flatMap(inBlock) : [];
  };
  const others = [look.logo, head.portrait].filter((picture) => picture !== undefined);
  return [...others, ...sections.flatMap(({ blocks }) => blocks.flatMap(inBlock))];
}

/** Embeds a JPEG unchanged. PDF readers can decode it. */
function embedJpeg(
  document: PDFKit.PDFDocument,
  { width, height, components, profile, parts }: ReadJpeg,
): PDFKit.PDFKitReference {
  const device = DEVICES[components];
  const isFitting = profile?.toString('latin1', 16, 20) === SPACES[components];
  return writeStream(document, parts, {
    ...describe({ width, height }, isFitting ? writeProfile(document, profile, components) : device),
    Filter: 'DCTDecode',
    ...(components === 4 ? { Decode: [1, 0, 1, 0, 1, 0, 1, 0] } : {}),
  });
}

function writeProfile(
  document: PDFKit.PDFDocument,
  profile: Buffer,
  components: ReadJpeg['components'],
): readonly unknown[] {
  return ['ICCBased', writeStream(document, [profile], { N: components, Alternate: DEVICES[components] })];
}

/** Embeds a PNG, which stays unchanged if PDF can store it: without transparency and interlacing. */
async function embedPng(document: PDFKit.PDFDocument, png: ReadPng): Promise<PDFKit.PDFKitReference> {
  const { colours, depth, palette, width, pixels } = png;
  const isPlain = !png.isInterlaced && png.transparency === undefined && !colours.endsWith('alpha');
  if (!isPlain) return embedPixels(document, png);
  const count = colours === 'rgb' ? 3 : 1;
  const space =
    colours === 'palette' && palette !== undefined
      ? ['Indexed', 'DeviceRGB', palette.length / 3 - 1, writeStream(document, [palette], {})]
      : DEVICES[count];
  return writeStream(document, pixels, {
    ...describe(png, space, depth),
    Filter: 'FlateDecode',
    DecodeParms: { Predictor: 15, Colors: count, BitsPerComponent: depth, Columns: width },
  });
}

async function embedPixels(document: PDFKit.PDFDocument, png: ReadPng): Promise<PDFKit.PDFKitReference> {
  const { colours, opacity } = await readPixels(png);
  const filter = { Filter: 'FlateDecode' };
  const mask = opacity && writeStream(document, opacity, { ...describe(png, 'DeviceGray'), ...filter });
  const space = png.colours.startsWith('grey') ? 'DeviceGray' : 'DeviceRGB';
  return writeStream(document, colours, { ...describe(png, space), ...filter, ...(mask ? { SMask: mask } : {}) });
}

function describe({ width, height }: Pick<Picture, 'width' | 'height'>, ColorSpace: unknown, BitsPerComponent = 8) {
  return { Type: 'XObject', Subtype: 'Image', Width: width, Height: height, ColorSpace, BitsPerComponent };
}

function writeStream(
  document: PDFKit.PDFDocument,
  pieces: readonly Buffer[],
  dictionary: object,
): PDFKit.PDFKitReference {
  const reference = document.ref(dictionary);
  for (const piece of pieces) reference.write(piece);
  reference.end(Buffer.alloc(0));
  return reference;
}
