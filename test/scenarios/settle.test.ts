import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, line, merge, person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const PEOPLE = Array.from({ length: 6 }, (_, index) => person(`E${index + 1}`));

async function openCompany(settle = '60s'): Promise<Story> {
  const story = await openStory();
  story.deliver(PEOPLE);
  expect((await story.sync()).code).toBe(0);
  story.configure(merge({ sources: { hr: { settle } } }, { guards: { users: { deactivate: 'off' } } }) as never);
  story.takeWrites();
  return story;
}

function put(story: Story, name: string, rows: readonly Row[]): void {
  writeFileSync(join(story.folder, 'drop/hr', name), `${[HEADER, ...rows.map(line)].join('\n')}\n`);
}

function countLeft(story: Story): number {
  return story.users().filter(({ deactivated }) => deactivated).length;
}

test('an upload that stalls at the end of a row is not read: the command says which file, and for how long it waits', async () => {
  const story = await openCompany();
  put(story, 'employees-9.csv', PEOPLE.slice(0, 3));
  const sleep = story.clock.sleep;
  const slept: number[] = [];
  story.clock.sleep = async (ms, signal) => {
    if (ms > 30_000) {
      slept.push(ms);
      // The upload continues while the command waits.
      put(story, 'employees-9.csv', PEOPLE.slice(0, 5));
    }
    await sleep(ms, signal);
  };
  const { code, stdout, stderr } = await story.type('sync', '--json');
  expect(code).toBe(1);
  expect(slept).toHaveLength(1);
  expect(stderr).toMatch(/Waiting \d+ s for .*employees-9\.csv \(hr\)/);
  expect(JSON.parse(stdout)).toMatchObject({
    errors: [
      { source: 'hr', error: { code: 'SYNC_SOURCE_UNSETTLED', place: expect.stringContaining('employees-9.csv') } },
    ],
  });
  expect([story.takeWrites(), countLeft(story)]).toEqual([[], 0]);
  story.clock.sleep = sleep;
  put(story, 'employees-9.csv', PEOPLE);
  expect((await story.sync()).code).toBe(0);
  expect([story.takeWrites(), countLeft(story)]).toEqual([[], 0]);
});

sweep('reads an unchanged file after `settle`, and later without waiting', async () => {
  const story = await openCompany();
  put(story, 'employees-9.csv', [...PEOPLE, person('E7')]);
  const first = await story.type('plan', '--json');
  expect([first.code, first.stderr.includes('Waiting')]).toEqual([0, true]);
  const second = await story.type('sync', '--json');
  expect([second.code, second.stderr]).toEqual([0, '']);
});

sweep('does not wait for a settle of minutes: it says when to come back, and has then seen the file', async () => {
  const story = await openCompany('15m');
  put(story, 'employees-9.csv', [...PEOPLE, person('E7')]);
  const early = await story.plan();
  expect(early).toMatchObject({ code: 1, json: { error: { code: 'SYNC_SOURCE_UNSETTLED' } } });
  expect(early.json.errors?.[0]?.error.message).toContain('15 min');
  story.clock.advance(15 * 60_000);
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } } } });
});

sweep(
  'does not wait for a file with a complete trailer, and only postpones a young one that is truncated',
  async () => {
    const story = await openCompany();
    story.configure({ sources: { hr: { trailer: { first_cell: 'TRAILER' } } } });
    const text = (rows: readonly Row[], trailer: string): string =>
      `${[HEADER, ...rows.map(line), trailer].join('\n')}\n`;
    writeFileSync(join(story.folder, 'drop/hr', 'employees-9.csv'), text(PEOPLE, 'TRAILER;6'));
    expect(await story.type('plan')).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(join(story.folder, 'drop/hr', 'employees-9.csv'), text(PEOPLE.slice(1), '').trimEnd());
    expect(await story.plan()).toMatchObject({ code: 1, json: { error: { code: 'SYNC_SOURCE_UNSETTLED' } } });
    story.clock.advance(120_000);
    expect(await story.plan()).toMatchObject({ code: 1, json: { error: { code: 'SYNC_SOURCE_CUT' } } });
  },
);
