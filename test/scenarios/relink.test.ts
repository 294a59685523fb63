import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person, type Row, type Yaml } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const jane = person('E00010', { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
const others = [person('E2'), person('E3'), person('E4')];
/** The same person under another number. */
const renumbered = (more: Row = {}): Row => ({ ...jane, id: 'N100', ...more });
const left = (row: Row): Row => ({ ...row, status: 'left' });
const DAY = 86_400_000;

async function openCompany(patch: { readonly [key: string]: Yaml } = {}): Promise<Story> {
  const story = await openStory();
  story.configure(patch);
  story.deliver([jane, ...others]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** Expects later runs to have nothing to do, however often the same rows are delivered. */
async function expectQuiet(story: Story, rows: readonly Row[]): Promise<void> {
  for (let times = 0; times < 3; times++) {
    story.clock.advance(DAY);
    story.deliver(rows);
    expect(await story.sync({ full: times === 1 })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  }
  expect(story.takeWrites()).toEqual([]);
}

test('a look-alike leaver and the same person under a new number: the link moves, nobody is deactivated', async () => {
  const story = await openCompany();
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E00010')) as { readonly id: string };
  const rows = [left(jane), renumbered(), ...others];
  story.deliver(rows);
  const planned = await story.plan();
  expect(planned.json.counts).toEqual({ users: { relink: 1 } });
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { relink: 1 } }, done: 1, held: [], guards: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('N100')).toMatchObject({ email: 'jane@example.com', deactivated: false });
  const entry = (await story.audit()).at(-1);
  expect(entry).toMatchObject({
    action: 'relink',
    key: 'N100',
    target: id,
    result: 'done',
    before: { source_key: 'E00010', external_unique_id: 'E00010' },
    after: { source_key: 'N100', external_unique_id: 'N100' },
    cause: { kind: 'relinked', text: 'E00010 → N100: same e-mail and name' },
  });
  // The old row stays in the file for months, and removes nothing.
  await expectQuiet(story, rows);
  // Then the new row leaves, while the old row still exists.
  story.deliver([left(jane), left(renumbered()), ...others]);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
  expect(story.user('N100').deactivated).toBe(true);
});

sweep('counts the absence of a new row while the old one still exists', async () => {
  const story = await openCompany();
  story.deliver([left(jane), renumbered(), ...others]);
  await story.sync();
  story.deliver([left(jane), ...others]);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
});

sweep('sends no call for a relink without a difference: it only moves the link', async () => {
  const story = await openStory();
  story.configure({ users: { match: ['email'] } });
  const unmanaged = { email: 'record.email', name: 'record.first + " " + record.last' };
  story.configure({ users: { fields: { ...unmanaged, external_unique_id: '"X-" + record.email' } } });
  story.deliver([jane, ...others]);
  await story.sync();
  story.takeWrites();
  const rows = [renumbered(), ...others];
  story.deliver(rows);
  const ran = await story.sync();
  expect(ran.json).toMatchObject({ counts: { users: { relink: 1 } }, done: 1, calls: { writes: 0 } });
  expect(story.takeWrites()).toEqual([]);
  expect((await story.audit()).at(-1)).toMatchObject({ action: 'relink', calls: [], result: 'done' });
  await expectQuiet(story, rows);
});

sweep('relinks and reactivates a person who is hired again months later, in one call', async () => {
  const story = await openCompany();
  story.deliver([left(jane), ...others]);
  await story.sync();
  story.takeWrites();
  story.clock.advance(100 * DAY);
  story.deliver([left(jane), renumbered({ title: 'Lead' }), ...others]);
  const ran = await story.sync();
  expect(ran.json).toMatchObject({ counts: { users: { relink: 1, reactivate: 1 } }, done: 1 });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('N100')).toMatchObject({ deactivated: false });
  await expectQuiet(story, [left(jane), renumbered({ title: 'Lead' }), ...others]);
});

sweep('holds a person who left longer ago than `within`, with arguments for and against', async () => {
  const story = await openCompany({ users: { relink: { within: '90d' } } });
  story.deliver([left(jane), ...others]);
  await story.sync();
  story.takeWrites();
  story.clock.advance(100 * DAY);
  const rows = [left(jane), renumbered(), ...others];
  story.deliver(rows);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { counts: {} } });
  expect(summarise(ran.json.held)).toEqual(['N100 SYNC_MATCH_CLAIMED']);
  expect(ran.json.held[0]?.reason).toMatch(
    /for it: same e-mail, same name.*against it: E00010 left on .*, more than 90d ago/,
  );
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E00010').deactivated).toBe(true);
});

