import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, line, merge, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 86_400_000;
const START = Math.floor(Date.now() / DAY) * DAY - 30 * DAY;

/** Writes a file that arrived on the day with that number. */
function put(story: Story, name: string, day: number, rows: readonly Row[]): void {
  const path = join(story.folder, 'drop/hr', name);
  writeFileSync(path, `${[HEADER, ...rows.map(line)].join('\n')}\n`);
  const at = new Date(START + day * DAY);
  utimesSync(path, at, at);
}

async function openTurnOfTheYear(newest?: Yaml): Promise<Story> {
  const story = await openStory();
  const hr = { pattern: 'employees-*.csv', ...(newest === undefined ? {} : { newest }) };
  story.configure(merge({}, { sources: { hr } }) as { [key: string]: Yaml });
  // Creates the folder.
  story.deliver([person('E1')]);
  put(story, 'employees-01.csv', 0, [person('E1')]);
  put(story, 'employees-31-12-2026.csv', 1, [person('E1'), person('E2')]);
  expect((await story.sync()).code).toBe(0);
  put(story, 'employees-01-01-2027.csv', 2, [person('E1'), person('E2'), person('E3')]);
  return story;
}

test('reports a file that came later but sorts before the active one, and does not read it', async () => {
  const story = await openTurnOfTheYear();
  const overlooked = [
    {
      source: 'hr',
      in_use: expect.stringContaining('employees-31-12-2026.csv'),
      at: expect.stringContaining('employees-01-01-2027.csv'),
      arrived: new Date(START + 2 * DAY).toISOString(),
      files: 1,
    },
  ];
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, overlooked } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { overlooked } });
  expect(await story.status()).toMatchObject({ code: 0, json: { overlooked } });
  for (const command of ['plan', 'check', 'status', 'sync']) {
    const { stdout } = await story.type(command);
    expect(stdout.replaceAll(/\s+/g, ' '), command).toMatch(/employees-01-01-2027\.csv came later/);
  }
  expect(story.users()).toHaveLength(2);
});

sweep('shows a newer file that nearly matches the pattern, and does not read it', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { pattern: 'employees-* AM.csv' } } });
  // Creates the folder.
  story.deliver([person('E1')]);
  put(story, 'employees-01.csv', 0, [person('E1')]);
  put(story, 'employees-1 9_00 AM.csv', 0, [person('E1')]);
  expect((await story.sync()).code).toBe(0);
  put(story, 'employees-2 3_42 PM.csv', 2, [person('E1'), person('E2')]);
  const found = [
    { source: 'hr', at: expect.stringContaining('employees-2 3_42 PM.csv'), pattern: 'employees-* AM.csv' },
  ];
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, overlooked: found } });
  for (const command of ['plan', 'check', 'status', 'sync']) {
    const { stdout } = await story.type(command);
    expect(stdout.replaceAll(/\s+/g, ' '), command).toMatch(
      /2 3_42 PM\.csv came later .* does not match employees-\* AM\.csv/,
    );
  }
  expect(story.users()).toHaveLength(1);
});

sweep.each(['modified', { date: 'dd-MM-yyyy' }] as const)('reads the newest file by newest: %j', async (newest) => {
  const story = await openTurnOfTheYear(newest);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } } } });
  expect(ran.json).not.toHaveProperty('overlooked');
  expect(story.users()).toHaveLength(3);
});

sweep('shows nothing on ordinary days, for used files and older ones', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  put(story, 'employees-01.csv', 0, [person('E1')]);
  for (const day of [2, 3]) {
    put(story, `employees-0${day}.csv`, day, [person('E1')]);
    const ran = await story.sync();
    expect(ran.code).toBe(0);
    expect(ran.json).not.toHaveProperty('overlooked');
  }
  // A correction under yesterday's name arrives after today's file was made, and is read before it.
  put(story, 'employees-04.csv', 5, [person('E1')]);
  await story.sync();
  put(story, 'employees-05.csv', 4, [person('E1')]);
  expect((await story.plan()).json).not.toHaveProperty('overlooked');
});

sweep('rejects an unknown date format when the configuration loads', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { newest: { date: 'DD-MM' } } } });
  story.deliver([person('E1')]);
  expect(await story.plan()).toMatchObject({ code: 1, json: { error: { code: 'SYNC_CONFIG_INVALID' } } });
});
