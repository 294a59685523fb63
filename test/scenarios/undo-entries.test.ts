import { expect, test } from 'vitest';
import { DAM, damOf, openRich } from './reference-projects.js';

const DAY = 86_400_000;

/** Each way back from an undo: what it undid is done again, and taken off again. */
test.each([['unpin'], ['undo']] as const)(
  'an entry that an undo made again is ours: it goes once the undo is taken back by %s',
  async (back) => {
    const story = await openRich();
    story.deliverDeals([DAM]);
    await story.sync();
    story.clock.advance(DAY);
    story.deliverDeals([{ ...DAM, problems: [] }]);
    const ran = await story.sync();
    expect(damOf(story)).toMatchObject({ project_challenges: [] });
    const undone = await story.undo(ran.json.run);
    expect(damOf(story).project_challenges).toHaveLength(2);
    if (back === 'undo') await story.undo(undone.json.run);
    else expect((await story.undo(undefined, { unpin: 'project:P1' })).code).toBe(0);
    const again = await story.sync({ full: true });
    expect(again.json.held).toEqual([]);
    expect(damOf(story)).toMatchObject({ project_challenges: [] });
  },
);
