import { expect, test } from 'vitest';
import { person } from './company.js';
import { openStory } from './kit.js';

test('lists past runs, newest first, and shows the document of one', async () => {
  const story = await openStory();
  expect(await story.runs()).toMatchObject({ code: 0, json: { runs: [] } });
  story.deliver([person('E1'), person('E2')]);
  const first = await story.sync();
  story.env.TALENT_API_KEY = 'unknown-key';
  await story.sync();
  story.env.TALENT_API_KEY = 'admin-key';
  const { runs } = (await story.runs()).json;
  expect(runs).toMatchObject([
    { command: 'sync', exit_code: 1, result: { error: expect.stringContaining('401') } },
    { id: first.json.run, command: 'sync', exit_code: 0, plan: first.json.plan, result: { done: 2 } },
  ]);
  expect(runs[1]?.result).toEqual(first.json);
  expect((await story.runs({ last: 1 })).json.runs).toHaveLength(1);
  expect((await story.runs({ id: first.json.run })).json).toMatchObject({ id: first.json.run, result: first.json });
  expect(await story.runs({ id: 'r-none' })).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND' } });
});