const doubtful: Readonly<Record<string, Row>> = {
  'another name': { last: 'Roe' },
  'another year of birth': { rank: '1990' },
};
for (const [why, more] of oneIn(1, Object.entries(doubtful), 1)) {
  sweep(`holds a doubtful relink (${why}), and the leaver's deactivation with it`, async () => {
    const story = await openCompany({ users: { fields: { born_year: 'int(record.?rank.orValue("1970"))' } } });
    const rows = [left(jane), renumbered(more), ...others];
    story.deliver(rows);
    for (let times = 0; times < 4; times++) {
      const ran = await story.sync();
      expect(ran.code).toBe(4);
      expect(summarise(ran.json.held)).toEqual(['E00010 SYNC_PROBABLE_SAME_PERSON', 'N100 SYNC_MATCH_CLAIMED']);
      story.deliver(rows);
    }
    expect(story.takeWrites()).toEqual([]);
    expect(story.user('E00010').deactivated).toBe(false);
    // The two are different people, so the old one leaves.
    await story.type('holds', 'resolve', 'user:E00010', '--new', '--reason', 'another person');
    await story.sync();
    expect(story.user('E00010').deactivated).toBe(true);
  });
}

sweep('holds the second of two active rows and deactivates nobody, whichever came first', async () => {
  const story = await openCompany();
  story.deliver([jane, renumbered(), ...others]);
  expect(summarise((await story.sync()).json.held)).toEqual(['N100 SYNC_MATCH_CLAIMED']);
  // The link moved while the old row said left; then the old row is active again.
  story.deliver([left(jane), renumbered(), ...others]);
  expect((await story.sync()).json.counts).toEqual({ users: { relink: 1 } });
  story.deliver([jane, renumbered(), ...others]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E00010 SYNC_MATCH_CLAIMED']);
  expect(story.users().every(({ deactivated }) => !deactivated)).toBe(true);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('gives the account to the active row in a first delivery with both rows', async () => {
  const story = await openStory({
    users: [
      { country: 'no', office: 'Oslo', email: 'jane@example.com', name: 'Jane Doe', external_unique_id: null },
    ] as never,
  });
  const rows = [left(jane), renumbered(), ...others];
  story.deliver(rows);
  const ran = await story.sync();
  expect(ran.json.held).toEqual([]);
  expect(story.user('N100')).toMatchObject({ email: 'jane@example.com', deactivated: false });
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, CREATE_USER, CREATE_USER, UPDATE_USER]);
  await expectQuiet(story, rows);
});

sweep('waits for a complete read before a relink, since an incomplete one proves nobody gone', async () => {
  const story = await openCompany();
  story.deliverText(
    `id;first;last;email;country;office;title;title_no;phone;unit;role;scope;status;rank\nN100;Jane;Doe;jane@example.com;no;Oslo;;;;;;;;\nE2;broken`,
  );
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({});
  expect(ran.json.held.find(({ key }) => key === 'N100')?.code).toBe('SYNC_MATCH_CLAIMED');
  expect(story.takeWrites()).toEqual([]);
});

const staff = (from: number): readonly Row[] =>
  Array.from({ length: 50 }, (_, index) =>
    person(`E${from + index}`, { last: `P${index}`, email: `p${index}@example.com` }),
  );

for (const managed of oneIn(1, [true, false])) {
  test(`everybody is renumbered (external id ${managed ? '' : 'not '}managed): one approval moves all links`, async () => {
    const story = await openStory();
    if (!managed) {
      story.configure({ users: { match: ['email'], fields: { external_unique_id: '"X-" + record.email' } } });
    }
    story.deliver(staff(1000));
    await story.sync();
    story.takeWrites();
    const rows = staff(5000);
    story.deliver(rows);
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 3, json: { counts: { users: { relink: 50 } }, done: 0 } });
    expect(ran.json.guards).toMatchObject([
      {
        guard: 'users.relink',
        limit: 3,
        found: 50,
        held: 50,
        cause: 'keys renumbered',
        detail: '50 of 50 keys are new; all 50 match accounts whose keys are gone',
      },
    ]);
    expect(story.takeWrites()).toEqual([]);
    await story.approve({ guard: 'users.relink', reason: 'new payroll' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 50, held: [], guards: [] } });
    expect(story.takeWrites()).toHaveLength(managed ? 50 : 0);
    expect(story.users().some(({ deactivated }) => deactivated)).toBe(false);
    await expectQuiet(story, rows);
  });
}

