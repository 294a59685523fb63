import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { type Both, openBoth, PHONE_OF_NEWEST, PHONE_OF_SERVICE, questionsOf } from './both.js';
import type { Yaml } from './company.js';
import { expectQuiet } from './quiet.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;

async function openAgreed(phone: Yaml = PHONE_OF_NEWEST): Promise<Both> {
  const both = await openBoth({ telephone: phone });
  both.deliver(['E1', { phone: '1' }]);
  await both.story.sync();
  both.story.clock.advance(HOUR);
  return both;
}

/** Both sides hold this value, and nothing is left to do. */
async function expectBoth({ story, deliver }: Both, phone: string): Promise<void> {
  deliver(['E1', { phone }]);
  expect(await expectQuiet(story)).toEqual([]);
  expect(story.user('E1')).toMatchObject({ telephone: phone });
}

sweep('sends a change of one side to the other, whatever the clocks say', async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries, at } = both;
  deliver(['E1', { phone: '2', modified: at(-50 * 24 * HOUR) }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
  await story.editUser('E1', { telephone: '3' });
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '3' } }]);
  await expectBoth(both, '3');
});

test('prefers the change seen later in the service to an earlier one of HR when both sides changed', async () => {
  const { story, deliver, deliveries, at } = await openAgreed();
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2', modified: at(-10 * MINUTE) }]);
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '3' } }]);
  expect(story.user('E1')).toMatchObject({ telephone: '3' });
});

sweep("prefers HR's change after the service's, even if HR never took what it was sent", async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries } = both;
  await story.editUser('E1', { telephone: '3' });
  await story.sync();
  story.clock.advance(HOUR);
  deliver(['E1', { phone: '2' }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
  expect(deliveries()).toHaveLength(1);
  await expectBoth(both, '2');
});

sweep('does not prefer the old number in HR because of another edit of the record', async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries } = both;
  await story.editUser('E1', { telephone: '3' });
  await story.sync();
  story.clock.advance(HOUR);
  story.takeWrites();
  deliver(['E1', { phone: '1', last: 'Married' }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '3', name: 'Person Married' });
  expect(deliveries()).toHaveLength(1);
});

sweep(
  'sends HR the next value when the service changes again before HR shows the last, and ignores its echo',
  async () => {
    const { story, deliver, deliveries } = await openAgreed();
    await story.editUser('E1', { telephone: '3' });
    await story.sync();
    story.clock.advance(HOUR);
    await story.editUser('E1', { telephone: '4' });
    deliver(['E1', { phone: '3' }]);
    await story.sync();
    story.clock.advance(HOUR);
    deliver(['E1', { phone: '3', last: 'Married' }]);
    await story.sync();
    expect(story.user('E1')).toMatchObject({ telephone: '4', name: 'Person Married' });
    expect(deliveries()).toEqual([{ E1: { phone: '3' } }, { E1: { phone: '4' } }]);
  },
);

sweep('reverts a change in HR that is reverted in the service', async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries } = both;
  await story.editUser('E1', { telephone: '3' });
  await story.sync();
  story.clock.advance(HOUR);
  await story.editUser('E1', { telephone: '1' });
  deliver(['E1', { phone: '3' }]);
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '3' } }, { E1: { phone: '1' } }]);
  await expectBoth(both, '1');
});

sweep("accepts a number that HR stores in its own form, and sends HR's later changes to the service", async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries } = both;
  await story.editUser('E1', { telephone: '+47 22' });
  await story.sync();
  deliver(['E1', { phone: '+4722' }]);
  expect((await story.sync()).json.near_misses).toBe(1);
  story.clock.advance(HOUR);
  deliver(['E1', { phone: '5', modified: both.at(-10 * MINUTE) }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '5' });
  expect(deliveries()).toHaveLength(1);
  await expectBoth(both, '5');
});

sweep('holds a time in the future as a wrong clock until a person decides', async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries, at } = both;
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2', modified: at(HOUR) }]);
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  const [question = ''] = questionsOf(ran);
  expect(deliveries()).toEqual([]);
  expect(story.user('E1')).toMatchObject({ telephone: '3' });
  await story.type('holds', 'resolve', question, '--take', 'source', '--reason', 'asked her');
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
  await expectBoth(both, '2');
});

