import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { forgetMirror } from './cvs.js';
import { openThickVeil, openVeil } from './gate.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';
import { DAM, FJORD, openRich, TAG_PROJECT, UNTAG_PROJECT } from './reference-projects.js';

test('writes a field that only the answer to a write shows when it changes, and not again', async () => {
  const story = await openStory();
  const veil = await openVeil(story.sandbox.url, (body) => body.replace(/"telephone":(?:"[^"]*"|null),?/g, ''));
  story.configure({ service: { base_url: veil.url }, users: { fields: { telephone: 'record.?phone' } } });
  story.deliver([person('E1', { phone: '+47 1' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  for (const full of [false, true]) {
    expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  }
  expect(story.takeWrites()).toEqual([]);

  story.deliver([person('E1', { phone: '+47 2' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').telephone).toBe('+47 2');
  // Another field changes: the hidden one is not sent with it.
  story.deliver([person('E1', { phone: '+47 2', title: 'Lead' })]);
  await story.sync();
  expect((await story.audit()).at(-1)).toMatchObject({ action: 'update', after: { title: { en: 'Lead' } } });
  story.takeWrites();
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('does not clear a field again that answers leave out while it is empty', async () => {
  const story = await openStory();
  const veil = await openThickVeil(story.sandbox.url, (body) => body.replace(/"telephone":null,?/g, ''));
  story.configure({
    service: { base_url: veil.url },
    users: { fields: { telephone: { value: 'record.?phone', when_empty: 'clear' } } },
  });
  story.deliver([person('E1')]);
  await story.sync();
  for (const title of ['Lead', 'Head']) {
    await story.editUser('E1', { telephone: '+47 2' });
    await story.sync({ full: true });
    expect(story.user('E1').telephone).toBeNull();
    // Another field changes: the empty one is not sent with it.
    story.deliver([person('E1', { title })]);
    await story.sync();
    expect((await story.audit()).at(-1)?.after).toEqual({ title: { en: title } });
  }
  story.takeWrites();
  for (const full of [false, true]) expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
});

/** The list of projects leaves the tags out, like a read of one project without nested arrays (spec, projects). */
async function openProjectsWithoutTags(sector?: string) {
  const there = { external_unique_id: DAM.id, project_name: { en: DAM.name }, tags: { sector: sector ?? '' } };
  const customer = { external_unique_id: FJORD.id, customer_name: { en: FJORD.name }, projects: [there] };
  const story = await openRich(sector === undefined ? {} : { customers: [customer] });
  const veil = await openVeil(story.sandbox.url, (body) => {
    if (!body.startsWith('{"projects"')) return body;
    return JSON.stringify(JSON.parse(body, (name, value: unknown) => (name === 'custom_tags' ? undefined : value)));
  });
  story.configure({ service: { base_url: veil.url } });
  const tags = async (...wanted: readonly string[]) => {
    story.deliverDeals([{ ...DAM, sector: [...wanted] }]);
    story.takeWrites();
    const { code, json } = await story.sync();
    return [code, json.failed, json.held, story.takeWrites().filter((call) => call.endsWith('custom_tags'))];
  };
  return { story, tags };
}

const settle = async (story: Awaited<ReturnType<typeof openRich>>) => {
  for (const full of [false, true]) expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {} } });
};

sweep('remembers written tags of projects that no list shows, even once the mirror is lost', async () => {
  const { story, tags } = await openProjectsWithoutTags();
  await tags('power', 'roads');
  forgetMirror(story);
  expect(await tags('power', 'water')).toEqual([0, [], [], [TAG_PROJECT]]);
  await settle(story);
  expect(story.sandbox.calls().filter(({ route, method }) => `${method} ${route}` === UNTAG_PROJECT)).toHaveLength(1);
});

sweep('takes off tags that only the answer to a write shows in the next run, and freezes nothing', async () => {
  const { story, tags } = await openProjectsWithoutTags('roads');
  expect(await tags('power')).toEqual([0, [], [], [TAG_PROJECT]]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, counts: { projects: { update: 1 } } } });
  expect(story.takeWrites()).toEqual([UNTAG_PROJECT]);
  await settle(story);
});
