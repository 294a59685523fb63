import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { openConsultancy } from './open-consultancy.js';
import { PICTURE_CASES, type PictureCase } from './picture-cases.js';
import { findPictures } from './rendered-pictures.js';

/** A person whose projects have a picture each, under a logo and a portrait that lie on their side. */
export function openGallery(cases: readonly PictureCase[] = PICTURE_CASES) {
  const turned = PICTURE_CASES.find(({ name }) => name.endsWith('orientation 6'))?.bytes.toString('base64') ?? '';
  const fixture: FixtureInput = {
    account: { templates: [{ id: 'look', accent: '#ffffff', logo: turned }], default_template_id: 'look' },
    countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }],
    keys: [{ key: 'admin', name: 'Admin', role: 'internationalmanager' }],
    users: [
      {
        email: 'painter@example.com',
        name: 'Painter',
        country: 'no',
        office: 'Oslo',
        image: turned,
        cv: {
          sections: {
            project_experiences: cases.map(({ name, bytes }) => ({
              description: { en: name },
              images: [{ image: bytes.toString('base64') }],
            })),
          },
        },
      },
    ],
  };
  return openConsultancy(fixture);
}

interface SeenCase {
  readonly name: string;
  readonly corners: string;
  /** Width by height, in tenths. */
  readonly proportion: number;
}

const TURNED = { corners: 'BR/YG', proportion: 7 };

/** The logo, the portrait and the pictures of the gallery, as they should be on its pages. */
export const GALLERY: readonly SeenCase[] = [
  { name: 'logo', ...TURNED },
  { name: 'portrait', ...TURNED },
  ...PICTURE_CASES.map(({ name, corners, isUpended }) => ({ name, corners, proportion: isUpended ? 7 : 15 })),
];

/** The same, found on the pages of a PDF. */
export async function findGallery(pdf: Buffer): Promise<readonly SeenCase[]> {
  const pictures = await findPictures(pdf);
  return pictures.map(({ corners, width, height }, index) => ({
    name: GALLERY[index]?.name ?? 'no picture',
    corners,
    proportion: Math.round(10 * (width / height)),
  }));
}
