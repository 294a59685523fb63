import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => person(`E${index + 1}`, { status: 'active' }));

async function openWith(count: number): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { leaver: { when: 'record.?status.orValue("") == "left"', after_missing_reads: 0 } } });
  story.deliver(people(count));
  expect((await story.sync()).code).toBe(0);
  story.clock.advance(86_400_000);
  return story;
}

test('reports a much shorter file even if nobody leaves because of it', async () => {
  const story = await openWith(20);
  story.deliver(people(8));
  const planned = await story.plan();
  expect(planned).toMatchObject({ code: 0, json: { fewer_rows: [{ source: 'hr', rows: 8, before: 20 }] } });
  expect((await story.type('plan')).stdout).toMatch(
    /hr has 8 rows, 12 fewer than its last complete read \(20\): see whether its export is complete \(.+\)\.\n/,
  );
  expect(planned.json.counts).toEqual({});
  // Once used, this file is the measure for the next one.
  expect(await story.sync()).toMatchObject({ code: 0, json: { fewer_rows: [{ before: 20 }] } });
  expect((await story.plan()).json).not.toHaveProperty('fewer_rows');
});

sweep('does not report a few people fewer, or more people', async () => {
  const story = await openWith(20);
  for (const count of [16, 30]) {
    story.deliver(people(count));
    expect((await story.sync()).json).not.toHaveProperty('fewer_rows');
    story.clock.advance(86_400_000);
  }
});
