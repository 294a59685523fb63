import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';
import { killAtWrite } from './program.js';

const IDS = ['E1', 'E2', 'E3'] as const;

/** Three people whose titles a run changed, and that run. */
async function openChanged(): Promise<{ readonly story: Story; readonly run: string }> {
  const story = await openStory();
  story.configure({ service: { rate_limit: { concurrency: 1 } } });
  story.deliver(IDS.map((id) => person(id, { title: 'Consultant' })));
  await story.sync();
  story.deliver(IDS.map((id) => person(id, { title: 'Lead' })));
  const { run } = (await story.sync()).json;
  story.takeWrites();
  return { story, run };
}

function titles(story: Story): readonly (string | undefined)[] {
  return IDS.map((id) => story.user(id).title.en);
}

test('sends nothing with --plan; apply carries out what is still derived of it', async () => {
  const { story, run } = await openChanged();
  const plan = await story.planUndo(run);
  expect(plan.json).toMatchObject({ undoes: run, counts: { users: { update: 3 } }, cost: { writes: 3 } });
  expect(story.takeWrites()).toEqual([]);
  await story.editUser('E2', { title: { en: 'Chief' } });
  // A field that no mapping manages changes: the planned change is still the same.
  await story.editUser('E1', { telephone: '99', title: { en: 'Lead', no: 'Leder' } });
  const ran = await story.apply(plan.json.plan);
  expect(ran).toMatchObject({
    code: 4,
    json: { plan: plan.json.plan, undoes: run, done: 2, held: [{ code: 'SYNC_UNDO_MOVED' }] },
  });
  expect(ran.json.left_out).toMatchObject([{ because: 'no longer derived' }]);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(titles(story)).toEqual(['Consultant', 'Chief', 'Consultant']);
  expect(story.user('E1').title.no).toBe('Leder');
});

sweep('counts an undo in the guards, and releases it after an approval, by the plan or another undo', async () => {
  const { story, run } = await openChanged();
  story.configure({ guards: { users: { update: { max: 1 } } } });
  const first = await story.undo(run);
  expect(first).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.update', found: 3, cause: 'undo' }] },
  });
  expect(story.takeWrites()).toEqual([]);
  await story.approve({ guard: 'users.update', reason: 'wrong file' });
  expect(await story.apply(first.json.plan)).toMatchObject({ code: 0, json: { done: 3 } });
  expect(titles(story)).toEqual(['Consultant', 'Consultant', 'Consultant']);
});

sweep('keeps a saved plan valid although a language of others has changed since', async () => {
  const { story } = await openChanged();
  story.deliver(IDS.map((id) => person(id, { title: 'Partner' })));
  const plan = await story.plan();
  await story.editUser('E1', { title: { en: 'Lead', no: 'Leder' }, telephone: '99' });
  story.clock.advance(HOUR);
  expect((await story.apply(plan.json.plan)).json).toMatchObject({ done: 3, left_out: [] });
  expect(story.user('E1')).toMatchObject({ title: { en: 'Partner', no: 'Leder' }, telephone: '99' });
});

sweep.each(['before', 'after'] as const)(
  'completes an undo that was killed at the second write, %s the service carried it out, when run again',
  async (moment) => {
    const { story, run } = await openChanged();
    const gate = await killAtWrite(story, 2, moment, ['undo', run]);
    expect((await story.status()).json.open_intents).toBe(1);
    expect((await story.undo(run)).code).toBe(0);
    expect(gate.writes()).toBe(moment === 'after' ? 3 : 4);
    expect(titles(story)).toEqual(['Consultant', 'Consultant', 'Consultant']);
    story.takeWrites();
    // Changes that the killed process had begun are pinned too.
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [{}, {}, {}] } });
    expect(story.takeWrites()).toEqual([]);
    expect((await story.verify()).json.ok).toBe(true);
  },
);