sweep('accepts a clock that is a few minutes ahead', async () => {
  const { story, deliver, deliveries, at } = await openAgreed();
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2', modified: at(4 * MINUTE) }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
  expect(deliveries()).toEqual([]);
});

sweep('treats changes of the same day as a tie where HR has only days, but not the day before', async () => {
  const both = await openAgreed();
  const { story, deliver, deliveries, at } = both;
  story.configure({ timezone: 'Europe/Oslo', sources: { hr: { columns: { modified: { type: 'date' } } } } });
  const day = (ms: number): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Oslo' }).format(Date.parse(at(ms)));
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2', modified: day(0) }]);
  const ran = await story.sync();
  const [question = ''] = questionsOf(ran);
  expect(ran.code).toBe(3);
  await story.type('holds', 'resolve', question, '--take', 'service', '--reason', 'asked her');
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()).toEqual([{ E1: { phone: '3' } }]);

  await story.editUser('E1', { telephone: '4' });
  story.clock.advance(48 * HOUR);
  deliver(['E1', { phone: '5', modified: day(-24 * HOUR) }]);
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()[1]).toEqual({ E1: { phone: '4' } });
});

sweep('holds a record without a time if both sides changed', async () => {
  const { story, deliver } = await openAgreed();
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2', modified: '' }]);
  expect(questionsOf(await story.sync())).toHaveLength(1);
});

sweep('holds a difference at first contact, or decides it by `conflicts`, since nobody saw either change', async () => {
  const both = await openBoth({});
  const { story, deliver, deliveries } = both;
  deliver(['E1', {}], ['E2', {}]);
  await story.sync();
  await story.editUser('E1', { telephone: '3' });
  story.configure({ users: { fields: { telephone: PHONE_OF_NEWEST } } });
  deliver(['E1', { phone: '2' }], ['E2', { phone: '7' }]);
  expect(questionsOf(await story.sync())).toHaveLength(1);
  expect(story.user('E1')).toMatchObject({ telephone: '3' });
  expect(story.user('E2')).toMatchObject({ telephone: '7' });
  story.configure({ conflicts: 'service' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()).toEqual([{ E1: { phone: '3' } }]);
});

sweep("sends HR's change to the service if the service was emptied before it", async () => {
  const { story, deliver, deliveries, at } = await openAgreed();
  await story.editUser('E1', { telephone: '' });
  await story.sync();
  expect(deliveries()).toEqual([]);
  story.clock.advance(2 * HOUR);
  deliver(['E1', { phone: '2', modified: at(-HOUR) }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
});

sweep.each<[string, Yaml]>([
  ['newest', PHONE_OF_NEWEST],
  ['service', PHONE_OF_SERVICE],
])('takes a first number that HR shows in its own form as the agreed one (%s)', async (_, phone) => {
  const { story, deliver, deliveries } = await openBoth({ telephone: phone });
  deliver(['E1', {}]);
  await story.sync();
  await story.editUser('E1', { telephone: '+4755577777' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()).toEqual([{ E1: { phone: '+4755577777' } }]);

  deliver(['E1', { phone: '+47 555 77 777' }]);
  for (const full of [false, true, false]) {
    const ran = await story.sync({ full });
    expect(ran).toMatchObject({ code: 0, json: { counts: {}, conflicts: [], held: [] } });
  }
  expect(deliveries()).toHaveLength(1);
  expect(story.user('E1')).toMatchObject({ telephone: '+4755577777' });
  const plan = await story.plan();
  expect([plan.code, plan.json.counts]).toEqual([0, {}]);

  // From now on, a change of either side counts.
  story.clock.advance(HOUR);
  await story.editUser('E1', { telephone: '+4711111111' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries().at(-1)).toEqual({ E1: { phone: '+4711111111' } });
});

sweep('sends a first number to the service that HR showed in its own form and then changes', async () => {
  const { story, deliver } = await openBoth({ telephone: PHONE_OF_NEWEST });
  deliver(['E1', {}]);
  await story.sync();
  await story.editUser('E1', { telephone: '+4755577777' });
  await story.sync();
  deliver(['E1', { phone: '+47 555 77 777' }]);
  expect((await story.sync()).code).toBe(0);
  story.clock.advance(HOUR);
  deliver(['E1', { phone: '+47 222 22 222' }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { conflicts: [] } });
  expect(story.user('E1')).toMatchObject({ telephone: '+47 222 22 222' });
});
