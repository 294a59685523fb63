import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, HOUR, merge, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

const DAY = 24 * HOUR;
const FIELDS = {
  audit: { pseudonymise: true },
  users: { fields: { telephone: 'record.?phone', landline: 'record.?rank', title: { en: 'record.?title' } } },
};

/** A run changes two people, deactivates one and gives a project another owner. The journal has forgotten it by now. */
async function openOld(): Promise<{ readonly story: Story; readonly run: string }> {
  const story = await openStory();
  story.configure(merge(CRM, FIELDS) as typeof FIELDS);
  const deal = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] };
  const others = [person('E2'), person('E3')];
  story.deliver([person('E1', { phone: '+47 1111 1111', title: 'Consultant' }), ...others]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([deal]);
  await story.sync();
  story.deliver([
    person('E1', { phone: '+47 2222 2222', rank: '+47 3333 3333', title: 'Lead' }),
    person('E2'),
    person('E3', { status: 'left' }),
  ]);
  story.deliverDeals([{ ...deal, owners: ['e2@example.com'] }]);
  const { run } = (await story.sync()).json;
  story.clock.advance(91 * DAY);
  await story.sync();
  story.takeWrites();
  return { story, run };
}

test('restores open values, empty ones and people who can be found, and names a value that is lost', async () => {
  const { story, run } = await openOld();
  const undone = await story.undo(run);
  expect(undone.json.held.map(({ key, code, reason }) => `${key} ${code} ${reason}`)).toEqual([
    'E1 SYNC_UNDO_IMPOSSIBLE Person E1 <e1@example.com>: telephone: the audit log has only a pseudonym of the value before, and the journal no longer has the value.',
  ]);
  expect(undone).toMatchObject({
    code: 4,
    json: { done: 3, failed: [], counts: { users: { update: 1, reactivate: 1 }, projects: { update: 1 } } },
  });
  expect(story.takeWrites().filter((call) => call === UPDATE_USER)).toHaveLength(2);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Consultant' }, telephone: '+47 2222 2222' });
  expect(story.user('E1').landline ?? '').toBe('');
  expect(story.user('E3').deactivated).toBe(false);
  expect(story.customers()[0]?.projects[0]?.owners).toEqual(['e1@example.com']);
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('reports a value that others changed since by its pseudonym', async () => {
  const { story, run } = await openOld();
  await story.editUser('E1', { landline: '+47 9999 9999' });
  const undone = await story.undo(run, { only: 'user:E1' });
  const moved = undone.json.held.filter(({ code }) => code === 'SYNC_UNDO_MOVED');
  expect(moved).toHaveLength(1);
  expect(moved[0]?.reason).toMatch(
    /landline has changed since: the run wrote "p_[0-9a-f]{20}" \(null before\), .*9999 9999/,
  );
  expect(story.user('E1')).toMatchObject({ landline: '+47 9999 9999', title: { en: 'Consultant' } });
});
