import { expect, test } from 'vitest';
import { CONSULTANCY } from '../documents/consultancy.js';
import { openConsultancy } from '../documents/open-consultancy.js';

interface Known {
  readonly id: string;
  readonly _id: string;
  readonly email: string;
  readonly default_cv_id: string;
  readonly image: unknown;
}

type Read = <T>(path: string, body?: object) => Promise<T>;

/** Calls that answer with people, the given one among them. */
const ANSWERS: Readonly<Record<string, (read: Read, user: Known) => Promise<readonly Known[]>>> = {
  'the list of users': (read) => read('/api/v1/users'),
  'the feed of users': (read) => read('/api/v1/users/changes?profile_updated_since=2020-01-01T00:00:00Z'),
  'the search of users': (read) => read('/api/v2/users/search'),
  'a user': async (read, { id }) => [await read(`/api/v1/users/${id}`)],
  'a user that is looked for': async (read, { email }) => [await read(`/api/v1/users/find?email=${email}`)],
  'a CV': async (read, { id, default_cv_id }) => [await read(`/api/v3/cvs/${id}/${default_cv_id}`)],
  'the search of CVs': async (read, { email }) => {
    const body = { size: 10, must: [{ query: { value: email.split('@')[0] } }] };
    return (await read<{ readonly cvs: readonly { readonly cv: Known }[] }>('/api/v4/search', body)).cvs.map(
      ({ cv }) => cv,
    );
  },
  'the CVs of a proposal': async (read) => read(`/api/v1/offers/${await findProposal(read)}/cvs`),
  'the collaborators of a proposal': async (read, { id }) => {
    const path = `/api/v2/offers/${await findProposal(read)}/collaborators`;
    await read(path, { collaborator: { type: 'user', id } });
    return (await read<{ readonly users: readonly Known[] }>(path)).users;
  },
};

async function findProposal(read: Read): Promise<string> {
  const [proposal] = await read<readonly Known[]>('/api/v1/all_offers');
  return proposal?._id ?? '';
}

test('each answer about a person has all addresses of the picture, which are null without one', async () => {
  const { sandbox } = await openConsultancy();
  const read: Read = async (path, body) => {
    const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' };
    const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${sandbox.url}${path}`, sent);
    expect([path, reply.status]).toEqual([path, 200]);
    return reply.json() as never;
  };
  const signed = expect.stringMatching(/^http.*\/files\/\w+\?expires=\d+&signature=\w+$/);
  for (const [who, url] of [
    ['anna', signed],
    ['bo', null],
  ]) {
    const user = await read<Known>(`/api/v1/users/find?email=${who}@example.com`);
    const image = { url, thumb: { url }, fit_thumb: { url }, large: { url }, small_thumb: { url } };
    for (const [name, list] of Object.entries(ANSWERS)) {
      if (who === 'bo' && name === 'the CVs of a proposal') continue;
      const found = (await list(read, user)).filter(({ email }) => email === user.email);
      expect([name, ...found.map((one) => one.image)]).toEqual([name, image]);
    }
  }
});

test('an account may give people without a picture a neutral one', async () => {
  const account = { ...CONSULTANCY.account, missing_pictures: 'neutral' } as const;
  const { sandbox } = await openConsultancy({ ...CONSULTANCY, account });
  const headers = { authorization: 'Bearer admin' };
  const reply = await fetch(`${sandbox.url}/api/v1/users/find?email=bo@example.com`, { headers });
  const { image } = (await reply.json()) as { readonly image: { readonly thumb: { readonly url: string } } };
  const picture = await fetch(image.thumb.url);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
});
