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

test('keeps no run for an undo that names an unknown run or object', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const { run } = (await story.sync()).json;
  const entries = (await story.audit()).length;
  for (const named of [['r20260101T080000000Z-ffffff'], [run, '--only', 'user:E9'], [run, '--only', 'E1']]) {
    const undone = await story.type('undo', ...named, '--reason', 'typo');
    expect([undone.code, undone.stderr]).toEqual([1, expect.stringMatching(/SYNC_(NOT_FOUND|CLI_USAGE)/)]);
  }
  expect((await story.runs()).json.runs.map(({ id }) => id)).toEqual([run]);
  expect(await story.audit()).toHaveLength(entries);
});
