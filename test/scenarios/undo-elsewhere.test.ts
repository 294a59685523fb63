import { expect, test } from 'vitest';
import { APPROVE } from '../../src/operations/approve.js';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openWorking, withoutTimes } from './elsewhere.js';
import type { Story } from './kit.js';

const active = (story: Story): readonly string[] =>
  story.users().flatMap(({ deactivated, external_unique_id: key }) => (deactivated ? [] : [String(key)]));
const WHY = ['--yes', '--reason', 'wrong file'];

test('shows the plan of an undo, carries it out once it is confirmed, and says what the command next to the state says', async () => {
  const { here, there, story } = await openWorking();
  const [, run] = (await story.runs()).json.runs.map(({ id }) => id);
  const undo = ['undo', run ?? ''];
  story.takeWrites();
  expect((await there('approver', ...undo)).stderr).toContain('This needs the role operator');
  const [local, plan] = [await here(...undo, '--plan'), await there('operator', ...undo)];
  const [shown, offer] = plan.stdout.split('\nNothing was written. To carry it out:\n');
  expect([plan.code, withoutTimes(`${shown}`)]).toEqual([0, withoutTimes(local.stdout)]);
  expect(offer).toMatch(/^ {2}talent-sync undo p\S+ --yes --reason "…" --daemon http:\S+\n$/);
  const json = JSON.parse((await there('operator', ...undo, '--plan', '--json')).stdout);
  expect(json).toMatchObject({ undoes: run, counts: { users: { deactivate: 2 } } });
  const none = await there('operator', ...undo, '--yes');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('A reason is required.')]);
  expect((await there('operator', 'undo', json.plan)).stderr).toContain('This is the id of a plan, not of a run.');
  expect([story.takeWrites(), active(story)]).toEqual([[], ['E1', 'E2']]);

  const one = await there('operator', ...undo, '--only', 'user:E2', ...WHY, '--json');
  expect([one.code, JSON.parse(one.stdout)]).toMatchObject([0, { undoes: run, done: 1 }]);
  expect(active(story)).toEqual(['E1']);
  const rest = await there('operator', ...undo, ...WHY);
  expect([rest.code, rest.stdout]).toEqual([0, expect.stringMatching(/undoes run[\s\S]*\nRun r\S+: 1 change done/)]);
  expect(active(story)).toEqual([]);
  const { entries } = JSON.parse((await here('audit', 'list', '--json', '--kind', 'changes')).stdout);
  expect(entries.at(-1).cause.kind).toBe('undone');
  expect(JSON.stringify(entries.at(-1))).toContain('wrong file');

  const released = await there('approver', 'undo', '--unpin', 'user:E1', '--reason', 'was right');
  expect([released.code, released.stdout]).toEqual([
    0,
    expect.stringContaining('Removed 1 pin of users:E1: existence'),
  ]);
  expect((await there('approver', 'undo', '--unpin', 'user:E2')).stderr).toContain('A reason is required.');
  expect((await there('viewer', 'undo', '--unpin', 'user:E2', '--reason', 'x')).stderr).toMatch(/role approver/);
});

test('takes a second person, who names the plan of the first, where the run took two', async () => {
  const fourEyes = {
    approvals: { four_eyes: true },
    guards: { users: { create: { max: 0 }, deactivate: { max: 9 } } },
  };
  const { there, story, daemon } = await openWorking(fourEyes);
  story.deliver([person('E1'), person('E2'), person('E6')]);
  await story.sync();
  const config = daemon.configOf('talent-sync');
  if (config === null) throw new Error('it has no configuration');
  for (const by of ['kim@example.com', 'jane@example.com'])
    await APPROVE.perform({ config, clock: story.clock, by, via: 'person' }, { guard: 'users.create', reason: 'new' });
  const { run } = (await story.sync()).json;
  expect(active(story)).toEqual(['E1', 'E2', 'E6']);

  const first = await there('operator', 'undo', run, ...WHY);
  expect([first.code, first.stdout]).toEqual([3, expect.stringContaining('as the first of two people')]);
  const plan = /talent-sync undo (p\S+) --yes/.exec(first.stdout)?.[1] ?? '';
  expect((await there('operator', 'undo', plan, ...WHY)).stderr).toContain('SYNC_APPROVAL_SECOND');
  expect(active(story)).toEqual(['E1', 'E2', 'E6']);
  const second = await there('veiled', 'undo', plan, ...WHY);
  expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(/^Run r\S+: 1 change done/)]);
  expect(active(story)).toEqual(['E1', 'E2']);
});

sweep('a run that nobody knows is said as the command next to the state says it', async () => {
  const { here, there } = await openWorking();
  const words = ['undo', 'r1', '--plan'];
  expect(await there('operator', ...words)).toEqual(await here(...words));
  for (const odd of ['..%2fx', 'a b'])
    expect((await there('operator', 'undo', odd)).stderr).toMatch(/SYNC_WEB_REFUSED/);
});
