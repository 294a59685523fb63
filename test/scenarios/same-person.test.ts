import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const anna = person('E1', { first: 'Anna', last: 'Berg', rank: '1980' });
const others = [person('E2'), person('E3')];

async function openCompany(afterMissingReads = 1): Promise<Story> {
  const story = await openStory();
  story.configure({
    users: {
      leaver: { after_missing_reads: afterMissingReads },
      fields: { born_year: 'int(record.?rank.orValue("1970"))' },
    },
  });
  story.deliver([anna, ...others]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}
/** The same person under a new number and address, for example after a conversion. */
const again = (more: Row = {}): Row => ({ ...anna, id: 'E77', email: 'anna.new@example.com', ...more });

test('neither deactivates nor creates a person with a new number and address until somebody has looked', async () => {
  const story = await openCompany();
  story.deliver([again(), ...others]);
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.guards).toMatchObject([{ guard: 'users.same_person', limit: 0, found: 2, held: 2 }]);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_PROBABLE_SAME_PERSON', 'E77 SYNC_PROBABLE_SAME_PERSON']);
  expect(ran.json.held.find(({ key }) => key === 'E77')?.reason).toContain('the same name and the same year of birth');
  expect(story.takeWrites()).toEqual([]);

  // They are one person: HR gives the new number the old address, so it takes over the account.
  story.deliver([again({ email: 'e1@example.com' }), ...others]);
  const told = await story.sync();
  expect(told.json).toMatchObject({ counts: { users: { relink: 1 } }, held: [] });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('carries out both changes once a person says that the two differ', async () => {
  const story = await openCompany();
  story.deliver([again(), ...others]);
  await story.sync();
  expect((await story.approve({ who: 'user:E77' })).error?.code).toBe('SYNC_APPROVAL_QUESTION');
  expect((await story.type('holds', 'resolve', 'user:E77', '--new', '--reason', 'a namesake')).code).toBe(0);
  expect((await story.sync()).json).toMatchObject({ done: 2, guards: [], held: [] });
  expect(story.takeWrites()).toEqual([CREATE_USER, UPDATE_USER]);
});

sweep('holds a joiner while the absence of the old number is still counted', async () => {
  const story = await openCompany(3);
  story.deliver([again(), ...others]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E77 SYNC_PROBABLE_SAME_PERSON']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds a deactivation if a joiner with the same UPN arrived before the old row disappeared', async () => {
  const story = await openCompany();
  story.configure({ users: { fields: { upn: 'record.?phone' } } });
  const same = { phone: 'anna@example.com' };
  story.deliver([anna, again(same), ...others]);
  expect((await story.sync()).json).toMatchObject({ done: 1, held: [] });
  await story.editUser('E1', { upn: 'Anna@example.com' });
  story.deliver([again(same), ...others]);
  const ran = await story.sync({ full: true });
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_PROBABLE_SAME_PERSON']);
  expect(ran.json.held[0]?.reason).toContain('created not long ago');
  expect(story.takeWrites()).toEqual([]);
});

sweep.each(['says so', 'is missing'] as const)(
  'namesakes who both was in the first delivery are two: one leaves (the source %s)',
  async (how) => {
    const story = await openStory();
    const namesake = person('E7', { first: 'Anna', last: 'Berg', email: 'anna.b@example.com' });
    const first = { ...anna, rank: '' };
    story.deliver([first, namesake, ...others]);
    expect((await story.sync()).json).toMatchObject({ done: 4, held: [] });
    story.takeWrites();
    story.deliver([...(how === 'is missing' ? [] : [{ ...first, status: 'left' }]), namesake, ...others]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 1 } }, held: [] } });
    expect(story.user('E1').deactivated).toBe(true);
    expect(story.user('E7').deactivated).toBe(false);
  },
);

sweep('holds a rehire under a new number instead of creating a second account', async () => {
  const story = await openCompany();
  story.deliver([{ ...anna, status: 'left' }, ...others]);
  await story.sync();
  story.takeWrites();
  story.deliver([{ ...anna, status: 'left' }, again(), ...others]);
  const ran = await story.sync();
  expect(ran.json.held).toMatchObject([{ key: 'E77', code: 'SYNC_PROBABLE_SAME_PERSON' }]);
  expect(ran.json.held[0]?.reason).toContain('who is deactivated');
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds nothing for namesakes who are both active, or for one with another year of birth', async () => {
  const story = await openCompany();
  story.deliver([anna, again(), person('E78', { first: 'Anna', last: 'Berg', rank: '1991' }), ...others]);
  expect((await story.sync()).json).toMatchObject({ held: [], guards: [] });
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER]);
});

test('reports the row of a leaver whose account another row keeps', async () => {
  const story = await openStory();
  story.deliver([anna, ...others]);
  await story.sync();
  story.takeWrites();
  // An ended contract next to the current one.
  story.deliver([{ ...anna, id: 'E0', status: 'left' }, anna, ...others]);
  const note = 'One row reports a leaver or a deletion without an effect';
  expect((await story.type('plan')).stdout.replaceAll(/\s+/g, ' ')).toContain(note);
  for (const _run of [1, 2]) expect((await story.type('sync')).stdout.replaceAll(/\s+/g, ' ')).toContain(note);
  expect((await story.type('explain', 'user', 'E0')).stdout).toContain('but record E1 has the same user');
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1').deactivated).toBe(false);
});

test.each(['same', 'new'] as const)('lists a question as open until somebody answers it: %s', async (answer) => {
  const story = await openCompany();
  story.deliver([again(), ...others]);
  await story.sync();
  const typed = async (...words: string[]) => JSON.parse((await story.type(...words, '--json')).stdout);
  const countOpen = async (): Promise<readonly number[]> => {
    const { holds, waiting } = await typed('holds', 'list');
    const open = waiting.filter(({ kind }: { kind: string }) => kind === 'guard' || kind === 'record');
    return [holds.length, open.length];
  };
  // Two changes wait for the guard, and each has a hold that explains it.
  expect(await countOpen()).toEqual([2, 3]);
  const { approval, run } = await typed('holds', 'resolve', 'user:E77', `--${answer}`, '--reason', 'looked');
  expect(await countOpen()).toEqual([0, 0]);
  // The question is open again without the answer.
  if (answer === 'same') await typed('undo', run, '--reason', 'wrong');
  else await typed('approve', '--revoke', approval, '--reason', 'wrong');
  expect(await countOpen()).toEqual([2, 3]);
});
