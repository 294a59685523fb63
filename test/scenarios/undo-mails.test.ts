import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { DELETE_SECTION, LINK } from './cvs.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';
import { onProject, openStaffing } from './staffing.js';

test('counts e-mails of links in the plan, reports in an undo that people got them, and sends no more', async () => {
  const { story, staffing } = await openStaffing();
  story.configure({ notify_people: { staffing: true } });
  staffing([]);
  await story.sync();
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2')]);
  const plan = await story.plan();
  expect(plan.json.cost).toMatchObject({ writes: 2, mails: 2 });
  expect((await story.type('plan')).stdout).toContain('The service e-mails 2 people (`notify_people`)');
  const { run } = (await story.sync()).json;
  expect(story.sandbox.state().mails).toHaveLength(2);
  expect((await story.audit()).filter(({ entity }) => entity === 'staffing')).toMatchObject([
    { mailed: true },
    { mailed: true },
  ]);
  story.takeWrites();

  const undo = await story.planUndo(run);
  expect(undo.json.cost).toEqual(expect.not.objectContaining({ mails: expect.anything() }));
  const undone = await story.undo(run);
  // The undo reports this, but without an error: exit code 0.
  expect(undone).toMatchObject({
    code: 0,
    json: {
      done: 2,
      held: [
        { entity: 'staffing', key: 'p1/e1', code: 'SYNC_UNDO_SENT' },
        { entity: 'staffing', key: 'p1/e2', code: 'SYNC_UNDO_SENT' },
      ],
    },
  });
  expect(undone.json.held[0]?.reason).toContain('The service sent the person an e-mail');
  expect(story.takeWrites()).toEqual([DELETE_SECTION, DELETE_SECTION]);

  // An undo of the undo links both again by one call, and sends them nothing.
  const again = await story.undo(undone.json.run);
  expect(again).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites().filter((call) => call === LINK)).toEqual([LINK]);
  expect(story.sandbox.state().mails).toHaveLength(2);
});

sweep('cannot unsend an invitation or a message to a returning person, but undoes the change itself', async () => {
  const story = await openStory();
  story.configure({ notify_people: { create: true, reactivate: true } });
  story.deliver([person('E1')]);
  await story.sync();
  story.deliver([person('E1', { status: 'left' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1'), person('E2')]);
  expect((await story.plan()).json.cost).toMatchObject({ writes: 2, mails: 2 });
  const { run } = (await story.sync()).json;
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  const mails = story.sandbox.state().mails;
  expect(mails.map((mail) => (mail as { readonly reason: string }).reason).sort()).toEqual([
    'created',
    'created',
    'reactivated',
  ]);
  const undone = await story.undo(run);
  expect(undone).toMatchObject({
    code: 0,
    json: {
      counts: { users: { deactivate: 2 } },
      held: [
        { key: 'E1', code: 'SYNC_UNDO_SENT' },
        { key: 'E2', code: 'SYNC_UNDO_SENT' },
      ],
    },
  });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  // The undo brings them back without an e-mail, so nothing is impossible to undo.
  expect(await story.undo(undone.json.run)).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.sandbox.state().mails).toEqual(mails);
});
