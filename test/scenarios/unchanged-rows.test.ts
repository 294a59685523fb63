import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** Two people who match the service, and whose rows were mapped before. */
async function openCalm(): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' }), person('E2', { title: 'Partner' })]);
  expect((await story.sync()).code).toBe(0);
  expect((await story.sync()).json.counts).toEqual({});
  story.takeWrites();
  return story;
}

sweep('maps verbatim equal rows again after the mapping is edited', async () => {
  const story = await openCalm();
  story.configure({ users: { fields: { name: 'record.last + ", " + record.first' } } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.user('E1').name).toBe('E1, Person');
});

sweep('maps rows again on another day, since an expression may use `today`', async () => {
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
  // The clock's own day counts too.
  await story.sync();
  story.takeWrites();
  story.clock.advance(24 * HOUR);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('changes a person when only the row of a joined source changes', async () => {
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

sweep('treats the same cells under another header as other values', async () => {
  const story = await openCalm();
  const swapped = HEADER.replace('first;last', 'last;first');
  story.deliverText(
    `${[swapped, line(person('E1', { title: 'Engineer' })), line(person('E2', { title: 'Partner' }))].join('\n')}\n`,
  );
  await story.sync();
  expect(story.user('E1').name).toBe('E1 Person');
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
});

sweep('counts a remembered row among several rows of its key, and uses it again once the other is gone', async () => {
  const story = await openCalm();
  const [one, two] = [person('E1', { title: 'Engineer' }), person('E2', { title: 'Partner' })];
  // The very same row twice counts as one row.
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
});

test('holds a row that became unusable, and does not use its earlier version instead', async () => {
  const story = await openCalm();
  story.deliverText(
    `${HEADER}\n${line(person('E1', { title: 'Engineer' }))};extra\n${line(person('E2', { title: 'Lead' }))}\n`,
  );
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_ROW_FIELDS']);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect((await story.explain('user', 'E1')).json.steps.desired).toBeNull();
});

sweep('corrects drift with the values of an unchanged row, and keeps a leaver deactivated', async () => {
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

sweep('maps everything again without the mirror', async () => {
  const story = await openCalm();
  for (const ending of ['', '-wal', '-shm']) rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });
  await story.editUser('E2', { title: { en: 'Boss' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2').title).toEqual({ en: 'Partner' });
});

sweep('writes an additional column back correctly from the run that first names it', async () => {
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
