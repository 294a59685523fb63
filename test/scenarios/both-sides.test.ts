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

test('deactivates an account that HR deletes and a colleague edits, and writes nothing back about a leaver', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  deliver(['E2', { phone: '1' }]);
  await story.sync();
  await story.sync();
  expect(story.user('E1')).toMatchObject({ deactivated: true, telephone: '2' });
  expect(deliveries()).toEqual([]);
});

sweep("writes back a returning person's values, with edits made in between", async () => {
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

sweep('creates an account that was deleted in the service again, and writes the new id back to HR', async () => {
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
});

/** Roles that the newest change decides: a colleague has added one, and HR has replaced another. */
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

sweep('merges roles that both sides changed as sets', async () => {
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

sweep('does not count the echo of one edit and the next edit as a conflict under conflicts: hold', async () => {
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

sweep('asks a person when HR reverts a number to an earlier value under conflicts: hold', async () => {
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

sweep('does not overwrite a column that is held when it sends another column of the row', async () => {
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

sweep('ignores an empty cell or clears the field, as the mapping specifies, in both directions', async () => {
  const keep = await openAgreed();
  keep.deliver(['E1', { phone: '' }], ['E2', { phone: '1' }]);
  await keep.story.sync();
  // The service owns the number, so HR gets it again.
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

sweep('writes every person to the file with rows: all, once one has a new value', async () => {
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

sweep('writes back only that person with --only; the next run writes the others', async () => {
  const { story, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  await story.editUser('E2', { telephone: '2' });
  await story.sync({ only: 'user:E2' });
  expect(deliveries()).toEqual([{ E2: { phone: '2' } }]);
  await story.sync();
  expect(deliveries().slice(1)).toEqual([{ E1: { phone: '2' } }]);
});

sweep('writes back with apply PLAN only what is still derived from the plan, and leaves later edits', async () => {
  const { story, deliver, deliveries } = await openAgreed();
  await story.editUser('E1', { telephone: '2' });
  await story.editUser('E2', { telephone: '2' });
  const { plan } = (await story.plan()).json;
  await story.editUser('E2', { telephone: '3' });
  const applied = await story.apply(plan);
  expect(applied.json).toMatchObject({ to_sources: { hr: 1 }, left_out: [{ because: 'derived differently by now' }] });
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }]);
  deliver(['E1', { phone: '2' }], ['E2', { phone: '1' }]);
  await story.sync();
  expect(deliveries()).toEqual([{ E1: { phone: '2' } }, { E2: { phone: '3' } }]);
});

sweep('undoes what the service got, and leaves the sources alone', async () => {
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
  ["by a person's decision", 'hold'],
])("leaves HR's value (HR won %s) after an undo, until a colleague changes the number again", async (_, conflicts) => {
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
});

sweep(
  'keeps the first number from HR there after its undo, and sends it nowhere until one side changes it',
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

sweep('sends merged roles to neither side after their undo, until HR changes them', async () => {
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
});

sweep('removes an erased person from outbox, sightings, decisions and the audit', async () => {
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

sweep('does not send a value again after a restore of the state that recorded it', async () => {
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

sweep('explains what it would write back, and what was sent and is not shown yet', async () => {
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
  'writes back an integer of more digits than a double holds exactly, and recognises it on its return',
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
