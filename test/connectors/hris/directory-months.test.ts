import { describe, expect, it } from 'vitest';
import { createRandom } from '../../campaign/random.js';
import { oneIn, SEEDS, sweep } from '../../depth.js';
import { liveThrough } from './directory-months.js';
import { DIRECTORIES, openEntra, openGoogle, passMinutes } from './open-directory.js';

/** A quick run has a month with few people: directories.test.ts covers more than one page. */
const TRIED = oneIn(10, SEEDS, 2);

describe.each([
  ...DIRECTORIES,
  [
    'Entra ID, with only the changed properties',
    (count: number) => openEntra(count, { isMinimal: true, deltaPage: 3 }),
  ],
] as const)('%s', (_, open) => {
  it.each(TRIED)('lives through month %i without a wrong leaver', async (seed) => {
    await liveThrough(await open(seed % 8 === 7 ? 1_010 : 12), createRandom(seed));
  });

  sweep.each(SEEDS)('takes none of 10,000 people for a leaver in month %i', async (seed) => {
    await liveThrough(await open(10_000), createRandom(seed));
  });
});

const MANY = 10_300;

/** These numbers are in the table of docs/guides/hr-systems.md. */
it.each(
  oneIn(1, [
    ['Entra ID', openEntra, { whole: 12, quiet: 1 }],
    ['Google Workspace', openGoogle, { whole: 22, quiet: 22 }],
  ]),
)('makes for %s the number of requests that its page promises', async (_, open, { whole, quiet }) => {
  const directory = await open(MANY);
  const first = await directory.feed.read();
  directory.rename(directory.ids[3] ?? '', 'renamed');
  passMinutes(directory, 30);
  const second = await directory.feed.read();
  expect([first.people.size, first.asked, second.people.size, second.asked]).toEqual([MANY, whole, MANY, quiet]);
  expect(second.people.get(directory.ids[3] ?? '')?.first_name).toBe('renamed');
});
