import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

const PADDED = ['00012', '00013', '00214', 'a15'];

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver(PADDED.map((id) => person(id)));
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** The same people, with keys as a spreadsheet would rewrite them. */
const rewritten = (write: (id: string) => string): readonly Row[] =>
  PADDED.map((id) => ({ ...person(id), id: write(id) }));

test.each(
  oneIn(2, [
    ['the zeros are cut', (id: string) => id.replace(/^0+/, ''), 3, '"00012" is "12" now'],
    ['small letters have become capitals', (id: string) => id.toUpperCase(), 1, '"a15" is "A15" now'],
    ['numbers have become decimals', (id: string) => id.replace(/^\d+$/, '$&.0'), 3, '"00012" is "00012.0" now'],
    [
      'numbers have a mark for thousands',
      (id: string) => (id === '00214' ? '00,214' : id),
      1,
      '"00214" is "00,214" now',
    ],
    ['only one row is rewritten', (id: string) => (id === '00013' ? '13' : id), 1, '"00013" is "13" now'],
  ]),
)('%s: holds the entire source, and offers no relink', async (_, write, found, example) => {
  const story = await openCompany();
  for (let run = 0; run < 4; run++) {
    story.deliver(rewritten(write));
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 3, json: { counts: {}, done: 0 } });
    expect(ran.json.guards).toMatchObject([
      { guard: expect.stringMatching(/^sources\.hr\.keys_reformatted:/), cause: 'keys reformatted', found },
    ]);
    expect(ran.json.guards[0]?.detail).toContain(example);
  }
  expect(story.takeWrites()).toEqual([]);
  story.deliver(PADDED.map((id) => person(id)));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, guards: [] } });
});

test('moves the links under their own guard after an approval by name and content', async () => {
  const story = await openCompany();
  story.deliver(rewritten((id) => id.replace(/^0+/, '')));
  const { guard = '' } = (await story.sync()).json.guards[0] ?? {};
  await story.approve({ guard, reason: 'the new payroll writes no zeros' });
  expect((await story.sync()).json).toMatchObject({ counts: { users: { relink: 3 } }, done: 3 });
  expect(story.users().some((user) => user.deactivated)).toBe(false);
});

sweep('accepts a joiner whose key resembles an existing one', async () => {
  const story = await openCompany();
  story.deliver([...PADDED.map((id) => person(id)), { ...person('012'), email: 'new@example.com' }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});
