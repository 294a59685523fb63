import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { expectQuiet } from './quiet.js';
import { DAM, damOf, openRich, textsOf } from './reference-projects.js';

const DAY = 86_400_000;

/** Each way to revoke an undo: what it undid is done again, and its own entry is removed. */
test.each(oneIn(1, [['unpin'], ['undo']] as const))(
  'owns an entry that an undo restored, and removes it once the undo is revoked by %s',
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

const PITCH = { text: 'A dam', text_no: 'En demning' };
/** The earlier texts of a project, and what a run changed in them. */
const MOVED = [
  ['one of two texts is removed', { problems: ['One', 'Two'] }, { problems: ['Two'] }],
  ['all texts are removed', { problems: ['One', 'Two'] }, { problems: [] }],
  ['a text is added', { problems: ['One'] }, { problems: ['One', 'Two'] }],
  ['one of two texts changes', { problems: ['One', 'Two'] }, { problems: ['One', 'Three'] }],
  ['the only text changes', { problems: ['One'] }, { problems: ['Uno'] }],
  ['the text under a label changes', PITCH, { ...PITCH, text: 'The dam' }],
] as const;

/** The project with its texts, and a run that changed some of them and was undone. */
async function openUndone(before: object, after: object) {
  const story = await openRich();
  story.deliverDeals([{ ...DAM, ...before }]);
  await story.sync();
  story.clock.advance(DAY);
  story.deliverDeals([{ ...DAM, ...after }]);
  const { run } = (await story.sync()).json;
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  return { story, run };
}

test.each(oneIn(2, MOVED))('keeps it undone in every run: %s', async (_, before, after) => {
  const { story } = await openUndone(before, after);
  for (let runs = 0; runs < 3; runs++) expect(await expectQuiet(story)).toEqual(['P1 SYNC_UNDONE_PINNED']);
});

sweep(
  'writes an undone list of texts once the source delivers another one, even if the same text is sent',
  async () => {
    const { story } = await openUndone({ problems: ['One', 'Two', 'Three'] }, { problems: ['One', 'Two'] });
    expect(textsOf(story, 'project_challenges')).toEqual(['One', 'Two', 'Three']);
    story.deliverDeals([{ ...DAM, problems: ['One', 'Three'] }]);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [] } });
    expect(textsOf(story, 'project_challenges')).toEqual(['One', 'Three']);
    expect(await expectQuiet(story)).toEqual([]);
  },
);
