import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { closeAfterTest } from '../closing.js';
import { colleague, openWorkday } from '../connectors/hris/systems.js';
import { sweep } from '../depth.js';
import { HOUR, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const COUNT = 60;

let story: Story;
let system: Awaited<ReturnType<typeof openWorkday>>;

/** Workday leaves out empty fields, and fields that the user may not see. */
function empty(column: 'country' | 'office', count: number): void {
  for (let number = 1; number <= count; number += 1) system.edit(colleague(number).id, { [column]: '' });
}

beforeEach(async () => {
  story = await openStory();
  system = await openWorkday(() => story.clock.now());
  closeAfterTest(system.server);
  Object.assign(story.env, system.env);
  const source = parse(`{ type: hris, preset: workday, ${system.rest} }`) as { readonly [key: string]: Yaml };
  story.configure({
    sources: { people: { ...source, base_url: `${system.server.url}${system.path}` } },
    users: {
      existence: 'people',
      leaver: { when: system.leaver },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.?email.orValue("")',
        name: 'record.?first_name.orValue("")',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
        telephone: { value: 'record.?country', when_empty: 'clear' },
      },
    },
  });
  for (let number = 1; number <= COUNT; number += 1) system.hire(colleague(number));
  expect((await story.sync()).error).toBeUndefined();
  story.takeWrites();
});

test('holds a column that empties for many rows until an approval', async () => {
  empty('country', 6);
  system.edit(colleague(60).id, { title: 'Lead' });
  const { code, json } = await story.sync();
  expect([code, story.takeWrites()]).toEqual([3, []]);
  const [trip] = json.guards;
  expect(trip).toMatchObject({ cause: 'column emptied', found: 6 });
  expect(trip?.detail).toBe('`country` is empty for 6 of the 60 rows that had it');
  // Edits of other people keep the same question.
  system.edit(colleague(59).id, { title: 'Partner' });
  await story.approve({ guard: trip?.guard ?? '' });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toHaveLength(8);
  empty('country', 8);
  expect((await story.sync()).code).toBe(0);
});

sweep('believes the column again without an approval once the key can read it again', async () => {
  empty('country', 30);
  expect((await story.sync()).code).toBe(3);
  for (let number = 1; number <= 30; number += 1) system.edit(colleague(number).id, { country: 'NO' });
  expect([(await story.sync()).code, story.takeWrites()]).toEqual([0, []]);
});

sweep('deactivates nobody while it does not believe an enriching source', async () => {
  story.configure({
    sources: { hr: { columns: { id: 'string' } } },
    users: {
      existence: 'hr',
      enrich: { people: { join: 'people.id == hr.id' } },
      leaver: { when: 'false', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'hr.id',
        email: 'hr.email',
        name: 'hr.first',
        title: { en: 'people.?title' },
        telephone: { value: 'people.?country', when_empty: 'clear' },
      },
    },
  });
  const rows = Array.from({ length: COUNT }, (_, at) =>
    person(colleague(at + 1).id, { email: colleague(at + 1).email, first: 'Person' }),
  );
  story.deliver(rows);
  await story.sync();
  story.takeWrites();
  empty('country', 30);
  story.deliver([...rows, person('new')]);
  for (let days = 0; days < 3; days += 1) {
    const { code, json } = await story.sync();
    expect([code, json.guards.map(({ cause }) => cause), story.takeWrites()]).toEqual([3, ['column emptied'], []]);
    story.clock.advance(24 * HOUR);
  }
});

sweep('asks nobody about three people, or about a column that no mapping reads', async () => {
  empty('country', 3);
  empty('office', COUNT);
  expect([(await story.sync()).code, story.takeWrites().length]).toEqual([0, 3]);
});
