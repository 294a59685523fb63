import { expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { startVendor } from '../connectors/crm/imitations/vendor-server.js';
import { sweep } from '../depth.js';
import { person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

interface Job {
  readonly person: string;
  readonly title: string;
  readonly since: string;
}

/** People and their jobs, in two lists of one system. */
async function openSystem(story: Story) {
  const lists: { people: Row[]; jobs: Job[] } = { people: [], jobs: [] };
  const server = await startVendor({
    answer: ({ path, query }) => {
      const rows = lists[path.slice(1) as keyof typeof lists];
      const [from, size] = [Number(query.get('offset')), Number(query.get('limit'))];
      return { status: 200, body: { rows: rows.slice(from, from + size), total: rows.length } };
    },
    refuse: (status) => ({ status, body: {} }),
  });
  closeAfterTest(server);
  const list = (path: string, key: string, columns: Yaml): Yaml => ({
    ...{ path, key, columns, rows: '/rows', total: '/total' },
    next: { offset: 'offset', limit: 'limit', size: 2 },
  });
  const text = (...names: readonly string[]): Yaml => Object.fromEntries(names.map((name) => [name, 'string']));
  const optional: Yaml = { type: 'string', optional: true };
  story.configure({
    sources: {
      api: {
        type: 'crm',
        base_url: server.url,
        streams: {
          people: list('/people', 'id', {
            ...(text('id', 'first', 'last', 'email', 'country', 'office') as object),
            status: optional,
          }),
          jobs: {
            ...(list('/jobs', 'person', { ...(text('person', 'title') as object), since: 'date' }) as object),
            prefer: 'record.since',
          },
        },
      },
    },
    users: {
      existence: 'api.people',
      enrich: { 'api.jobs': { join: 'api.people.id == api.jobs.person' } },
      leaver: { when: 'api.people.?status.orValue("") == "left"' },
      fields: { title: { en: 'api.jobs.?title' }, name: 'api.people.first + " " + record.last' },
    },
  });
  return { lists, server };
}

test('takes people and jobs from streams over HTTP: several jobs, absence, leavers and returning people', async () => {
  const story = await openStory();
  const { lists } = await openSystem(story);
  lists.people = ['E1', 'E2', 'E3', 'E4', 'E5'].map((id) => person(id));
  lists.jobs = [
    { person: 'E1', title: 'Adviser', since: '2020-01-01' },
    { person: 'E1', title: 'Manager', since: '2024-01-01' },
    { person: 'E2', title: 'Pilot', since: '2020-01-01' },
  ];
  expect((await story.sync()).json.counts).toEqual({ users: { create: 5 } });
  expect(story.user('E1')).toMatchObject({ name: 'Person E1', title: { en: 'Manager' } });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([]);

  lists.people = lists.people.flatMap((one) =>
    one.id === 'E4' ? [] : [{ ...one, ...(one.id === 'E5' && { status: 'left' }) }],
  );
  lists.jobs = [...lists.jobs, { person: 'E2', title: 'Captain', since: '2025-01-01' }];
  expect((await story.sync()).json.counts).toEqual({ users: { update: 1, deactivate: 2 } });
  expect(['E2', 'E4', 'E5'].map((id) => [story.user(id).title.en ?? null, story.user(id).deactivated])).toEqual([
    ['Captain', false],
    [null, true],
    [null, true],
  ]);
  const explained = (await story.type('explain', 'user', 'E1')).stdout;
  expect(explained).toContain('api.jobs jobs:2');
});

test('keeps titles and makes other changes while it cannot read the list of jobs', async () => {
  const story = await openStory();
  const { lists, server } = await openSystem(story);
  lists.people = ['E1', 'E2'].map((id) => person(id));
  lists.jobs = lists.people.map(({ id = '' }) => ({ person: id, title: 'Pilot', since: '2020-01-01' }));
  await story.sync();
  lists.people = [...lists.people.map((one) => ({ ...one, last: `${one.last}-Berg` })), person('E3')];
  server.failNext(403, /jobs/);
  const { json } = await story.sync();
  expect(json.counts).toEqual({ users: { create: 1, update: 2 } });
  expect(story.users().map(({ name, title }) => [name, title.en ?? null])).toEqual([
    ['Person E1-Berg', 'Pilot'],
    ['Person E2-Berg', 'Pilot'],
    ['Person E3', null],
  ]);
});

sweep.each([
  ['api', 'several streams', 'api.people, api.jobs'],
  ['api.peopel', 'there is no stream', '`api.people`'],
])('rejects existence: %s and suggests possible names', async (existence, message, remedy) => {
  const story = await openStory();
  await openSystem(story);
  story.configure({ users: { existence } });
  const { error } = await story.plan();
  const [problem] = (error as unknown as { problems: readonly { message: string; remedy: string }[] }).problems;
  expect(problem?.message).toContain(message);
  expect(problem?.remedy).toContain(remedy);
});
