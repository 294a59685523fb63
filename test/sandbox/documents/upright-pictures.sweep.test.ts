import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findGallery, GALLERY, openGallery } from './open-gallery.js';
import { PICTURE_CASES, SECRET } from './picture-cases.js';
import { unzip } from './read-files.js';

/** Orientation, degrees clockwise and mirroring. */
const TURNS = [
  [1, 0, false],
  [2, 0, true],
  [3, 180, false],
  [4, 180, true],
  [5, 270, true],
  [6, 90, false],
  [7, 90, true],
  [8, 270, false],
] as const;

interface Transform {
  readonly degrees: number;
  readonly isMirrored: boolean;
  readonly isWide: boolean;
}

function listTransforms(xml: string): readonly Transform[] {
  return [...xml.matchAll(/<a:xfrm([^>]*)>\s*<a:off [^>]*>\s*<a:ext cx="(\d+)" cy="(\d+)"/g)].map(
    ([, how = '', cx, cy]) => ({
      degrees: Number(/rot="(\d+)"/.exec(how)?.[1] ?? 0) / 60_000,
      isMirrored: /flipH="(?:1|true)"/.test(how),
      isWide: Number(cx) > Number(cy),
    }),
  );
}

/** Inches from the top of the slide to the picture, after it is turned. */
function measureTop(picture: string): number {
  const [, y, cx, cy] =
    /<a:off x="-?\d+" y="(-?\d+)"\/>\s*<a:ext cx="(\d+)" cy="(\d+)"/.exec(picture)?.map(Number) ?? [];
  const isTurned = /rot="(?:54|162)00000"/.test(picture);
  const top = Number(y) + (isTurned ? (Number(cy) - Number(cx)) / 2 : 0);
  return Math.round((100 * top) / 914_400) / 100;
}

const turned = PICTURE_CASES.filter(({ name }) => /orientation \d/.test(name));
const EXPECTED = TURNS.map(([, degrees, isMirrored]) => ({ degrees, isMirrored, isWide: true }));

describe('pictures in documents', () => {
  sweep('are upright, in proportion and in their colours on the pages of a PDF', async () => {
    const { downloadCv } = await openGallery();
    expect(await findGallery((await downloadCv('painter', 'en', 'pdf')).bytes)).toEqual(GALLERY);
  });

  test('are turned in a Word document as it turns pictures', async () => {
    const { downloadCv } = await openGallery(turned);
    const files = unzip((await downloadCv('painter', 'en', 'docx')).bytes);
    const [logo, portrait, ...pictures] = listTransforms(files.get('word/document.xml') ?? '');
    for (const head of [logo, portrait]) expect(head).toEqual({ degrees: 90, isMirrored: false, isWide: true });
    expect(pictures).toEqual(EXPECTED);
  });

  test('are turned on slides as they turn pictures, around the same centre', async () => {
    const { downloadCv } = await openGallery(turned);
    const files = unzip((await downloadCv('painter', 'en', 'pptx')).bytes);
    const slides = [...files].filter(([name]) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).map(([, xml]) => xml);
    const xml = slides.flatMap((slide) => slide.match(/<p:pic>.*?<\/p:pic>/gs) ?? []);
    const pictures = listTransforms(xml.join(''));
    expect(pictures).toEqual([EXPECTED[5], EXPECTED[5], ...EXPECTED]);
    const tops = xml.slice(2).map(measureTop);
    expect(new Set(tops).size).toBe(1);
  });

  test.each(['pdf', 'docx', 'pptx'])('bring none of their metadata into a %s', async (filetype) => {
    const { downloadCv } = await openGallery();
    const { bytes } = await downloadCv('painter', 'en', filetype);
    const content = filetype === 'pdf' ? bytes.toString('latin1') : [...unzip(bytes, 'latin1').values()].join('\n');
    for (const trace of [SECRET, 'Exif', 'eXIf', 'tEXt', 'iTXt', 'MPF\0']) {
      expect([trace, content.includes(trace)]).toEqual([trace, false]);
    }
    // Colours keep their meaning.
    expect(content).toContain(filetype === 'pdf' ? '/ICCBased' : 'ICC_PROFILE');
    if (filetype !== 'pdf') expect(content).toContain('iCCP');
  });
});
