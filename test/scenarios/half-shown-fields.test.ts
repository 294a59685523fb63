import { expect, test } from 'vitest';
import { person } from './company.js';
import { openVeil } from './gate.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';

test('a field that only the answer of a write shows is written when it moves, and not again', async () => {
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
  // Another field moves: the hidden one does not come along.
  story.deliver([person('E1', { phone: '+47 2', title: 'Lead' })]);
  await story.sync();
  expect((await story.audit()).at(-1)).toMatchObject({ action: 'update', after: { title: { en: 'Lead' } } });
  story.takeWrites();
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});
