import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { type Both, openBoth, PHONE_OF_SERVICE, questionsOf } from './both.js';
import { expectQuiet } from './quiet.js';

const HOUR = 3_600_000;
const FIELDS = { telephone: PHONE_OF_SERVICE };

async function openAgreed(...more: Parameters<typeof openBoth>[1][]): Promise<Both> {
  const both = await openBoth(FIELDS, ...more);
  both.deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await both.story.sync();
  both.story.clock.advance(HOUR);
  return both;
}

async function idOf({ story }: Both, key: string): Promise<string> {
  const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${key}`);
  return (found as { readonly id: string }).id;
}

test('HR deletes whom a colleague edits: the account is deactivated, and nothing is told of a leaver', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  deliver(['E2', { phone: '1' }]);
  await story.sync();
  await story.sync();
  expect(story.user('E1')).toMatchObject({ deactivated: true, telephone: '2' });
  expect(deliveries()).toEqual([]);
});

sweep('who comes back is told of again: what was edited in between reaches HR', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  deliver(['E1', { phone: '1', status: 'left' }], ['E2', { phone: '1' }]);
  await story.sync();
  expect(story.user('E1').deactivated).toBe(true);
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  expect(deliveries()).toEqual([]);
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ deactivated: false, telephone: '2' });
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }]);
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  expect(await expectQuiet(story)).toEqual([]);
});

sweep(
  'somebody else deletes the account that HR edits: it is created again, and the new id is written back to HR',
  async () => {
    const both = await openAgreed();
    const { story, deliver, deliveries } = both;
    story.configure({ users: { write_back: { hr: { talent_id: 'user.id' } } } });
    await story.sync();
    const before = await idOf(both, 'E1');
    await story.others('DELETE', `/api/v1/users/${before}`);
    deliver(['E1', { phone: '3' }], ['E2', { phone: '1' }]);
    await story.sync({ full: true });
    await story.sync({ full: true });
    const after = await idOf(both, 'E1');
    expect(after).not.toBe(before);
    expect(story.user('E1')).toMatchObject({ telephone: '3', deactivated: false });
    expect(deliveries().at(-1)).toEqual({ E1: { phone: '3', talent_id: after } });
    expect(await expectQuiet(story)).toEqual([]);
  },
);

/** Roles of the newest, with one that a colleague has added, and one that HR delivers in place of another. */
async function openMovedRoles(): Promise<Both> {
  const both = await openBoth({ roles: { value: 'record.?roles', authority: 'newest', write_back: true } });
  const { story, deliver } = both;
  deliver(['E1', { roles: 'consultant,referencemanager' }]);
  await story.sync();
  story.clock.advance(HOUR);
  await story.editUser('E1', { role: 'consultant', extra_roles: ['referencemanager', 'bidmanager'] });
  deliver(['E1', { roles: 'consultant,countrymanager' }]);
  return both;
}

sweep('roles that both sides changed are merged as sets', async () => {
  const both = await openMovedRoles();
  const { story, deliver, deliveries } = both;
  await story.sync();
  expect([...story.user('E1').roles].sort()).toEqual(['bidmanager', 'consultant', 'countrymanager']);
  await story.sync();
  expect(deliveries().at(-1)?.E1?.roles?.split(',').sort()).toEqual(['bidmanager', 'consultant', 'countrymanager']);
  deliver(['E1', { roles: 'bidmanager,consultant,countrymanager' }]);
  expect(await expectQuiet(story)).toEqual([]);
  expect(deliveries()).toHaveLength(1);
});

sweep('conflicts: hold: the echo of one edit and the next edit are no conflict', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  story.configure({ conflicts: 'hold' });
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  await story.sync();
  const again = await story.sync({ full: true });
  expect(questionsOf(again)).toEqual([]);
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }, { E1: { phone: '3' } }]);
});

sweep('conflicts: hold: HR takes a number back to what it was before the last one: a person decides', async () => {
  const { story, deliver } = await openAgreed();
  story.configure({ conflicts: 'hold' });
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  await story.editUser('E1', { telephone: '3' });
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  await story.sync();
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  expect(questionsOf(await story.sync())).toHaveLength(1);
});

sweep('a column that waits for a person is not overwritten by the row that tells another one', async () => {
  const both = await openBoth({
    ...FIELDS,
    title: { en: 'record.?title', no: { value: 'record.?title_no', authority: 'service', write_back: true } },
  });
  const { story, deliver, deliveries } = both;
  story.configure({ conflicts: 'hold' });
  const row = { title: 'Lead', title_no: 'Leder' };
  deliver(['E1', { phone: '1', ...row }]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  deliver(['E1', { phone: '3', ...row }]);
  expect(questionsOf(await story.sync())).toHaveLength(1);
  await story.editUser('E1', { title: { en: 'Lead', no: 'Sjef' } });
  expect(questionsOf(await story.sync())).toHaveLength(1);
  expect(deliveries().at(-1)).toEqual({ E1: { phone: '3', title_no: 'Sjef' } });
  expect(story.user('E1')).toMatchObject({ telephone: '2' });
});

sweep('an empty cell says nothing, or clears, as the mapping says; the same the other way round', async () => {
  const keep = await openAgreed();
  keep.deliver(['E1', { phone: '' }], ['E2', { phone: '1' }]);
  await keep.story.sync();
  // The number belongs to the service, so HR gets it back.
  expect(keep.story.user('E1')).toMatchObject({ telephone: '1' });
  expect(keep.deliveries()).toEqual([{ E1: { phone: '1' } }]);

  const clear = await openBoth({
    telephone: {
      value: 'record.?phone',
      when_empty: 'clear',
      authority: 'newest',
      write_back: { column: 'phone', when_empty: 'clear' },
    },
  });
  const { story, deliver, deliveries } = clear;
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }], ['E3', {}]);
  await story.sync();
  story.clock.advance(HOUR);
  await story.editUser('E2', { telephone: null });
  await story.editUser('E3', { telephone: '3' });
  deliver(['E1', { phone: '' }], ['E2', { phone: '1' }], ['E3', {}]);
  await story.sync();
  expect(story.user('E1').telephone ?? '').toBe('');
  expect(deliveries()).toEqual([{ E2: { phone: '' }, E3: { phone: '3' } }]);
  deliver(['E1', { phone: '' }], ['E2', { phone: '' }], ['E3', { phone: '3' }]);
  expect(await expectQuiet(story)).toEqual([]);
  expect(story.users().map(({ telephone }) => telephone ?? '')).toEqual(['', '', '3']);
});

sweep('rows: all: whoever has something new, the file has everybody, with what each was told', async () => {
  const { story, deliver, deliveries } = await openAgreed({ rows: 'all' });
  await story.editUser('E1', { telephone: '2' });
  expect((await story.sync()).json.to_sources).toEqual({ hr: 1 });
  await story.editUser('E2', { telephone: '3' });
  await story.sync();
  expect(deliveries()).toEqual([
    { E1: { phone: '2' }, E2: { phone: '1' } },
    { E1: { phone: '2' }, E2: { phone: '3' } },
  ]);
  deliver(['E1', { phone: '2' }], ['E2', { phone: '3' }]);
  expect(await expectQuiet(story)).toEqual([]);
  expect(deliveries()).toHaveLength(2);
});

sweep('--only tells of that one; the others are told by the next run', async () => {
  const { story, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  await story.editUser('E2', { telephone: '2' });
  await story.sync({ only: 'user:E2' });
  expect(deliveries()).toEqual([{ E2: { phone: '2' } }]);
  await story.sync();
  expect(deliveries().slice(1)).toEqual([{ E1: { phone: '2' } }]);
});

sweep('apply PLAN tells what the plan says, as far as it is still derived, and what came later waits', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  await story.editUser('E2', { telephone: '2' });
  const { plan } = (await story.plan()).json;
  await story.editUser('E2', { telephone: '3' });
  const applied = await story.apply(plan);
  expect(applied.json).toMatchObject({ to_sources: { hr: 1 }, left_out: [{ because: 'derived otherwise by now' }] });
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }]);
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }, { E2: { phone: '3' } }]);
});

sweep('undo takes back what the service got, and leaves the sources alone', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  deliver(['E1', { phone: '1', last: 'Married' }], ['E2', { phone: '1' }]);
  const { run } = (await story.sync()).json;
  expect(deliveries()).toHaveLength(1);
  await story.undo(run);
  expect(story.user('E1')).toMatchObject({ telephone: '2', name: 'Person E1' });
  await story.sync();
  expect(deliveries()).toHaveLength(1);
});

sweep.each([
  ['by `conflicts: source`', 'source'],
  ['by the word of a person', 'hold'],
])(
  'HR won %s, and that is undone: HR keeps its own, until a colleague changes the number again',
  async (_, conflicts) => {
    const { story, deliver, deliveries } = await openAgreed();
    story.configure({ conflicts });
    await story.editUser('E1', { telephone: '3' });
    deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
    let ran = await story.sync();
    for (const question of questionsOf(ran)) {
      await story.type('holds', 'resolve', question, '--take', 'source', '--reason', 'asked');
      ran = await story.sync();
    }
    expect(story.user('E1')).toMatchObject({ telephone: '2' });
    await story.undo(ran.json.run);
    for (let runs = 0; runs < 3; runs++) expect(await expectQuiet(story)).toEqual(['E1 SYNC_UNDONE_PINNED']);
    expect(story.user('E1')).toMatchObject({ telephone: '3' });
    expect(deliveries()).toEqual([]);
    await story.editUser('E1', { telephone: '4' });
    await story.sync();
    expect(deliveries()).toEqual([{ E1: { phone: '4' } }]);
    deliver(['E1', { phone: '4' }], ['E2', { phone: '1' }]);
    for (let runs = 0; runs < 2; runs++) expect(await expectQuiet(story)).toEqual([]);
  },
);

sweep(
  'a first number that HR gave is undone: it stays in HR, and goes to neither side until one of them changes it',
  async () => {
    const both = await openBoth({
      telephone: { value: 'record.?phone', authority: 'newest', write_back: { column: 'phone', when_empty: 'clear' } },
    });
    const { story, deliver, deliveries } = both;
    deliver(['E1', {}]);
    await story.sync();
    deliver(['E1', { phone: '1' }]);
    await story.undo((await story.sync()).json.run);
    for (let runs = 0; runs < 2; runs++) expect(await expectQuiet(story)).toEqual(['E1 SYNC_UNDONE_PINNED']);
    expect(story.user('E1').telephone ?? '').toBe('');
    await story.editUser('E1', { telephone: '2' });
    await story.sync();
    expect(story.user('E1')).toMatchObject({ telephone: '2' });
    expect(deliveries()).toEqual([{ E1: { phone: '2' } }]);
  },
);

sweep(
  'roles that were merged, and that is undone: neither side gets any of it again until HR changes them',
  async () => {
    const both = await openMovedRoles();
    const { story, deliver, deliveries } = both;
    const { run } = (await story.sync()).json;
    const rolesOf = (): readonly string[] => [...story.user('E1').roles].sort();
    expect(rolesOf()).toEqual(['bidmanager', 'consultant', 'countrymanager']);
    await story.undo(run);
    for (let runs = 0; runs < 2; runs++) expect(await expectQuiet(story)).toEqual(['E1 SYNC_UNDONE_PINNED']);
    expect(rolesOf()).toEqual(['bidmanager', 'consultant', 'referencemanager']);
    expect(deliveries()).toEqual([]);
    deliver(['E1', { roles: 'consultant' }]);
    await story.sync();
    expect(rolesOf()).toEqual(['bidmanager', 'consultant']);
    await story.sync();
    expect(deliveries()).toEqual([{ E1: { roles: 'bidmanager,consultant' } }]);
  },
);

sweep('an erased person is in no outbox, sighting, decision or line of the audit', async () => {
  const both = await openBoth({ telephone: { value: 'record.?phone', authority: 'newest', write_back: true } });
  const { story, deliver, at } = both;
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await story.sync();
  story.clock.advance(HOUR);
  await story.editUser('E1', { telephone: '+47 99 88 77' });
  deliver(['E1', { phone: '2', modified: at(HOUR) }], ['E2', { phone: '1' }]);
  const [question = ''] = questionsOf(await story.sync());
  await story.type('holds', 'resolve', question, '--take', 'service', '--reason', 'asked');
  await story.sync();
  expect(both.deliveries()).toEqual([{ E1: { phone: '+47 99 88 77' } }]);
  const erased = await story.type('audit', 'erase', 'E1', '--reason', 'asked for', '--yes', '--json');
  expect(JSON.parse(erased.stdout)).toMatchObject({
    erased: true,
    rows: { outbox: 1, sightings: 1, resolutions: 1 },
  });
  const again = await story.type('audit', 'erase', 'E1', '--reason', 'asked for', '--json');
  expect(again.stdout).not.toMatch(/outbox|sightings|resolutions/);
  const log = await story.type('audit', 'list', '--json');
  expect(log.stdout).not.toContain('+47 99 88 77');
  expect(log.stdout).not.toContain('e1@example.com');
  expect((await story.verify()).json.ok).toBe(true);
});

test('a state that is restored knows what was sent: it is not sent again', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  await story.sync();
  const backup = await story.backup();
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  await story.sync();
  await story.restore(backup.json.file);
  await story.sync();
  expect(await expectQuiet(story)).toEqual([]);
  expect(deliveries()).toHaveLength(1);
});

sweep('explain tells what would be written back, and what is on its way', async () => {
  const { story, deliver } = await openAgreed();
  expect((await story.explain('user', 'E1')).json.steps.write_back).toEqual({ told: [], waiting: [] });
  await story.editUser('E1', { telephone: '2' });
  expect((await story.explain('user', 'E1')).json.steps.write_back).toMatchObject({
    told: [{ source: 'hr', record: 'E1', cells: [{ column: 'phone', before: '1', after: '2' }], withheld: null }],
    waiting: [],
  });
  await story.sync();
  expect((await story.explain('user', 'E1')).json.steps.write_back).toMatchObject({
    told: [],
    waiting: [{ source: 'hr', record: 'E1', column: 'phone', value: '2', shown: '1', status: 'sent', times: 1 }],
  });
  for (const phone of ['3', '4', '5']) {
    deliver(['E1', { phone }], ['E2', { phone: '1' }]);
    await story.sync();
  }
  const frozen = await story.explain('user', 'E1');
  expect(frozen.json.steps.held).toMatchObject([{ code: 'SYNC_WRITE_BACK_FROZEN' }]);
});

sweep(
  'a number that is too long for a number reaches the source digit by digit, and is known when it comes back',
  async () => {
    const both = await openBoth({
      telephone: {
        value: 'record.?phone',
        authority: 'service',
        write_back: { column: 'rank', value: 'int(user.telephone)' },
      },
    });
    const { story, deliver, deliveries } = both;
    story.configure({ sources: { hr: { columns: { rank: { type: 'int', optional: true } } } } });
    deliver(['E1', {}]);
    await story.sync();
    await story.editUser('E1', { telephone: '1234567890123456789' });
    await story.sync();
    expect(deliveries()).toEqual([{ E1: { rank: '1234567890123456789' } }]);
    deliver(['E1', { rank: '1234567890123456789' }]);
    for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
    expect(deliveries()).toHaveLength(1);
  },
);
