import { expect, test } from 'vitest';
import { readPicture } from '../../../src/sandbox/pictures/read-picture.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { sweep } from '../../depth.js';
import { DAM, PORTRAIT } from './drawings.js';
import { openConsultancy } from './open-consultancy.js';
import { addMetadata, readJpegFile, SECRET } from './picture-cases.js';

const WEBP = Buffer.from('RIFF....WEBPVP8 ').toString('base64');

interface Pictured {
  readonly id: string;
  readonly default_cv_id: string;
  readonly image: { readonly url: string | null; readonly thumb: { readonly url: string | null } };
}

async function openAnna() {
  const opened = await openConsultancy();
  const anna = await opened.read<Pictured>('/api/v1/users/find?email=anna@example.com');
  return { ...opened, anna, cvPath: `/api/v3/cvs/${anna.id}/${anna.default_cv_id}` };
}

interface PicturedCv {
  readonly project_experiences: readonly {
    readonly _id: string;
    readonly images: readonly { readonly order: number; readonly image: { readonly url: string } }[];
  }[];
}

test("a user's picture has a signed link that needs no key", async () => {
  const { anna } = await openAnna();
  const reply = await fetch(anna.image.url ?? '');
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await reply.arrayBuffer()).toString('base64')).toBe(PORTRAIT);
  expect(anna.image.thumb.url).toBe(anna.image.url);
});

async function openUpload() {
  const opened = await openAnna();
  const { sandbox, read, cvPath } = opened;
  const section = (await read<PicturedCv>(cvPath)).project_experiences[1];
  return {
    ...opened,
    async send(bytes: Buffer) {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), 'dam.png');
      const path = `${sandbox.url}${cvPath}/project_experiences/${section?._id}/images`;
      const reply = await fetch(path, { method: 'POST', headers: { authorization: 'Bearer admin' }, body: form });
      return { status: reply.status, text: await reply.text() };
    },
    readImages: async () => (await read<PicturedCv>(cvPath)).project_experiences[1]?.images ?? [],
  };
}

async function load(url = ''): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

test('a picture that is added to a project experience is on the CV, and only PNG and JPEG are taken', async () => {
  const { send, readImages } = await openUpload();
  const rejected = await send(Buffer.from('GIF89a'));
  expect([rejected.status, rejected.text.includes('must be a PNG or a JPEG; this one is GIF')]).toEqual([422, true]);
  expect((await send(Buffer.from(DAM, 'base64'))).status).toBe(200);
  const images = await readImages();
  expect(images.map(({ order }) => order)).toEqual([0]);
  expect((await load(images[0]?.image.url)).toString('base64')).toBe(DAM);
});

test('a picture is served without its metadata, and with the orientation that keeps it upright', async () => {
  const { send, readImages } = await openUpload();
  await send(addMetadata(readJpegFile('rgb'), 6));
  const served = await load((await readImages())[0]?.image.url);
  expect(served.includes(SECRET)).toBe(false);
  expect(readPicture(served).orientation).toBe(6);
});

sweep('rejects an upload over the limits before it takes up memory', async () => {
  const { send } = await openUpload();
  const over = await send(Buffer.concat([Buffer.from(DAM, 'base64'), Buffer.alloc(26 * 1024 * 1024)]));
  expect([over.status, over.text.includes('at most 25 MiB')]).toEqual([422, true]);
  const far = await send(Buffer.alloc(33 * 1024 * 1024));
  expect([far.status, far.text.includes('at most 32 MiB')]).toEqual([413, true]);
});

test.each([
  ['the picture of a user', { image: WEBP }, {}, /^sandbox fixture: \/users\/0$/],
  ['the logo of a template', {}, { templates: [{ id: 'look', logo: WEBP }] }, /\/account\/templates\/0\/logo$/],
])('a fixture names the format of what it has as %s', async (_, user, account, place) => {
  const fixture = {
    account,
    countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }],
    users: [{ email: 'a@example.com', country: 'no', office: 'Oslo', ...user }],
  };
  const message = 'a picture must be a PNG or a JPEG; this one is WebP';
  await expect(createSandbox({ fixture })).rejects.toMatchObject({
    code: 'SYNC_CONFIG_INVALID',
    message: expect.stringContaining(message),
    place: expect.stringMatching(place),
  });
});

test("a user's pictures are deleted with the user", async () => {
  const { sandbox, anna } = await openAnna();
  const headers = { authorization: 'Bearer admin' };
  const gone = await fetch(`${sandbox.url}/api/v1/users/${anna.id}`, { method: 'DELETE', headers });
  expect(gone.status).toBeLessThan(300);
  expect((await fetch(anna.image.url ?? '')).status).toBe(404);
});
