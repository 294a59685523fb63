import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HEADER, HOUR, line, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const [anna, berit, carl] = [person('E1'), person('E2'), person('E3')];

/** One read without a person is enough here, so only the edit stands between the row and the deactivation. */
async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver([anna, berit, carl]);
  await story.sync();
  story.takeWrites();
  return story;
}

/** Delivers another file next to the first one; it lacks Carl. */
function deliverOther(story: Story, name: string): void {
  const rows = [anna, berit].map((row) => line(row));
  writeFileSync(join(story.folder, 'drop', 'hr', name), `${[HEADER, ...rows].join('\n')}\n`);
}

const edits: readonly (readonly [what: string, patch: { readonly [key: string]: Yaml }])[] = [
  ['another filter of files', { sources: { hr: { pattern: 'staff-*.csv' } } }],
  ['another separator', { sources: { hr: { pattern: 'staff-*.csv', separator: ';' } } }],
  ['a scope', { sources: { hr: { pattern: 'staff-*.csv' } }, users: { scope: 'record.id != "none"' } }],
];

for (const [what, patch] of oneIn(1, edits)) {
  test(`${what}: holds people who are missing since the edited read, however often the read is repeated`, async () => {
    const story = await openCompany();
    deliverOther(story, 'staff-1.csv');
    story.configure(patch);
    for (const name of ['staff-2.csv', 'staff-3.csv', 'staff-4.csv']) {
      const ran = await story.sync();
      expect(ran.json.guards).toMatchObject([
        { guard: 'users.absent_since_edit', limit: 0, found: 1, held: 1, cause: 'configuration changed' },
      ]);
      deliverOther(story, name);
    }
    expect(story.takeWrites()).toEqual([]);

    await story.approve({ guard: 'users.absent_since_edit', reason: 'he did leave' });
    expect((await story.sync()).json).toMatchObject({ done: 1, guards: [] });
    expect(story.user('E3').deactivated).toBe(true);
  });
}

sweep(
  'another key: everybody is missing under the old ones, matches under the new ones, and nobody leaves',
  async () => {
    const story = await openCompany();
    story.configure({ sources: { hr: { key: 'email' } } });
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 3, json: { counts: { users: { relink: 3 } }, held: [] } });
    expect(ran.json.guards).toMatchObject([
      { guard: 'users.relink', limit: 0, found: 3, held: 3, cause: 'configuration changed' },
    ]);
    expect((await story.sync()).json.guards).toHaveLength(1);
    await story.approve({ guard: 'users.relink', reason: 'the key is the address from now on' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3 } });
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('drops the question once the row is back, and counts a later leaving normally', async () => {
  const story = await openCompany();
  deliverOther(story, 'staff-1.csv');
  story.configure({ sources: { hr: { pattern: '*.csv' } } });
  expect((await story.sync()).json.guards).toHaveLength(1);
  deliverOther(story, 'staff-2.csv');
  const text = readFileSync(join(story.folder, 'drop', 'hr', 'staff-2.csv'), 'utf8');
  writeFileSync(join(story.folder, 'drop', 'hr', 'staff-3.csv'), `${text}${line(carl)}\n`);
  expect((await story.sync()).json).toMatchObject({ counts: {}, guards: [] });
  // The order differs: the same file again would be held as older content.
  const [header, ...rows] = text.trimEnd().split('\n');
  writeFileSync(join(story.folder, 'drop', 'hr', 'staff-4.csv'), `${[header, ...rows.reverse()].join('\n')}\n`);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { deactivate: 1 } }, guards: [] });
  expect(story.user('E3').deactivated).toBe(true);
});

sweep('lists the reads that prove an absence in the plan: file, rows, hash, and time', async () => {
  const story = await openCompany();
  story.configure({ users: { leaver: { after_missing_reads: 2 } } });
  const first = story.deliver([anna, berit]);
  await story.sync();
  // Half a day has not passed, so this read proves nothing.
  story.deliver([anna, berit]);
  await story.sync();
  story.clock.advance(12 * HOUR);
  const second = story.deliver([anna, berit]);
  const { file } = (await story.plan()).json;
  const { evidence } = JSON.parse(readFileSync(file, 'utf8')) as {
    evidence: { absence: readonly { reads: readonly { at: string }[] }[] };
  };
  const [proof] = evidence.absence;
  expect(evidence.absence).toMatchObject([{ entity: 'users', source: 'hr', count: 1 }]);
  expect(proof?.reads.map(({ at }) => at.replace(/^.*\//, ''))).toEqual([first, second]);
  expect(proof?.reads).toMatchObject([
    { rows: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/), read_at: expect.stringMatching(/^20\d\d-/) },
    { rows: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/), read_at: null },
  ]);
  // Nobody is absent, so nothing needs a proof.
  story.deliver([anna, berit, carl]);
  expect(readFileSync((await story.plan()).json.file, 'utf8')).not.toContain('"absence"');
});
