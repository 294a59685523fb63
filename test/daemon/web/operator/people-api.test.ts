import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.js';
import { RELEASE_PINS } from '../../../../src/operations/release-pins.js';
import { sweep } from '../../../depth.js';
import { person, type Yaml } from '../../../scenarios/company.js';
import { openStory } from '../../../scenarios/kit.js';
import { createApi, judge } from './described-api.js';
import { tenant } from './facts.js';
import { Browser, openPages } from './pages.js';

const T = '/api/tenants/{tenant}';
const GRANTS = (['viewer', 'approver', 'operator', 'privacy', 'other', 'veiled'] as const).map((name) => ({
  role: name === 'other' || name === 'veiled' ? ('privacy' as const) : name,
  who: [`${name}@example.com`],
  groups: [],
  tenants: null,
  pseudonyms: name === 'veiled',
}));

async function open(patch: { readonly [key: string]: Yaml } = {}) {
  const story = await openStory();
  story.configure(patch);
  story.deliver([person('E1', { first: 'Åse', last: 'Quimby', title: 'Adviser' }), person('E2')]);
  const { run } = (await story.sync()).json;
  const config = loadConfig(join(story.folder, 'talent-sync.yaml'), story.env);
  const start = new Date(story.clock.now()).toISOString();
  const pages = await openPages({ settings: { grants: GRANTS }, tenants: [{ ...tenant('acme'), config }], start });
  const { get, post } = createApi(pages);
  const people = '/api/tenants/acme/people/users';
  return { story, config, pages, run, people, get, post };
}

it('shows one object as its page does, to people and to readers of pseudonyms', async () => {
  const { people, get, story } = await open();
  story.takeReads();
  const { status, body } = await get(`${people}/E1`, 'viewer');
  expect([status, judge('get', `${T}/people/{entity}/{key}`, body)]).toEqual([200, []]);
  expect(body).toMatchObject({
    ...{ entity: 'users', key: 'E1', label: 'Åse Quimby <e1@example.com>', active: true },
    record: { source: 'hr', state: 'desired', starts: null },
    values: expect.arrayContaining([
      { field: 'title.en', wanted: 'Adviser', service: 'Adviser', owner: 'source', same: true },
    ]),
    ...{ holds: [], declines: [], pins: [] },
  });
  const { body: byId } = await get(`${people}/${body.id}`, 'viewer');
  expect(byId).toEqual(body);
  expect((await get(`${people}/nobody`, 'viewer')).body).toMatchObject({ status: 404, code: 'SYNC_NOT_FOUND' });
  expect((await get(`${people.replace('users', 'things')}/E1`, 'viewer')).status).toBe(400);
  expect(story.takeReads()).toEqual([]);

  const veiled = JSON.stringify((await get(`${people}/E1`, 'veiled')).body);
  expect(veiled).toMatch(/"field":"title.en","wanted":"p_[0-9a-f]{20}"/);
  for (const word of ['Quimby', 'e1@example.com', 'Adviser']) expect(veiled).not.toContain(word);
});

sweep('erases a person for the role privacy, by the typed name and a case', async () => {
  const { people, get, post, story } = await open();
  const erase = `${people}/E1/erase`;
  const place = `${T}/people/users/{person}/erase`;
  for (const who of ['viewer', 'operator', 'veiled']) {
    const word = { name: 'Åse Quimby', reason: 'request 4711' };
    expect([who, (await get(erase, who)).status, (await post(erase, word, who)).status]).toEqual([who, 403, 403]);
  }
  const preview = await get(erase, 'privacy');
  expect([preview.status, judge('get', place, preview.body)]).toEqual([200, []]);
  expect(preview.body).toMatchObject({ names: ['Åse Quimby'], first: null });
  expect(JSON.stringify(preview.body)).toContain('1 audit entry about the person');

  for (const [word, status] of [
    [{ name: 'Person E2', reason: 'request 4711' }, 400],
    [{ name: 'Åse Quimby', reason: 'for Åse Quimby' }, 400],
    [{ name: 'Åse Quimby', reason: '' }, 400],
    [{ name: 'Åse Quimby' }, 400],
    [{ reason: 'request 4711' }, 400],
  ] as const)
    expect([word, (await post(erase, word, 'privacy')).status]).toEqual([word, status]);
  expect((await get(`${people}/E1`)).status).toBe(200);

  const erased = await post(erase, { name: 'åse quimby', reason: 'request 4711' }, 'privacy');
  expect([erased.status, judge('post', place, erased.body)]).toEqual([200, []]);
  expect(erased.body).toMatchObject({ erasure: expect.stringMatching(/^e\d/), left: 0 });
  expect([(await get(`${people}/E1`)).status, (await get(erase, 'privacy')).status]).toEqual([404, 404]);
  expect((await story.verify()).json.ok).toBe(true);
});

