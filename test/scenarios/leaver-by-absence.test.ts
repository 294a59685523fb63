import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HEADER, HOUR, line, person, type Row } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const [anna, berit, carl] = [person('E1'), person('E2'), person('E3')];

async function openCompany(afterMissingReads: number): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { leaver: { after_missing_reads: afterMissingReads } } });
  story.deliver([anna, berit, carl]);
  await story.sync();
  story.takeWrites();
  return story;
}

/** Delivers half a day after the last file: an earlier one would not be a new proof. */
function deliverLater(story: Story, rows: readonly Row[]): void {
  story.clock.advance(12 * HOUR);
  story.deliver(rows);
}

sweep('deactivates a person after one complete read without them, with the proof in the plan', async () => {
  const story = await openCompany(1);
  const file = story.deliver([anna, berit]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { deactivate: 1 } });
  const explained = await story.explain('user', 'e3@example.com');
  expect(explained.json.steps.action).toMatchObject({ action: 'deactivate', reason: { kind: 'absent' } });
  expect(explained.json.steps.action?.reason.text).toContain(file);

  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E3').deactivated).toBe(true);
});

test('acts on the third read, and does not count the same delivery twice', async () => {
  const story = await openCompany(3);
  deliverLater(story, [anna, berit]);
  for (let again = 0; again < 4; again++) await story.sync();
  expect(story.user('E3').deactivated).toBe(false);
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(false);
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(true);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('takes three uploads within half a day for one proof', async () => {
  const story = await openCompany(3);
  for (const minutes of [0, 5, 60]) {
    story.clock.advance(minutes * 60_000);
    story.deliver([anna, berit]);
    expect((await story.sync()).json.counts).toEqual({});
  }
  expect((await story.explain('user', 'E3')).json.steps.absence).toMatchObject({ observations: 1 });
  for (const deactivated of [false, true]) {
    deliverLater(story, [anna, berit]);
    await story.sync();
    expect(story.user('E3').deactivated).toBe(deactivated);
  }
});

sweep('counts from the start again when a person was back in between', async () => {
  const story = await openCompany(2);
  deliverLater(story, [anna, berit]);
  await story.sync();
  deliverLater(story, [anna, berit, carl]);
  await story.sync();
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(false);
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(true);
});

sweep.each<[string, Partial<Row>, boolean]>(
  oneIn(1, [
    ['names another person', {}, true],
    ['has the name of the missing person', { first: 'Person', last: 'E3', email: 'new@example.com' }, false],
    ['has the address of the missing person', { email: 'e3@example.com' }, false],
    ['does not name its person', { first: '', last: '', email: '' }, false],
  ]),
)('decides on a missing person with a row without a key that %s', async (_, rest, leaves) => {
  const story = await openCompany(1);
  const keyless = line({ ...person('E9'), ...rest, id: '' });
  story.deliverText(`${[HEADER, line(anna), line(berit), keyless].join('\n')}\n`);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['? SYNC_ROW_KEY']);
  expect(story.user('E3').deactivated).toBe(leaves);
  const shown = (await story.type('plan')).stdout;
  expect(shown).toContain('without a key');
  if (leaves) expect(ran.json.held[0]?.reason).toContain('It is about "Person E9 <e9@example.com>".');
});

sweep('deactivates nobody for a file cut in the middle of a row', async () => {
  const story = await openCompany(1);
  const whole = `${[HEADER, line(anna), line(berit), line(carl)].join('\n')}\n`;
  story.deliverText(whole.slice(0, whole.indexOf('E2;') + 6));
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  expect(story.users().filter(({ deactivated }) => deactivated)).toEqual([]);
});

sweep('holds a person whose own row is damaged, and does not count them as absent', async () => {
  const story = await openCompany(1);
  story.deliverText(`${[HEADER, line(anna), line(berit), `${line(carl)};extra`].join('\n')}\n`);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E3 SYNC_ROW_FIELDS']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('deactivates nobody for a narrowed scope, and starts the count again', async () => {
  const story = await openCompany(2);
  deliverLater(story, [anna, berit]);
  await story.sync();
  story.configure({ users: { scope: 'record.id != "E2"' } });
  deliverLater(story, [anna, berit]);
  await story.sync();
  // E3 is missing for the second time, but for the first time under this scope. E2 is out of scope, which is not
  // leaving.
  expect(story.users().filter(({ deactivated }) => deactivated)).toEqual([]);
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(true);
  expect(story.user('E2').deactivated).toBe(false);
});

sweep('counts no read of plan or explain', async () => {
  const story = await openCompany(2);
  deliverLater(story, [anna, berit]);
  await story.plan();
  await story.explain('user', 'E3');
  deliverLater(story, [anna, berit]);
  await story.plan();
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(false);
  deliverLater(story, [anna, berit]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(true);
});

test('an empty file, and one that is not there, make no leavers', async () => {
  const story = await openCompany(1);
  story.deliver([]);
  expect((await story.sync()).json.counts).toEqual({});
  const empty = story.deliverText('');
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.json.errors?.[0]?.error).toMatchObject({ code: 'SYNC_SOURCE_FORMAT' });
  expect(ran.json.errors?.[0]?.error.place).toContain(empty);
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds a person who returns under another key and name instead of deactivating them', async () => {
  const story = await openCompany(1);
  const rekeyed = person('E99', { last: 'Other', email: 'e3@example.com' });
  story.deliver([anna, berit, rekeyed]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.counts).toEqual({});
  expect(ran.json.held).toMatchObject([{ key: 'E99', code: 'SYNC_MATCH_CLAIMED' }]);
  expect(ran.json.held[0]?.reason).toContain('E3');
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E3').deactivated).toBe(false);
});
