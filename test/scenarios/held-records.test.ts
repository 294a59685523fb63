import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, line, person } from './company.js';
import { CREATE_USER, openStory, summarise, UPDATE_USER } from './kit.js';

test('holds bad rows with their place and a remedy, continues with the others, and loses nobody', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { tags: { unit: 'record.?unit' } } } });
  const staff = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].map((id) => person(id));
  story.deliver(staff);
  await story.sync();
  story.takeWrites();

  const file = story.deliverText(
    `${[
      HEADER,
      line(person('E1', { title: 'Lead' })),
      `${line(person('E2'))};one;too;many`,
      line(person('E3', { email: 'e3 at example.com' })),
      line(person('E4')),
      line(person('E4', { title: 'Twice' })),
      line(person('E5', { office: 'Osslo' })),
      line(person('E6', { unit: 'norht' })),
      line(person('E7')),
    ].join('\n')}\n`,
  );
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual([
    'E2 SYNC_ROW_FIELDS',
    'E3 SYNC_MAP_VALUE',
    'E4 SYNC_MAP_DUPLICATE_KEY',
    'E5 SYNC_REFERENCE_UNKNOWN',
    'E6 SYNC_REFERENCE_UNKNOWN',
  ]);
  const held = new Map(ran.json.held.map((hold) => [hold.key, hold]));
  expect(held.get('E2')?.place).toBe(`hr ${file}:3`);
  expect(held.get('E3')).toMatchObject({ place: `hr ${file}:4`, reason: expect.stringContaining('e3 at example.com') });
  expect(held.get('E4')?.place).toBe(`hr ${file}:5 and hr ${file}:6`);
  expect(held.get('E5')).toMatchObject({ place: `hr ${file}:7`, reason: expect.stringContaining('Oslo') });
  expect(held.get('E6')).toMatchObject({ place: `hr ${file}:8`, reason: expect.stringContaining('north') });
  for (const { remedy } of ran.json.held) expect(remedy).not.toBe('');

  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.users().map((user) => user.external_unique_id)).toEqual(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7']);
  expect(story.users().filter(({ deactivated }) => deactivated)).toEqual([]);

  // Once the rows are right, the run does what was held, and nothing else.
  story.deliver([
    person('E1', { title: 'Lead' }),
    ...staff.slice(1, 5),
    person('E6', { unit: 'north' }),
    person('E7', { title: 'New' }),
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
});

sweep('holds only a field that cannot be resolved, and writes the rest of the person', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { office: 'Atlantis', title: 'Lead' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ office: 'no/Oslo', title: { en: 'Lead' } });
  // The field stays held, and is not written again.
  expect((await story.sync()).code).toBe(4);
  expect(story.takeWrites()).toEqual([]);
});

sweep('creates no new person without a known office, and reports it once', async () => {
  const story = await openStory();
  story.deliver([person('E1', { office: 'Atlantis' }), person('E2', { country: 'xx' }), person('E3')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN', 'E2 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

sweep('chooses between two rows of one person by `prefer`', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { prefer: 'record.?rank.orValue("")' } } });
  story.deliver([person('E1', { title: 'Old', rank: '1' }), person('E1', { title: 'New', rank: '2' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').title).toEqual({ en: 'New' });
});

sweep('fails only the record whose e-mail the service rejects, and continues with the others', async () => {
  const story = await openStory();
  const file = story.deliver([person('E1', { email: 'e1@elsewhere.test' }), person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json).toMatchObject({ done: 1 });
  expect(ran.json.failed).toMatchObject([{ key: 'E1', code: 'SYNC_SERVICE_REFUSED', place: `hr ${file}:2` }]);
  expect(story.users().map((user) => user.email)).toEqual(['e2@example.com']);
});

test('stops a source with a wrong header, shows what it found, and changes nobody', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  const file = story.deliverText(`${HEADER.replace('email', 'e-mail')}\n${line(person('E1'))}\n`);
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.json.errors?.[0]?.error).toMatchObject({ code: 'SYNC_SOURCE_HEADER' });
  expect(ran.json.errors?.[0]?.error.place).toContain(file);
  const { stdout } = await story.type('plan');
  expect(stdout.match(/not in the header/g)).toHaveLength(1);
  expect(stdout).toContain('Did the export rename "email" to "e-mail"?');
  expect(story.takeWrites()).toEqual([]);
});