it('erases with two people where approvals take two', async () => {
  const { people, get, post } = await open({ approvals: { four_eyes: true } });
  const erase = `${people}/E1/erase`;
  const word = { name: 'Åse Quimby', reason: 'request 4711' };
  expect((await post(erase, word, 'privacy')).body).toEqual({ erasure: null, lines: [], left: 0 });
  expect((await get(erase, 'other')).body).toMatchObject({ first: 'privacy@example.com' });
  expect((await post(erase, word, 'privacy')).body).toMatchObject({ status: 409, code: 'SYNC_APPROVAL_SECOND' });
  expect((await post(erase, word, 'other')).body).toMatchObject({ erasure: expect.stringMatching(/^e\d/) });
  expect((await get(`${people}/E1`)).status).toBe(404);
});

sweep('releases an undone value over the interface, the page and the command, with a reason in the audit', async () => {
  const { people, get, post, story, pages, config } = await open();
  const deliver = (title: string, phone: string) =>
    story.deliver([person('E1', { first: 'Åse', last: 'Quimby', title, phone }), person('E2')]);
  story.configure({ users: { fields: { telephone: 'record.?phone' } } });
  deliver('Lead', '1');
  const { run } = (await story.sync()).json;
  await story.undo(run);
  const pins = async () => {
    const { body } = await get(`${people}/E1`);
    return (body as unknown as { pins: { path: string }[] }).pins.map(({ path }) => path);
  };
  expect(await pins()).toEqual(['telephone', 'title.en']);

  // Tried with a copy, it is checked and changes nothing.
  const context = { config, clock: story.clock, by: 'kim', via: 'machine', isTrial: true } as const;
  const asked = { entity: 'users', key: 'E1', path: 'title.en', reason: 'x' } as const;
  expect((await RELEASE_PINS.perform(context, asked)).unpinned).toHaveLength(1);
  const release = `${people}/E1/pins/release`;
  const reason = 'the new title counts, ticket 4711';
  expect((await post(release, { reason }, 'viewer')).status).toBe(403);
  expect((await post(release, { path: 'title.en' })).status).toBe(400);
  expect((await post(release, { path: 'nationality.en', reason })).status).toBe(404);
  expect(await pins()).toEqual(['telephone', 'title.en']);
  const { status, body } = await post(release, { path: 'title.en', reason });
  expect([status, judge('post', `${T}/people/{entity}/{key}/pins/release`, body)]).toEqual([200, []]);
  expect(body).toMatchObject({
    unpinned: [{ entity: 'users', key: 'E1', path: 'title.en', undone: run }],
    ...{ who: 'approver@example.com', reason },
  });

  const browser = new Browser(pages.url);
  const headers = (who: string) => ({
    authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`,
    accept: 'text/html',
  });
  const page = '/tenants/acme/people/user/E1';
  expect((await browser.get(page, headers('viewer'))).text).not.toContain('Let runs write it again');
  const { text } = await browser.get(page, headers('approver'));
  expect(text).toMatch(new RegExp(`kept undone.*action="${page}/pins/release".*Let runs write it again`, 's'));
  const form = { path: 'telephone', to: page };
  expect((await browser.postAs(`${page}/pins/release`, form, headers('approver'))).status).toBe(400);
  const sent = await browser.postAs(`${page}/pins/release`, { ...form, reason: 'on the page' }, headers('approver'));
  expect([sent.status, sent.location, await pins()]).toEqual([303, page, []]);
  expect((await browser.get(page, headers('approver'))).text).toMatch(
    /approver@example\.com.*lets runs write title \(en\) of .* again.*the new title counts/s,
  );

  await story.sync();
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, telephone: '1' });
  const { entries } = JSON.parse((await story.type('audit', 'list', '--json', '--kind', 'decisions')).stdout);
  expect(entries).toMatchObject([
    { kind: 'pins released', by: 'approver@example.com', entity: 'users', key: 'E1', fields: ['title.en'], reason },
    { kind: 'pins released', by: 'approver@example.com', fields: ['telephone'], reason: 'on the page' },
  ]);

  deliver('Director', '2');
  await story.undo((await story.sync()).json.run);
  const one = await story.type('undo', '--unpin', 'user:e1@example.com', '--field', 'telephone', '--reason', 'typed');
  expect([one.code, one.stdout]).toEqual([0, expect.stringContaining('Removed 1 pin of users:E1: telephone.')]);
  expect(await pins()).toEqual(['title.en']);
  expect((await story.type('audit', 'list', '--last', '1')).stdout).toContain('lets runs write telephone of ');
});
