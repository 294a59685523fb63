import { existsSync, readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story } from './kit.js';

function drop(story: Story, ...path: readonly string[]): string {
  return join(story.folder, 'drop', 'hr', ...path);
}

async function syncTwoDeliveries(after: string): Promise<{ readonly story: Story; readonly files: readonly string[] }> {
  const story = await openStory();
  story.configure({ sources: { hr: { after } } });
  const first = story.deliver([person('E1')]);
  writeFileSync(drop(story, `${first}.done`), '');
  await story.sync();
  const second = story.deliver([person('E1'), person('E2')]);
  return { story, files: [first, second] };
}

sweep('archives used deliveries once a newer one is used, but not in a plan', async () => {
  const { story, files } = await syncTwoDeliveries('archive');
  const [first = '', second = ''] = files;
  await story.plan();
  expect(readdirSync(drop(story)).sort()).toEqual([first, `${first}.done`, second]);
  expect((await story.sync()).code).toBe(0);
  expect(readdirSync(drop(story)).sort()).toEqual(['archive', second]);
  expect(readdirSync(drop(story, 'archive')).sort()).toEqual([first, `${first}.done`]);
  story.takeWrites();
  // The newest file stays, so that the next run has something to read.
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([]);
});

test('deletes used deliveries if configured, but never one that no run has used', async () => {
  const { story, files } = await syncTwoDeliveries('delete');
  const [first = '', second = ''] = files;
  writeFileSync(drop(story, 'employees-00.csv'), 'never read');
  await story.sync();
  expect(existsSync(drop(story, first))).toBe(false);
  expect(readdirSync(drop(story)).sort()).toEqual(['employees-00.csv', second]);
});

sweep('leaves deliveries in place with `after: leave`', async () => {
  const { story, files } = await syncTwoDeliveries('leave');
  await story.sync();
  expect(readdirSync(drop(story))).toEqual(expect.arrayContaining([...files]));
});

sweep('counts the very same delivery once, but the same content again if it is delivered again', async () => {
  const story = await openStory();
  story.configure({
    users: { leaver: { after_missing_reads: 3 } },
    guards: { users: { deactivate: 'off' } },
    sources: { hr: { pattern: '*.csv' } },
  });
  const write = (name: string, text: string, hour: number): void => {
    story.clock.advance(12 * HOUR);
    writeFileSync(drop(story, name), text);
    utimesSync(drop(story, name), (hour * HOUR) / 1000, (hour * HOUR) / 1000);
  };
  const text = (...ids: readonly string[]): string => `${[HEADER, ...ids.map((id) => line(person(id)))].join('\n')}\n`;
  const gone = (): number => story.users().filter(({ deactivated }) => deactivated).length;
  story.deliverText(text('E1', 'E2'));
  await story.sync();
  write('f.csv', text('E1'), 1);
  await story.sync(); // 1
  write('g.csv', text('E1'), 2);
  await story.sync(); // 2: the same content, delivered again
  story.clock.advance(12 * HOUR);
  unlinkSync(drop(story, 'g.csv'));
  await story.sync(); // the first one again
  expect(gone()).toBe(0);
  write('h.csv', text('E1'), 3);
  await story.sync(); // 3
  expect(gone()).toBe(1);
});

sweep('lists bad rows next to the delivery after a run, but not after a plan', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { rejects: 'rejects' } } });
  const file = story.deliverText(`${[HEADER, line(person('E1')), 'E2;too;few'].join('\n')}\n`);
  await story.plan();
  expect(existsSync(drop(story, 'rejects'))).toBe(false);
  await story.sync();
  const [head, row, end] = readFileSync(drop(story, 'rejects', `${file}.rejects.csv`), 'utf8').split('\r\n');
  expect(head).toBe('line,key,code,reason,remedy');
  expect(row).toMatch(/^3,E2,SYNC_ROW_FIELDS,/);
  expect(end).toBe('');
});

sweep('reports a source with the same content for too long', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { stale_after: '7d' } } });
  story.deliver([person('E1')]);
  expect((await story.sync()).json).not.toHaveProperty('stale');
  story.clock.advance(6 * 24 * HOUR);
  expect((await story.sync()).json).not.toHaveProperty('stale');
  // The same content under another name is just as old.
  story.deliver([person('E1')]);
  story.clock.advance(24 * HOUR);
  for (const ran of [await story.plan(), await story.sync()]) {
    expect(ran.json).toMatchObject({ stale: [{ source: 'hr' }] });
  }
  story.deliver([person('E1'), person('E2')]);
  expect((await story.sync()).json).not.toHaveProperty('stale');
});
