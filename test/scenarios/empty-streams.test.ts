import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { HEADER, HOUR, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';
import { onProject, openStaffing } from './staffing.js';

type Patch = { readonly [key: string]: Yaml };

const ALLOWED = { sources: { lms: { streams: { staffing: { empty: 'allowed' } } } } };

sweep('nobody works on a project yet: exit 4 in every run, and 0 once the stream may be empty', async () => {
  const { story, staffing } = await openStaffing();
  staffing([]);
  await story.sync();
  expect(await story.sync()).toMatchObject({ code: 4, json: { incomplete: [{ source: 'lms.staffing' }] } });
  story.configure(ALLOWED);
  for (let run = 1; run <= 3; run++) {
    staffing([]);
    const { code, json } = await story.sync();
    expect([code, json.counts, 'incomplete' in json]).toEqual([0, {}, false]);
  }
  staffing([onProject('1', 'E1')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { staffing: { create: 1 } } } });
});

/** Tags that are removed once a complete read lacks them. */
const describeTags = (stream: string): Yaml => ({
  from: [stream],
  match: ['external_unique_id'],
  fields: { category: '"unit"', external_unique_id: 'record.id', values: { en: 'record.name' } },
  remove: { after_missing_reads: 1, missing_interval: '0s', grace: '0d' },
});

const UNIT = { values: { en: 'Unit' }, external_unique_id: 'unit', custom_tags: [] };

function tagsOf(story: Story): number {
  const [category] = story.sandbox.state().tag_categories as unknown as readonly { custom_tags: readonly unknown[] }[];
  return category?.custom_tags.length ?? 0;
}

async function openTags(format: 'csv' | 'ndjson', more: Patch = {}) {
  const story = await openStory({ tag_categories: [UNIT] });
  const folder = join(story.folder, 'drop', 'lists');
  mkdirSync(folder, { recursive: true });
  let deliveries = 0;
  const deliver = (ids: readonly string[]): void => {
    const rows = ids.map((id) => (format === 'csv' ? `${id};Name ${id}` : JSON.stringify({ id, name: `Name ${id}` })));
    const lines = format === 'csv' ? ['id;name', ...rows] : rows;
    const text = lines.map((line) => `${line}\n`).join('');
    writeFileSync(join(folder, `units-${++deliveries}.${format}`), text);
  };
  const units = {
    pattern: `units-*.${format}`,
    key: 'id',
    settle: '0s',
    columns: { id: 'string', name: 'string' },
    ...more,
  };
  story.configure({
    sources: { lists: { type: 'crm', drop: './drop/lists', streams: { units } } },
    tags: describeTags('lists.units'),
  });
  story.deliver([person('E1')]);
  return { story, deliver };
}

sweep.each(['csv', 'ndjson'] as const)(
  'counts entries that an empty %s no longer has as missing, under the guards',
  async (format) => {
    const { story, deliver } = await openTags(format, { empty: 'allowed' });
    deliver([]);
    expect((await story.sync()).code).toBe(0);
    deliver(['C1', 'C2']);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { tags: { create: 2 } } } });
    story.configure({ guards: { tags: { delete: { max: 1 } } } });
    for (let run = 1; run <= 2; run++) {
      deliver([]);
      story.clock.advance(HOUR);
      await story.sync();
    }
    deliver([]);
    const { code, json } = await story.sync();
    expect([code, json.guards.map(({ guard, found }) => [guard, found])]).toEqual([3, [['tags.delete', 2]]]);
    expect(tagsOf(story)).toBe(2);
  },
);

sweep('does not treat a missing, truncated or damaged stream as empty, even if it may be', async () => {
  const { story, deliver } = await openTags('csv', { empty: 'allowed' });
  deliver(['C1', 'C2']);
  await story.sync();
  writeFileSync(join(story.folder, 'drop', 'lists', 'units-9.csv'), '');
  expect(await story.sync()).toMatchObject({ code: 1, json: { counts: {}, errors: [{ source: 'lists.units' }] } });
  writeFileSync(join(story.folder, 'drop', 'lists', 'units-9.csv'), 'id;name\n;nobody\n');
  expect(await story.sync()).toMatchObject({ code: 4, json: { counts: {} } });
  expect(tagsOf(story)).toBe(2);
});

test('proves absence by a feed without rows only if the feed proves itself complete', async () => {
  const answer = { rows: [] as readonly object[], total: 0 };
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const story: Story = await openStory({ tag_categories: [UNIT] });
  const units = {
    ...{ path: '/units', rows: '/rows', total: '/total', next: 'none', key: 'id', empty: 'allowed' },
    columns: { id: 'string', name: 'string' },
  };
  story.configure({
    sources: { feed: { type: 'crm', base_url: await listenOnLoopback(server), streams: { units } } },
    tags: describeTags('feed.units'),
  });
  story.deliver([person('E1')]);
  expect((await story.sync()).code).toBe(0);
  Object.assign(answer, { rows: [{ id: 'C1', name: 'One' }], total: 1 });
  await story.sync();
  expect(tagsOf(story)).toBe(1);
  Object.assign(answer, { rows: [], total: 1 });
  story.clock.advance(HOUR);
  expect(await story.sync()).toMatchObject({ code: 4, json: { incomplete: [{ source: 'feed.units' }] } });
  expect(tagsOf(story)).toBe(1);
  Object.assign(answer, { total: 0 });
  story.clock.advance(HOUR);
  await story.sync();
  story.clock.advance(HOUR);
  await story.sync();
  expect(tagsOf(story)).toBe(0);
});

sweep('lets people come from a stream that is empty at first', async () => {
  const story = await openStory({ tag_categories: [UNIT] });
  story.configure({ sources: { hr: { empty: 'allowed' } } });
  story.deliverText(`${HEADER}\n`);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
});
