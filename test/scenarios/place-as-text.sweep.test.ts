import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Yaml } from './company.js';
import { cvPath, GET_CV, openCvStory, PUT_CV, takeReads } from './cvs.js';
import { openVeil } from './gate.js';
import { CREATE_USER, type Story } from './kit.js';

/**
 * People show their place in one language, as a plain string (spec, User: "string or ml"); the CV shows all languages.
 */
function showText(body: string): string {
  const text = (_all: string, texts: string): string =>
    `"place_of_residence":${JSON.stringify(Object.values(JSON.parse(texts) as object)[0] ?? null)}`;
  return body.includes('"default_cv_id"') ? body.replace(/"place_of_residence":(\{[^}]*\})/g, text) : body;
}

const THERE = {
  country: 'no',
  office: 'Oslo',
  email: 'e1@example.com',
  external_unique_id: 'E1',
  name: 'Person E1',
  place_of_residence: { en: 'Home', no: 'Hjem' },
};

async function openStory(fields: Yaml): Promise<Story> {
  const story = await openCvStory({ users: [THERE] });
  const veil = await openVeil(story.sandbox.url, showText);
  story.configure({ service: { base_url: veil.url }, users: { fields: { place_of_residence: fields } } });
  return story;
}

function placeOf(story: Story, who: string): unknown {
  return (story.user(who) as unknown as { readonly place_of_residence: unknown }).place_of_residence;
}

async function expectQuiet(story: Story): Promise<void> {
  for (const full of [false, true, false])
    expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  expect(story.takeWrites()).toEqual([]);
}

sweep("writes a joiner's place in the languages of the source once, although it then shows as plain text", async () => {
  const story = await openStory({ no: 'record.?phone' });
  story.deliver([person('E2', { phone: 'Oslo' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_USER, PUT_CV]);
  takeReads(story);
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  await expectQuiet(story);
  expect(placeOf(story, 'E2')).toEqual({ no: 'Oslo' });
});

sweep('writes both languages of the source once', async () => {
  const story = await openStory({ en: 'record.?phone', no: 'record.?title' });
  story.deliver([person('E2', { phone: 'Gothenburg', title: 'Göteborg' })]);
  await story.sync();
  story.takeWrites();
  await expectQuiet(story);
  expect(placeOf(story, 'E2')).toEqual({ en: 'Gothenburg', no: 'Göteborg' });
});

test('reads the CV of an existing person first, and keeps languages of others', async () => {
  const story = await openStory({ no: 'record.?phone' });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  takeReads(story);
  await story.sync();
  expect(takeReads(story)).toContain(GET_CV);
  expect(story.takeWrites()).toContain(PUT_CV);
  expect(placeOf(story, 'E1')).toEqual({ en: 'Home', no: 'Oslo' });
  await expectQuiet(story);
});

sweep('finds an edit by others in a language that people do not show at the next full read', async () => {
  const story = await openStory({ no: 'record.?phone' });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  await story.sync();
  const path = `${await cvPath(story, 'E1')}?use_legacy_codes=false`;
  await story.others('PUT', path, { cv: { place_of_residence: { en: 'Home', no: 'Borte' } } });
  story.takeWrites();
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([PUT_CV]);
  expect(placeOf(story, 'E1')).toEqual({ en: 'Home', no: 'Oslo' });
});

sweep('does not overwrite a CV that the service does not show, since its languages are unknown', async () => {
  const story = await openStory({ no: 'record.?phone' });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  story.sandbox.faults.add({ kind: 'status', status: 403, method: 'GET', path: '/api/v3/cvs', times: 9 });
  await story.sync();
  expect(story.takeWrites()).not.toContain(PUT_CV);
  expect(placeOf(story, 'E1')).toEqual({ en: 'Home', no: 'Hjem' });
});
