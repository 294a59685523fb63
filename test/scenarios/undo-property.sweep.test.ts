import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tries } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const IDS = ['E1', 'E2', 'E3', 'E4'] as const;

const row = fc.record({
  title: fc.constantFrom('Consultant', 'Lead', 'Partner'),
  phone: fc.constantFrom('1', '2'),
  unit: fc.constantFrom('north', 'south'),
  office: fc.constantFrom('Oslo', 'Bergen'),
  status: fc.constantFrom('', '', 'left'),
});
/** The rows of everyone; E4 may join. */
const delivery = fc.tuple(row, row, row, fc.option(row, { nil: null }));
type Delivery = readonly (Row | null)[];

function deliver(story: Story, rows: Delivery): void {
  story.deliver(IDS.flatMap((id, index) => (rows[index] ? [person(id, rows[index])] : [])));
}

/** The managed fields of the people who existed before. */
function managed(story: Story, of: readonly string[]) {
  return of.map((id) => {
    const { title, telephone, tags, office, deactivated } = story.user(id);
    return { id, title: title.en, telephone, tags, office, deactivated };
  });
}

function listed(story: Story): readonly string[] {
  return story.users().flatMap(({ external_unique_id }) => external_unique_id ?? []);
}

test('restores everything by an undo of any run, then does nothing, and accepts a new value', async () => {
  await fc.assert(
    fc.asyncProperty(delivery, delivery, async (first, second) => {
      const story = await openStory();
      story.configure({
        users: { fields: { tags: { unit: 'record.?unit' }, telephone: 'record.?phone' } },
        guards: { users: { deactivate: { max: 10 }, update: { max: 10 } } },
      });
      deliver(
        story,
        first.map((one) => one && { ...one, status: '' }),
      );
      await story.sync();
      const there = listed(story);
      const before = managed(story, there);
      deliver(story, second);
      const { run, done } = (await story.sync()).json;
      const undone = await story.undo(run);
      expect(undone.json).toMatchObject({ done, failed: [], held: [] });
      expect(managed(story, there)).toEqual(before);
      const joined = listed(story).filter((id) => !there.includes(id));
      expect(joined.map((id) => story.user(id).deactivated)).toEqual(joined.map(() => true));
      story.takeWrites();
      expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, failed: [] } });
      expect(story.takeWrites()).toEqual([]);
      const back = { ...second[0], status: '', title: 'Chief' };
      deliver(story, [back, ...second.slice(1)]);
      await story.sync();
      expect(story.user('E1')).toMatchObject({ title: { en: 'Chief' }, deactivated: false });
    }),
    { numRuns: tries(12), seed: 20_261_121 },
  );
}, 240_000);
