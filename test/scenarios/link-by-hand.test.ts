import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const jane = person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
const others = [person('E2'), person('E3')];

async function openCompany(): Promise<{ readonly story: Story; readonly id: string }> {
  const story = await openStory();
  story.deliver([jane, ...others]);
  await story.sync();
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  story.takeWrites();
  return { story, id };
}

async function typeJson(
  story: Story,
  ...words: readonly string[]
): Promise<{ code: number; json: Record<string, string> }> {
  const { code, stdout } = await story.type(...words, '--json');
  return { code, json: JSON.parse(stdout) as Record<string, string> };
}

sweep('links a doubtful record by the name of its hold', async () => {
  const { story, id } = await openCompany();
  // The person married and was hired again, so the name differs.
  const again = { ...jane, id: 'N9', last: 'Roe' };
  const rows = [{ ...jane, status: 'left' }, again, ...others];
  story.deliver(rows);
  const held = (await story.sync()).json.held;
  expect(summarise(held)).toEqual(['E1 SYNC_PROBABLE_SAME_PERSON', 'N9 SYNC_MATCH_CLAIMED']);
  const listed = await typeJson(story, 'holds', 'list');
  const holds = listed.json.holds as unknown as readonly { id: string; key: string; relink: unknown }[];
  expect(holds.map(({ key, relink }) => [key, relink])).toEqual([
    ['N9', { key: 'N9', id }],
    ['E1', { key: 'N9', id }],
  ]);
  // A link moves in the state only, so the command needs no API key.
  const key = story.env.TALENT_API_KEY;
  story.env.TALENT_API_KEY = '';
  const done = await typeJson(story, 'holds', 'resolve', holds[0]?.id ?? '', '--relink', '--reason', 'asked HR');
  story.env.TALENT_API_KEY = key;
  expect(done).toMatchObject({ code: 0, json: { linked: [{ entity: 'users', key: 'N9', id, from: 'E1' }] } });
  expect((await story.audit()).at(-1)).toMatchObject({
    action: 'relink',
    cause: { kind: 'by_hand', text: 'E1 → N9 by hand: asked HR' },
    result: 'done',
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } }, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('N9')).toMatchObject({ name: 'Jane Roe', deactivated: false });
  story.deliver(rows);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});

sweep('rejects a relink of a hold that names no object', async () => {
  const { story } = await openCompany();
  story.deliver([{ ...jane, country: 'xx' }, ...others]);
  await story.sync();
  const listed = await typeJson(story, 'holds', 'list');
  const [hold] = listed.json.holds as unknown as readonly { id: string }[];
  const done = await typeJson(story, 'holds', 'resolve', hold?.id ?? '', '--relink');
  expect(done).toMatchObject({ code: 1, json: { error: { code: 'SYNC_HOLD_UNDECIDABLE' } } });
});

test('neither matches nor creates an unlinked record until it is linked again', async () => {
  const { story, id } = await openCompany();
  expect(await typeJson(story, 'unlink', 'users', 'E1')).toMatchObject({ code: 0, json: { id, from: 'E1' } });
  for (let times = 0; times < 2; times++) {
    story.deliver([{ ...jane, title: 'Lead' }, ...others]);
    const ran = await story.sync({ full: true });
    expect(ran.json.counts).toEqual({});
    expect(summarise(ran.json.held)).toEqual(['E1 SYNC_UNDONE_PINNED']);
  }
  expect(await typeJson(story, 'link', 'user', 'E2', id)).toMatchObject({
    code: 1,
    json: { error: { code: 'SYNC_LINK_TAKEN' } },
  });
  expect(await typeJson(story, 'link', 'users', 'E1', 'nobody')).toMatchObject({
    code: 1,
    json: { error: { code: 'SYNC_NOT_FOUND' } },
  });
  expect(await typeJson(story, 'link', 'users', 'E1', id)).toMatchObject({ code: 0, json: { from: null } });
  expect((await story.sync()).json).toMatchObject({ counts: { users: { update: 1 } }, held: [] });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('undoes a link and an unlink', async () => {
  const { story, id } = await openCompany();
  const { json: unlinked } = await typeJson(story, 'unlink', 'users', 'E1');
  expect(await story.undo(unlinked.run)).toMatchObject({ code: 0, json: { done: 1 } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  const { json: linked } = await typeJson(story, 'link', 'users', 'N9', id);
  expect(linked).toMatchObject({ from: 'E1' });
  expect(await story.undo(linked.run)).toMatchObject({ code: 0, json: { done: 1 } });
  expect((await story.sync()).json).toMatchObject({ counts: {}, held: [] });
  expect(story.takeWrites()).toEqual([]);
  expect((await story.verify()).json.ok).toBe(true);
});
