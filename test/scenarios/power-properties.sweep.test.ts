import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tries } from '../depth.js';
import { person } from './company.js';
import { openStory } from './kit.js';

const IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'] as const;
const WORDS = ['', '', 'bidmanager', 'referencemanager', 'countrymanager', 'internationalmanager', 'external'] as const;
const PLAIN: readonly string[] = ['consultant', 'external'];
/** More people than this need an approval to get other roles than these two. */
const LARGE: readonly string[] = ['countrymanager', 'internationalmanager'];
const MOST = 3;

const ROLES =
  'record.?role.orValue("") in ["external", "internationalmanager"] ? [record.?role.orValue("")] : record.?role.orValue("") == "" ? ["consultant"] : ["consultant", record.?role.orValue("")]';

/**
 * One edit of HR: cells of roles, some of them pasted over, and the people who exist; then the person approved, if any.
 */
const step = fc.record({
  roles: fc.array(fc.constantFrom(...WORDS), { minLength: IDS.length, maxLength: IDS.length }),
  gone: fc.subarray([...IDS], { maxLength: 1 }),
  approves: fc.constantFrom('', '', ...IDS),
});

test('grants no large role without an approval, and at most three smaller ones a day, whatever the cells say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      const boss = {
        country: 'no',
        office: 'Oslo',
        email: 'boss@example.com',
        name: 'Boss',
        roles: ['internationalmanager' as const],
      };
      const story = await openStory({ users: [boss] });
      // Other guards limit how many people leave.
      const off = { deactivate: 'off', reactivate: 'off', create: 'off', update: 'off', fields: { '*': 'off' } };
      story.configure({ users: { fields: { roles: ROLES } }, guards: { users: off } });
      const approved = new Set<string>();
      const risen = new Set<string>();
      for (const { roles, gone, approves } of steps) {
        story.deliver(
          IDS.filter((id) => !gone.includes(id)).map((id) => person(id, { role: roles[IDS.indexOf(id)] ?? '' })),
        );
        const before = new Map(story.users().map((user) => [user.external_unique_id, new Set(user.roles)]));
        await story.sync();
        for (const user of story.users()) {
          const id = user.external_unique_id ?? '';
          // A role that the source revokes no longer counts (docs/reference/guards.md).
          if (user.roles.every((role) => PLAIN.includes(role))) risen.delete(id);
          const gained = user.deactivated
            ? []
            : user.roles.filter((role) => !PLAIN.includes(role) && before.get(id)?.has(role) !== true);
          if (id === '' || gained.length === 0 || approved.has(id)) continue;
          expect([id, gained.filter((role) => LARGE.includes(role))]).toEqual([id, []]);
          risen.add(id);
        }
        expect(risen.size).toBeLessThanOrEqual(MOST);
        if (approves === '') continue;
        const { code } = await story.approve({ who: `user:${approves}`, reason: 'seen' });
        if (code === 0) approved.add(approves);
      }
      // Nothing is written twice, and held changes stay held.
      story.takeWrites();
      await story.sync();
      const left = story.takeWrites().length;
      await story.sync();
      expect([left <= approved.size, story.takeWrites()]).toEqual([true, []]);
    }),
    { numRuns: tries(12), seed: 38, endOnFailure: true },
  );
}, 300_000);
