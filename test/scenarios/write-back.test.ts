import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep, tries } from '../depth.js';
import { person, type Row, type Yaml } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

const FIELDS: Yaml = {
  external_unique_id: 'record.id',
  email: 'record.email',
  name: 'record.first + " " + record.last',
  office: { country: 'record.country', name: 'record.office' },
  telephone: { value: 'record.?phone', authority: 'service', write_back: true },
};

/** HR accepts telephone numbers, and the ids of accounts in a column that its export does not show. */
async function openBoth(
  users: { readonly [key: string]: Yaml } = {},
  back: { readonly [key: string]: Yaml } = {},
): Promise<Story> {
  const story = await openStory();
  mkdirSync(join(story.folder, 'drop', 'to-hr'), { recursive: true });
  story.configure({
    sources: { hr: { write_back: { drop: './drop/to-hr', ...back } } },
    users: { fields: FIELDS, write_back: { hr: { talent_id: 'user.id' } }, ...users },
  });
  return story;
}

async function idOf(story: Story, key: string): Promise<string> {
  const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${key}`);
  return (found as { readonly id: string }).id;
}

/** The values written back to HR, file by file, as lines. */
function deliveries(story: Story): readonly (readonly string[])[] {
  const folder = join(story.folder, 'drop', 'to-hr');
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim().split(/\r?\n/));
}

sweep('writes the ids of new joiners back to HR once, in the run that creates them', async () => {
  const story = await openBoth();
  story.deliver([person('E1', { phone: '1' }), person('E2')]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({
    to_sources: { hr: { records: 2, cells: 2 } },
    cost: { sources: { hr: { file: 1 } } },
  });
  const first = await story.sync();
  expect(first.code).toBe(0);
  expect(first.json).toMatchObject({ to_sources: { hr: 2 } });
  const ids = await Promise.all(['E1', 'E2'].map((key) => idOf(story, key)));
  expect(deliveries(story)).toEqual([['id;phone;talent_id', `E1;1;${ids[0]}`, `E2;;${ids[1]}`]]);
  for (let run = 0; run < 3; run++) {
    const again = await story.sync();
    expect(again.json).not.toHaveProperty('to_sources');
  }
  expect(deliveries(story)).toHaveLength(1);
});

test("writes a colleague's change back to HR once, and ignores its echo", async () => {
  const story = await openBoth();
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.takeWrites();
  const told = await story.sync();
  expect(told.json).toMatchObject({ to_sources: { hr: 1 } });
  expect(deliveries(story)[1]?.[1]).toMatch(/^E1;2;/);
  for (let run = 0; run < tries(5); run++) await story.sync();
  story.deliver([person('E1', { phone: '2' })]);
  for (let run = 0; run < tries(10); run++) expect((await story.sync()).code).toBe(0);
  expect(deliveries(story)).toHaveLength(2);
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
});

sweep(
  'accepts a number that HR stores in its own form, counts it as a near miss, and does not send it again',
  async () => {
    const story = await openBoth();
    story.deliver([person('E1', { phone: '1' })]);
    await story.sync();
    await story.editUser('E1', { telephone: '+47 22 33 44' });
    await story.sync();
    story.takeWrites();
    story.deliver([person('E1', { phone: '+47223344' })]);
    const near = await story.sync();
    expect(near.json.near_misses).toBe(1);
    for (let run = 0; run < 3; run++) await story.sync();
    expect(deliveries(story)).toHaveLength(2);
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('sends a value that HR never shows again when it lapses', async () => {
  const story = await openBoth({}, { lapse: '2d' });
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  story.clock.advance(86_400_000);
  await story.sync();
  expect(deliveries(story)).toHaveLength(2);
  story.clock.advance(2 * 86_400_000);
  await story.sync();
  expect(deliveries(story)).toHaveLength(3);
});

sweep('freezes and reports a value after HR has replaced it three times', async () => {
  const story = await openBoth();
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  for (const phone of ['3', '4', '5', '6']) {
    story.deliver([person('E1', { phone })]);
    await story.sync();
  }
  const end = await story.sync();
  expect(deliveries(story)).toHaveLength(4);
  expect(summarise(end.json.held)).toEqual(['E1 SYNC_WRITE_BACK_FROZEN']);
});

interface Both {
  readonly users: { readonly [key: string]: Yaml };
  readonly conflicts?: string;
}

async function changeBoth(
  { users, conflicts }: Both,
  hr: Row = { phone: '3' },
): Promise<{ story: Story; code: number; held: readonly string[] }> {
  const story = await openBoth(users);
  if (conflicts !== undefined) story.configure({ conflicts });
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.deliver([person('E1', hr)]);
  const ran = await story.sync();
  return { story, code: ran.code, held: ran.json.conflicts.map(({ conflict }) => conflict ?? '') };
}

sweep('prefers the owner when both sides change the same field', async () => {
  const { story, held } = await changeBoth({ users: {} });
  expect(held).toEqual([]);
  expect(deliveries(story)[1]?.[1]).toMatch(/^E1;2;/);
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
});

sweep('prefers the source under conflicts: source, even for a field that the service owns', async () => {
  const { story } = await changeBoth({ users: {}, conflicts: 'source' });
  expect(deliveries(story)).toHaveLength(1);
  expect(story.user('E1')).toMatchObject({ telephone: '3' });
});

sweep('holds a conflict under conflicts: hold, and carries out the decision once', async () => {
  const { story, code, held } = await changeBoth({ users: {}, conflicts: 'hold' });
  expect(code).toBe(3);
  expect(held).toHaveLength(1);
  expect(deliveries(story)).toHaveLength(1);
  const listed = await story.type('holds', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ holds: [{ id: held[0], code: 'SYNC_CONFLICT', key: 'E1' }] });
  const shown = await story.type('holds', 'show', held[0] ?? '');
  expect(shown.stdout).toContain('"2"');
  // A person may change the decision until a run carries it out.
  for (const side of ['source', 'service'] as const) {
    const resolved = await story.type('holds', 'resolve', held[0] ?? '', '--take', side, '--reason', 'asked her');
    expect(resolved.code).toBe(0);
  }
  await story.sync();
  expect(deliveries(story)[1]?.[1]).toMatch(/^E1;2;/);
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
  const after = await story.type('holds', 'list', '--json');
  expect(JSON.parse(after.stdout)).toMatchObject({ holds: [] });
});

sweep('sends other fields of one record in their own directions in one run', async () => {
  const story = await openBoth();
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.takeWrites();
  story.deliver([person('E1', { phone: '1', last: 'Married' })]);
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({ users: { update: 1 } });
  expect(story.takeWrites()).toHaveLength(1);
  expect(story.user('E1')).toMatchObject({ telephone: '2', name: 'Person Married' });
  expect(deliveries(story)[1]?.[1]).toMatch(/^E1;2;/);
});

sweep('keeps an emptied number in HR, or empties it there if the mapping says so', async () => {
  const keep = await openBoth();
  keep.deliver([person('E1', { phone: '1' })]);
  await keep.sync();
  await keep.editUser('E1', { telephone: '' });
  await keep.sync();
  expect(deliveries(keep)).toHaveLength(1);
  expect(keep.user('E1')?.telephone).toBeNull();

  const clear = await openBoth({
    fields: {
      telephone: { value: 'record.?phone', authority: 'service', write_back: { column: 'phone', when_empty: 'clear' } },
    },
  });
  clear.deliver([person('E1', { phone: '1' })]);
  await clear.sync();
  await clear.editUser('E1', { telephone: '' });
  await clear.sync();
  expect(deliveries(clear)[1]?.[1]).toMatch(/^E1;;/);
});

test('holds write-backs to HR by a guard when the service shows nothing for many people', async () => {
  const story = await openBoth({
    fields: {
      telephone: { value: 'record.?phone', authority: 'service', write_back: { column: 'phone', when_empty: 'clear' } },
    },
  });
  const people = Array.from({ length: 30 }, (_, index) => `E${index + 1}`);
  story.deliver(people.map((id) => person(id, { phone: id })));
  await story.sync();
  for (const id of people) await story.editUser(id, { telephone: '' });
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.guards).toMatchObject([{ guard: 'sources.hr.overwrite', found: 30, held: 30 }]);
  expect(deliveries(story)).toHaveLength(1);
  const approved = await story.approve({ guard: 'sources.hr.overwrite', reason: 'moved to another system' });
  expect(approved.json.approved).toBe(30);
  await story.sync();
  expect(deliveries(story)[1]).toHaveLength(31);
});

sweep('writes nothing back in quiet hours, until they are over', async () => {
  const story = await openBoth();
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.configure({ quiet_hours: ['00:00-24:00'] });
  const quiet = await story.sync();
  expect(quiet.json).toMatchObject({ left: 1, stopped: expect.stringContaining('quiet hours') });
  expect(deliveries(story)).toHaveLength(1);
  await story.sync({ ignoreQuietHours: true });
  expect(deliveries(story)).toHaveLength(2);
});
