import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openSieve } from './gate.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const FROZEN = ['E1 SYNC_FIELD_FROZEN'];

/** A service that stores `+47 1` as `471`, and any other number unchanged. */
async function openFrozen(): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { fields: { telephone: 'record.?phone' } } });
  const sieve = await openSieve(story.sandbox.url, (body) => body.replace('"telephone":"+47 1"', '"telephone":"471"'));
  story.configure({ service: { base_url: sieve.url } });
  story.deliver([person('E1', { phone: '+47 1' })]);
  const first = await story.sync();
  expect(first).toMatchObject({ code: 4, json: { failed: [{ key: 'E1', code: 'SYNC_WRITE_NOT_TAKEN' }] } });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  return story;
}

test('writes a value once that the service changes, then holds it and names both values', async () => {
  const story = await openFrozen();
  for (const flags of [{}, { full: true }]) {
    const ran = await story.sync(flags);
    expect(ran).toMatchObject({ code: 4, json: { counts: {}, failed: [] } });
    expect(summarise(ran.json.held)).toEqual(FROZEN);
    expect(ran.json.held[0]?.reason).toContain('"+47 1"');
    expect(ran.json.held[0]?.reason).toContain('"471"');
  }
  expect((await story.plan()).json.counts).toEqual({});
  expect(story.takeWrites()).toEqual([]);
});

sweep('writes other fields of the record, while the frozen one stays frozen', async () => {
  const story = await openFrozen();
  story.deliver([person('E1', { phone: '+47 1', title: 'Lead' })]);
  for (let run = 0; run < 2; run++) expect(summarise((await story.sync()).json.held)).toEqual(FROZEN);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, telephone: '471' });
});

sweep('thaws a frozen value when the source changes it', async () => {
  const story = await openFrozen();
  story.deliver([person('E1', { phone: '+47 2' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').telephone).toBe('+47 2');
  expect((await story.plan()).json.counts).toEqual({});
});

sweep('thaws a value when it changes in the service, tries once more, then freezes it again', async () => {
  const story = await openFrozen();
  await story.editUser('E1', { telephone: '999' });
  story.takeWrites();
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { failed: [{ code: 'SYNC_WRITE_NOT_TAKEN' }] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(summarise((await story.sync()).json.held)).toEqual(FROZEN);
  expect(story.takeWrites()).toEqual([]);
  // Once set by hand to the source's value, nothing is left to hold.
  await story.editUser('E1', { telephone: '+47 1' });
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: {} } });
  expect(story.takeWrites()).toEqual([]);
});

sweep(
  'thaws a value when its field is mapped again, even to the same value, but not when another field is',
  async () => {
    const story = await openFrozen();
    story.configure({ users: { fields: { title: { en: '"Dr " + record.?title.orValue("")' } } } });
    expect(summarise((await story.sync()).json.held)).toEqual(FROZEN);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);

    story.configure({ users: { fields: { telephone: { value: 'record.?phone', when_empty: 'clear' } } } });
    expect((await story.plan()).json.counts).toEqual({ users: { update: 1 } });
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { failed: [{ code: 'SYNC_WRITE_NOT_TAKEN' }] } });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(summarise((await story.sync()).json.held)).toEqual(FROZEN);
    expect(story.takeWrites()).toEqual([]);
  },
);
