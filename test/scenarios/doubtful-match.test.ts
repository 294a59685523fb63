import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** HR has given E1 an address that belongs to the account of another number, X9. */
function openReused(deactivated = false, name = 'Old Colleague'): Promise<Story> {
  const place = { country: 'no', office: 'Oslo' };
  return openStory({
    users: [{ ...place, email: 'e1@example.com', name, external_unique_id: 'X9', deactivated }],
  });
}

test.each(
  oneIn(1, [
    ['active', false],
    ['deactivated', true],
  ]),
)(
  'holds an e-mail match with the %s account of another number, with both numbers, and writes nothing',
  async (_, gone) => {
    const story = await openReused(gone);
    story.deliver([person('E1'), person('E2')]);
    for (let run = 0; run < 2; run++) {
      const ran = await story.sync();
      expect(ran.code).toBe(4);
      expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MATCH_DOUBTFUL']);
      expect(ran.json.held[0]?.reason).toMatch(/"E1".*"X9"/);
    }
    expect(story.takeWrites()).toEqual([CREATE_USER]);
    expect(story.user('X9')).toMatchObject({ name: 'Old Colleague', deactivated: gone });
    expect((await story.status()).json.links.users).toBe(1);
  },
);

test('matches a person by e-mail alone if so configured and the name agrees, and writes the number from HR', async () => {
  const story = await openReused(false, 'E1, Person');
  story.configure({ users: { match: ['email'] } });
  story.deliver([person('E1')]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.users()).toMatchObject([{ external_unique_id: 'E1', name: 'Person E1', email: 'e1@example.com' }]);
});

test('asks about a match by e-mail alone if the account has another name and another number', async () => {
  const story = await openReused();
  story.configure({ users: { match: ['email'] } });
  story.deliver([person('E1')]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([3, ['E1 SYNC_OTHER_PERSON']]);
  expect(ran.json.held[0]?.reason).toContain('another external id (E1 in the source, X9 in the service)');
  expect(story.takeWrites()).toEqual([]);
});
