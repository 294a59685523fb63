import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

/** The account accepts addresses of one domain only. This rejection stands for a used-up licence and the like. */
const wrong = (id: string, office = 'Oslo') => person(id, { email: `${id.toLowerCase()}@elsewhere.org`, office });
const many = (from: number, count: number, office?: string) =>
  Array.from({ length: count }, (_, at) => wrong(`E${from + at}`, office));

async function open(concurrency = 1): Promise<Story> {
  const story = await openStory();
  story.configure({ service: { rate_limit: { concurrency } } });
  return story;
}

const codesOf = (failed: readonly { readonly code: string }[]) =>
  Object.fromEntries(
    ['SYNC_SERVICE_REFUSED', 'SYNC_CHANGE_BLOCKED'].map((code) => [
      code,
      failed.filter((one) => one.code === code).length,
    ]),
  );

test('spends five calls and one of another office on forty equal rejections, and reports one cause', async () => {
  const story = await open();
  story.deliver([...many(10, 30), ...many(50, 10, 'Bergen')]);
  const ran = await story.sync();
  expect([ran.code, story.takeWrites()]).toEqual([4, Array.from({ length: 6 }, () => CREATE_USER)]);
  expect(codesOf(ran.json.failed)).toEqual({ SYNC_SERVICE_REFUSED: 6, SYNC_CHANGE_BLOCKED: 34 });
  expect(ran.json.failed.filter(({ key }) => key === 'E50')).toMatchObject([{ code: 'SYNC_SERVICE_REFUSED' }]);
  expect(ran.json.failed.filter(({ remedy }) => remedy.includes('Correct the record'))).toEqual([]);
  // The next run begins with others, counts none of it as new, and stops as early.
  const again = await story.sync();
  expect(again.json.guards).toEqual([]);
  expect(story.takeWrites()).toHaveLength(6);
  const tried = (run: typeof ran) =>
    run.json.failed.flatMap(({ code, key }) => (code === 'SYNC_SERVICE_REFUSED' ? [key] : []));
  expect(tried(again).filter((key) => tried(ran).includes(key))).toEqual([]);
  // Once corrected, all of them succeed, including those rejected before.
  story.deliver(
    [...many(10, 30), ...many(50, 10, 'Bergen')].map((row) => ({
      ...row,
      email: row.email?.replace('elsewhere.org', 'example.com') ?? '',
    })),
  );
  expect((await story.sync()).json).toMatchObject({ done: 40, failed: [], guards: [] });
});

sweep('spends at most one more call each when several are sent at the same time', async () => {
  const story = await open(4);
  story.deliver(many(10, 40));
  await story.sync();
  const { length } = story.takeWrites();
  expect(length).toBeGreaterThanOrEqual(6);
  expect(length).toBeLessThanOrEqual(9);
});

sweep('delays no other office, and no other field, because of the rejections of one', async () => {
  const story = await open();
  const others = Array.from({ length: 10 }, (_, at) => person(`F${at}`, { office: 'Bergen' }));
  story.deliver([...many(10, 12), ...others]);
  const ran = await story.sync();
  expect(ran.json).toMatchObject({ done: 10 });
  expect(ran.json.failed).toHaveLength(12);
  story.takeWrites();
  // The service rejects updates of an address, but not of a title.
  story.deliver([
    ...others.map((row, at) => (at < 8 ? { ...row, email: `f${at}@elsewhere.org` } : { ...row, title: 'Lead' })),
  ]);
  const later = await story.sync();
  expect(later.json).toMatchObject({ done: 2 });
  expect(codesOf(later.json.failed)).toEqual({ SYNC_SERVICE_REFUSED: 6, SYNC_CHANGE_BLOCKED: 2 });
});
