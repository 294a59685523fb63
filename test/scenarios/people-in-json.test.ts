import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person } from './company.js';
import { openStory } from './kit.js';

const OPTIONAL = { type: 'string', optional: true };
const COLUMNS = {
  ...Object.fromEntries(['id', 'first', 'last', 'email'].map((name) => [name, 'string'])),
  country: { type: 'string', from: '/office/country' },
  office: { type: 'string', from: '/office/name' },
  title: OPTIONAL,
  status: OPTIONAL,
};
const PEOPLE = ['E1', 'E2', 'E3'].map((id) => {
  const { country, office, ...rest } = person(id);
  return { ...rest, office: { country, name: office } };
});

/** An HR system whose export is JSON. */
async function openJson(more: { readonly rows?: string } = {}) {
  const story = await openStory();
  story.deliver([person('E1')]);
  story.configure({
    sources: {
      people: {
        type: 'json',
        drop: './drop/people',
        pattern: 'people-*',
        key: 'id',
        columns: COLUMNS,
        settle: '0s',
        ...more,
      },
    },
    users: { existence: 'people' },
    policy: 'sync',
  });
  const drop = (name: string, text: string): void => {
    mkdirSync(join(story.folder, 'drop', 'people'), { recursive: true });
    writeFileSync(join(story.folder, 'drop', 'people', name), text);
  };
  return { ...story, drop };
}

test.each(
  oneIn(2, [
    ['one document', '1.json', {}, JSON.stringify(PEOPLE)],
    ['a list in a document', '1.json', { rows: '/data/employees' }, JSON.stringify({ data: { employees: PEOPLE } })],
    ['one line each', '1.ndjson', {}, PEOPLE.map((one) => `${JSON.stringify(one)}\n`).join('')],
  ]),
)('creates accounts from %s of JSON', async (_, ending, more, content) => {
  const story = await openJson(more);
  story.drop(`people-${ending}`, content);
  expect(await story.sync()).toMatchObject({ code: 0 });
  expect(story.users().map((user) => user.external_unique_id)).toEqual(['E1', 'E2', 'E3']);
});

test.each(
  oneIn(1, [
    ['a truncated document', '.json', (text: string) => text.slice(0, -20)],
    ['an empty list', '.json', () => '[]'],
  ]),
)('deactivates nobody because of %s', async (_, ending, damage) => {
  const story = await openJson();
  const content = JSON.stringify(PEOPLE);
  story.drop(`people-1${ending}`, content);
  await story.sync();
  story.drop(`people-2${ending}`, damage(content));
  expect((await story.sync()).code).not.toBe(0);
  expect(story.users().filter((user) => user.deactivated === true)).toEqual([]);
});