sweep('holds too many rehires in one delivery under the guard of relinks', async () => {
  const story = await openStory();
  const rows = staff(1000);
  story.deliver(rows);
  await story.sync();
  const half = [...rows.slice(0, 5).map(left), ...rows.slice(5)];
  story.deliver(half);
  await story.approve({ guard: 'users.deactivate', reason: '-' }).catch(() => undefined);
  await story.sync();
  await story.approve({ guard: 'users.deactivate', reason: 'true' });
  await story.sync();
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(5);
  story.takeWrites();
  story.deliver([...half, ...staff(5000).slice(0, 5)]);
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({ users: { relink: 5, reactivate: 5 } });
  expect(ran.json.guards.map(({ guard, held }) => [guard, held])).toEqual(
    expect.arrayContaining([['users.relink', 5]]),
  );
  expect(story.takeWrites()).toEqual([]);
});

sweep('moves a link back by an undo, and leaves it there in the next run', async () => {
  const story = await openCompany();
  const rows = [renumbered(), ...others];
  story.deliver(rows);
  const ran = await story.sync();
  expect(story.user('N100').email).toBe('jane@example.com');
  const undone = await story.undo(ran.json.run);
  expect(undone).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.user('E00010').email).toBe('jane@example.com');
  story.takeWrites();
  story.deliver(rows);
  const next = await story.sync();
  expect(summarise(next.json.held)).toContain('N100 SYNC_UNDONE_PINNED');
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E00010').deactivated).toBe(false);
});

sweep('keeps an undone value undone for a person who gets another number', async () => {
  const story = await openCompany();
  const titleOf = (id: string) => story.user(id).title.en;
  story.deliver([{ ...jane, title: 'Adviser' }, ...others]);
  await story.sync();
  story.deliver([{ ...jane, title: 'Lead' }, ...others]);
  await story.undo((await story.sync()).json.run);
  expect(titleOf('E00010')).toBe('Adviser');
  story.deliver([renumbered({ title: 'Lead' }), ...others]);
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({ users: { relink: 1 } });
  expect(summarise(ran.json.held)).toEqual(['N100 SYNC_UNDONE_PINNED']);
  for (let runs = 0; runs < 2; runs++) {
    expect(summarise((await story.sync({ full: true })).json.held)).toEqual(['N100 SYNC_UNDONE_PINNED']);
    expect(titleOf('N100')).toBe('Adviser');
  }
  story.deliver([renumbered({ title: 'Head' }), ...others]);
  await story.sync();
  expect(titleOf('N100')).toBe('Head');
});

sweep('keeps a created person deactivated after an undo, even under another number', async () => {
  const story = await openCompany();
  const ann = person('E5', { first: 'Ann', last: 'Roe', email: 'ann@example.com' });
  story.deliver([jane, ...others, ann]);
  await story.undo((await story.sync()).json.run);
  expect(story.user('ann@example.com').deactivated).toBe(true);
  story.deliver([jane, ...others, { ...ann, id: 'N5' }]);
  for (let runs = 0; runs < 2; runs++) {
    expect(summarise((await story.sync({ full: true })).json.held)).toEqual(['N5 SYNC_UNDONE_PINNED']);
    expect(story.user('ann@example.com').deactivated).toBe(true);
  }
});

sweep('keeps an undone value undone for a person whose old row stays as left next to the new one', async () => {
  const story = await openCompany();
  story.deliver([{ ...jane, title: 'Adviser' }, ...others]);
  await story.sync();
  story.deliver([{ ...jane, title: 'Lead' }, ...others]);
  await story.undo((await story.sync()).json.run);
  story.deliver([left({ ...jane, title: 'Lead' }), renumbered({ title: 'Lead' }), ...others]);
  for (let runs = 0; runs < 3; runs++) {
    const ran = await story.sync({ full: runs > 0 });
    expect(summarise(ran.json.held)).toEqual(['N100 SYNC_UNDONE_PINNED']);
    expect(story.user('N100').title.en).toBe('Adviser');
  }
});

sweep(
  'keeps a person deactivated by the undo of a create, whose old row stays as left next to the new one',
  async () => {
    const story = await openCompany();
    const ann = person('E5', { first: 'Ann', last: 'Roe', email: 'ann@example.com' });
    story.deliver([jane, ...others, ann]);
    await story.undo((await story.sync()).json.run);
    story.deliver([jane, ...others, left(ann), { ...ann, id: 'N5' }]);
    for (let runs = 0; runs < 3; runs++) {
      expect(summarise((await story.sync({ full: true })).json.held)).toEqual(['N5 SYNC_UNDONE_PINNED']);
      expect(story.user('ann@example.com').deactivated).toBe(true);
    }
  },
);
