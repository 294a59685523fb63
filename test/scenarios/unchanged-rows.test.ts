import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** Two people who are as the service has them, and whose rows were mapped before. */
async function openCalm(): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' }), person('E2', { title: 'Partner' })]);
  expect((await story.sync()).code).toBe(0);
  expect((await story.sync()).json.counts).toEqual({});
  story.takeWrites();
  return story;
}

sweep('an edited mapping maps rows again that are the same to the letter', async () => {
  const story = await openCalm();
  story.configure({ users: { fields: { name: 'record.last + ", " + record.first' } } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.user('E1').name).toBe('E1, Person');
});

sweep('another day maps rows again: an expression may use `today`', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { title: { en: 'string(today)' } } } });
  story.deliver([person('E1')]);
  const titleOn = async (day: string): Promise<unknown> => {
    await story.sync({ asOf: day });
    return story.user('E1').title.en;
  };
  const first = await titleOn('2026-11-22');
  expect(await titleOn('2026-11-22')).toBe(first);
  expect(await titleOn('2026-11-23')).not.toBe(first);
  story.takeWrites();
  // The clock's own day as well.
  await story.sync();
  story.takeWrites();
  story.clock.advance(24 * HOUR);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('a row of a joined source that changes alone changes the person', async () => {
  const story = await openStory();
  const book = join(story.folder, 'drop', 'book');
  mkdirSync(book, { recursive: true });
  const columns = { number: 'string', job: 'string' };
  story.configure({
    sources: { book: { type: 'csv', drop: './drop/book', pattern: '*.csv', key: 'number', settle: '0s', columns } },
    users: { enrich: { book: { join: 'book.number == hr.id' } }, fields: { title: { en: 'book.?job' } } },
  });
  story.deliver([person('E1')]);
  writeFileSync(join(book, '1.csv'), 'number;job\nE1;Engineer\n');
  await story.sync();
  expect(story.user('E1').title).toEqual({ en: 'Engineer' });
  writeFileSync(join(book, '2.csv'), 'number;job\nE1;Partner\n');
  await story.sync();
  expect(story.user('E1').title).toEqual({ en: 'Partner' });
});

sweep('the same cells under another header are other values', async () => {
  const story = await openCalm();
  const swapped = HEADER.replace('first;last', 'last;first');
  story.deliverText(
    `${[swapped, line(person('E1', { title: 'Engineer' })), line(person('E2', { title: 'Partner' }))].join('\n')}\n`,
  );
  await story.sync();
  expect(story.user('E1').name).toBe('E1 Person');
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
});

sweep(
  'a remembered row counts as one of several rows of its key, and stands again when the other is gone',
  async () => {
    const story = await openCalm();
    const [one, two] = [person('E1', { title: 'Engineer' }), person('E2', { title: 'Partner' })];
    // The very same row twice is one row.
    story.deliver([one, two, one]);
    expect((await story.sync()).json).toMatchObject({ counts: {}, held: [] });
    for (const doubled of [
      [one, two, { ...one, title: 'Lead' }],
      [{ ...one, title: 'Lead' }, one, two],
    ]) {
      story.deliver(doubled);
      const ran = await story.sync();
      expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MAP_DUPLICATE_KEY']);
      expect(story.takeWrites()).toEqual([]);
    }
    story.deliver([one, two]);
    expect((await story.sync()).json).toMatchObject({ counts: {}, held: [] });
    story.deliver([{ ...one, title: 'Lead' }, two]);
    await story.sync();
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
  },
);

test('a row that cannot be used any more is held, and what it once was is not used in its place', async () => {
  const story = await openCalm();
  story.deliverText(
    `${HEADER}\n${line(person('E1', { title: 'Engineer' }))};extra\n${line(person('E2', { title: 'Lead' }))}\n`,
  );
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_ROW_FIELDS']);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect((await story.explain('user', 'E1')).json.steps.desired).toBeNull();
});

sweep('drift is corrected with the values of a row that did not change, and a leaver stays one', async () => {
  const story = await openCalm();
  await story.editUser('E1', { title: { en: 'Boss' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Engineer' });
  const left = [person('E1', { title: 'Engineer' }), person('E2', { title: 'Partner', status: 'left' })];
  story.deliver(left);
  await story.sync();
  story.takeWrites();
  story.deliver(left);
  expect((await story.sync()).json.counts).toEqual({});
  expect(story.takeWrites()).toEqual([]);
});

sweep('without the copy of the account everything is mapped again', async () => {
  const story = await openCalm();
  for (const ending of ['', '-wal', '-shm']) rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });
  await story.editUser('E2', { title: { en: 'Boss' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2').title).toEqual({ en: 'Partner' });
});

sweep('a column that goes along in rows written back is right from the run that first names it', async () => {
  const story = await openStory();
  const told = join(story.folder, 'drop', 'to-hr');
  mkdirSync(told, { recursive: true });
  const telephone = { value: 'record.?phone', authority: 'service', write_back: true };
  story.configure({ sources: { hr: { write_back: { drop: './drop/to-hr' } } }, users: { fields: { telephone } } });
  story.deliver([person('E1', { phone: '1', title: 'Engineer' })]);
  await story.sync();
  story.configure({ sources: { hr: { write_back: { columns: ['id', 'title', 'phone'] } } } });
  await story.editUser('E1', { telephone: '2' });
  expect((await story.sync()).json).toMatchObject({ to_sources: { hr: 1 } });
  const [name = ''] = readdirSync(told);
  expect(readFileSync(join(told, name), 'utf8').trim().split(/\r?\n/)).toEqual(['id;title;phone', 'E1;Engineer;2']);
});
