import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, UPDATE_USER } from './kit.js';

test('keeps values for an empty cell, and clears them with `when_empty: clear`, even in one language', async () => {
  const story = await openStory();
  story.configure({
    users: {
      fields: {
        telephone: { value: 'record.?phone', when_empty: 'clear' },
        title: { en: 'record.?title', no: { value: 'record.?title_no', when_empty: 'clear' } },
      },
    },
  });
  story.deliver([person('E1', { phone: '+47 1', title: 'Engineer', title_no: 'Ingeniør' })]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '+47 1', title: { en: 'Engineer', no: 'Ingeniør' } });
  story.takeWrites();

  story.deliver([person('E1')]);
  const { fields } = (await story.explain('user', 'E1')).json.steps;
  expect(fields.filter(({ result }) => result.kind === 'absent').map(({ path, result }) => [path, result])).toEqual([
    ['title.en', { kind: 'absent' }],
    ['title.no', { kind: 'absent', clears: true }],
    ['telephone', { kind: 'absent', clears: true }],
  ]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').telephone ?? '').toBe('');
  expect(story.user('E1').title).toEqual({ en: 'Engineer' });
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('converges after clearing the only language of a title', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { title: { en: { value: 'record.?title', when_empty: 'clear' } } } } });
  story.deliver([person('E1', { title: 'Engineer' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1')]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title.en ?? '').toBe('');
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('writes with `apply: create` on create only, and with `apply: empty` only into empty fields', async () => {
  const story = await openStory();
  story.configure({
    users: {
      fields: {
        title: { en: { value: 'record.?title', apply: 'create' } },
        telephone: { value: 'record.?phone', apply: 'empty' },
      },
    },
  });
  story.deliver([person('E1', { title: 'Engineer' }), person('E2', { title: 'Engineer', phone: '+47 2' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead', phone: '+47 1' }), person('E2', { title: 'Lead', phone: '+47 9' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Engineer' }, telephone: '+47 1' });
  expect(story.user('E2')).toMatchObject({ title: { en: 'Engineer' }, telephone: '+47 2' });
  expect((await story.plan()).json.counts).toEqual({});
});

sweep('keeps languages of others when one of ours changes', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' })]);
  await story.sync();
  await story.editUser('E1', { title: { en: 'Engineer', sv: 'Ingenjör', no: 'Ingeniør' } });
  story.takeWrites();
  expect((await story.plan()).json.counts).toEqual({});
  story.deliver([person('E1', { title: 'Lead' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Lead', sv: 'Ingenjör', no: 'Ingeniør' });
});
