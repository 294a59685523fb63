import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

async function openPeople(): Promise<Story> {
  const story = await openStory();
  story.deliver([
    person('E1', { first: 'Åse', last: 'Bjørnstad', email: 'ase.b@example.com' }),
    person('E2', { first: 'Jürgen', last: 'Müller', email: 'jm@example.com' }),
    person('E10', { first: 'Jana', last: 'Muller', email: 'jana@example.com' }),
  ]);
  expect((await story.sync()).code).toBe(0);
  return story;
}

sweep('finds people by part of a name or address, ignoring case and accents', async () => {
  const story = await openPeople();
  for (const [who, key] of [
    ['bjornstad', 'E1'],
    ['BJØRN', 'E1'],
    ['ase.b@', 'E1'],
    ['muller jurgen', 'E2'],
    ['jana', 'E10'],
  ])
    expect([who, (await story.explain('user', who ?? '')).json.key]).toEqual([who, key]);
});

sweep('lists several matches as candidates, E2 before E10', async () => {
  const story = await openPeople();
  const { code, error } = await story.explain('user', 'Mull');
  expect(code).toBe(1);
  expect(error).toMatchObject({
    code: 'SYNC_NOT_FOUND',
    message: '2 records match "Mull".',
    problems: [
      { place: 'E2', message: 'Jürgen Müller <jm@example.com>' },
      { place: 'E10', message: 'Jana Muller <jana@example.com>' },
    ],
  });
  expect((await story.explain('user', 'nobody')).error).toMatchObject({ code: 'SYNC_NOT_FOUND' });
});

sweep('shows the start of a joiner whose day is still to come, instead of nothing to do', async () => {
  const story = await openStory();
  story.configure({
    timezone: 'Europe/Oslo',
    sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
    users: { joiner: { start: 'record.?rank', lead: '14d' } },
  });
  story.deliver([person('E1', { rank: '2066-12-24' }), person('E2')]);
  await story.sync();
  const { json } = await story.explain('user', 'E1');
  expect(json.steps).toMatchObject({
    action: null,
    starts: { first_day: '2066-12-24', from: '2066-12-10' },
    // A date stays the same day, though it begins at 23:00 of the previous day in UTC.
    sources: [{ values: { rank: '2066-12-24' } }],
    joiner: { result: { value: '2066-12-24' } },
  });
  const { stdout } = await story.type('explain', 'user', 'E1');
  expect(stdout).toContain('user E1: starts on 2066-12-24');
  expect(stdout).toContain('from 2066-12-10 on');
  expect((await story.type('status')).stdout).toContain('1 joiner, until 2066-12-10');
  expect(stdout).not.toContain('nothing to do');
});

test('shows a short history: the runs in which a person joined, moved and left', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  const joined = (await story.sync()).json.run;
  story.deliver([person('E1', { office: 'Bergen' }), person('E2')]);
  const moved = (await story.sync()).json.run;
  story.deliver([person('E1', { office: 'Bergen', status: 'left' }), person('E2')]);
  const left = (await story.sync()).json.run;
  const { json } = await story.explain('user', 'E1');
  expect(json.steps.history.map(({ what, run, fields }) => [what, run, fields])).toEqual([
    ['left', left, []],
    ['moved', moved, ['office']],
    ['joined', joined, []],
  ]);
  expect((await story.type('explain', 'user', 'E1')).stdout).toContain(`moved: office (${moved})`);
});

sweep('treats equal rows of one key as one row', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2'), person('E1')]);
  for (const full of [false, true, false])
    expect(await story.sync({ full })).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.users()).toHaveLength(2);
  story.deliver([person('E1'), person('E2'), person('E1', { office: 'Bergen' })]);
  expect((await story.sync()).json.held).toMatchObject([{ code: 'SYNC_MAP_DUPLICATE_KEY', key: 'E1' }]);
});

sweep('does not list plan changes outside apply --only as left out', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2'), person('E3')]);
  const { plan } = (await story.plan()).json;
  const { code, stdout } = await story.type('apply', plan, '--only', 'user:E1');
  expect(code).toBe(0);
  expect(stdout).not.toContain('left out');
  expect(story.users()).toHaveLength(1);
});

sweep('reports what the policy leaves unchanged in the run and in explain, and does not call it equal', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.configure({ policy: 'create-only' });
  story.deliver([person('E1', { title: 'Lead' })]);
  expect((await story.type('sync')).stdout).toContain('nothing to create: `policy: create-only` leaves');
  expect((await story.type('explain', 'user', 'E1')).stdout).toContain('nothing: `policy: create-only` leaves');
  story.configure({ policy: 'upsert-only' });
  story.deliver([person('E1', { status: 'left' })]);
  expect((await story.type('explain', 'user', 'E1')).stdout).toContain(
    'nothing: `policy: upsert-only` removes nothing',
  );
});

sweep('calls nothing equal in a run with a conflict, or in an undo', async () => {
  const story = await openStory();
  story.configure({ conflicts: 'hold' });
  story.deliver([person('E1')]);
  await story.sync();
  await story.editUser('E1', { name: 'Another' });
  story.deliver([person('E1', { last: 'Third' })]);
  expect((await story.type('sync')).stdout).toMatch(/1 conflict\n {2}nothing to change\n/);
  const { json } = await story.sync();
  expect((await story.type('undo', json.run, '--reason', 'r')).stdout).not.toContain('equal');
});
