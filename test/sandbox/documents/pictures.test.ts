import { expect, test } from 'vitest';
import { DAM, PORTRAIT } from './drawings.js';
import { openConsultancy } from './open-consultancy.js';

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

test('a picture added to a project experience is on the CV, and only PNG and JPEG are accepted', async () => {
  const { sandbox, read, cvPath } = await openAnna();
  const before = await read<PicturedCv>(cvPath);
  const section = before.project_experiences[1];
  const send = (bytes: Buffer) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), 'dam.png');
    const path = `${sandbox.url}${cvPath}/project_experiences/${section?._id}/images`;
    return fetch(path, { method: 'POST', headers: { authorization: 'Bearer admin' }, body: form });
  };
  expect((await send(Buffer.from('GIF89a'))).status).toBe(422);
  expect((await send(Buffer.from(DAM, 'base64'))).status).toBe(200);
  const images = (await read<PicturedCv>(cvPath)).project_experiences[1]?.images ?? [];
  expect(images.map(({ order }) => order)).toEqual([0]);
  const reply = await fetch(images[0]?.image.url ?? '');
  expect(Buffer.from(await reply.arrayBuffer()).toString('base64')).toBe(DAM);
});

test("a user's pictures are deleted with the user", async () => {
  const { sandbox, anna } = await openAnna();
  const headers = { authorization: 'Bearer admin' };
  const gone = await fetch(`${sandbox.url}/api/v1/users/${anna.id}`, { method: 'DELETE', headers });
  expect(gone.status).toBeLessThan(300);
  expect((await fetch(anna.image.url ?? '')).status).toBe(404);
});
