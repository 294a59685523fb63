import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { sweep } from '../depth.js';
import { ACCOUNT, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const FIELDS: { readonly [key: string]: Yaml } = {
  fields: {
    telephone: 'record.?phone',
    title: { en: 'record.?title', no: 'record.?title_no' },
    tags: { unit: 'record.?unit' },
    roles: 'has(record.role) ? record.role.split(" ") : ["consultant"]',
    role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
  },
};
const BULK = { missing: 'keep', from: 0, tag_columns: { unit: 'Unit' } };

async function openAccount(
  imports: NonNullable<NonNullable<FixtureInput['account']>['imports']> = {},
  users: readonly NonNullable<FixtureInput['users']>[number][] = [],
  bulk: Yaml = BULK,
): Promise<Story> {
  const account = { ...ACCOUNT.account, imports };
  const story = await openStory({ account, users: [...users] });
  // The file has people's target values, regardless of who must approve them.
  story.configure({ users: { ...FIELDS, bulk_load: bulk }, guards: { users: { promote: 'off' } } });
  return story;
}

async function exportRows(story: Story, flags: { separator?: ',' | ';'; language?: string } = {}) {
  const out = join(story.folder, 'people.csv');
  const ran = await story.exportImport({ out, ...flags });
  return { ...ran, lines: ran.json.file === undefined ? [] : readFileSync(out, 'utf8').trimEnd().split('\n') };
}

/** Uploads the file like an operator by hand. */
async function upload(story: Story, setting = 'default'): Promise<void> {
  const response = await fetch(`${story.sandbox.url}/api/v1/users/import/csv/${setting}`, {
    method: 'POST',
    headers: { authorization: 'Bearer admin-key', 'content-type': 'text/csv' },
    body: readFileSync(join(story.folder, 'people.csv')),
  });
  expect(response.status).toBe(200);
  await vi.waitFor(() => {
    const tasks = story.sandbox.state().imports as readonly { state: string; problems: readonly string[] }[];
    expect(tasks.at(-1)).toMatchObject({ state: 'finished', problems: [] });
  }, 10_000);
}

test('exports the people that the sources ask for, by key, with the columns that have values', async () => {
  const story = await openAccount();
  story.deliver([
    person('E2', { role: 'countrymanager', phone: '+47 1', unit: 'north' }),
    person('E1', { title: 'Lead, chief', office: 'Bergen' }),
  ]);
  const { code, json, lines } = await exportRows(story);
  expect(code).toBe(0);
  expect(lines).toEqual([
    'email,external_unique_id,country_code,office_name,name,telephone,title,roles,Unit',
    'e1@example.com,E1,no,Bergen,Person E1,,"Lead, chief",consultant,',
    "e2@example.com,E2,no,Oslo,Person E2,'+47 1,,consultant countrymanager,north",
  ]);
  expect(json).toMatchObject({
    rows: 2,
    language: 'en',
    columns_left_out: [],
    left_out: [],
    not_carried: [],
    not_in_file: { active: 0, external: 0 },
  });
  // The same again gives the same file, and sends only reads.
  expect((await exportRows(story, { separator: ';' })).lines[1]).toBe(
    'e1@example.com;E1;no;Bergen;Person E1;;Lead, chief;consultant;',
  );
  expect((await exportRows(story)).lines).toEqual(lines);
  expect(story.takeWrites()).toEqual([]);
});

sweep(
  'reports what the file cannot carry: languages, tags without a column, scopes, externals, held records',
  async () => {
    const story = await openAccount({}, [], { missing: 'keep' });
    story.deliver([
      person('E1', { title: 'Lead', title_no: 'Leder', unit: 'north' }),
      person('E2', { title_no: 'Leder' }),
      person('E3', { role: 'departmentmanager', scope: 'Oslo' }),
      person('E4', { role: 'external' }),
      person('E5', { email: 'e1@example.com' }),
      person('E6', { country: 'no', office: 'Nowhere' }),
    ]);
    const { code, json, lines } = await exportRows(story);
    expect(code).toBe(4);
    expect(lines.map((line) => line.split(',')[1])).toEqual(['external_unique_id', 'E2']);
    expect(json.left_out.map(({ key, reason }) => [key, reason.split(':')[0]])).toEqual([
      ['E1', 'held'],
      ['E3', 'departmentmanager'],
      ['E4', 'external'],
      ['E5', 'held'],
      ['E6', 'held'],
    ]);
    expect(json.columns_left_out).toEqual(['telephone', 'title']);
    expect(json.not_carried).toMatchObject([{ field: 'title', people: 1, examples: ['E2'] }]);

    story.deliver([person('E1', { title: 'Lead', title_no: 'Leder', unit: 'north' })]);
    expect((await exportRows(story, { language: 'no' })).json.not_carried).toMatchObject([
      { field: 'title', reason: expect.stringContaining('(no): en is not in it') },
      { field: 'tags.unit', people: 1 },
    ]);
  },
);

sweep.each(['keep', 'deactivate', 'remove'] as const)(
  'finds nothing to do for people in a file uploaded by hand with a setting that would %s missing people',
  async (missing) => {
    const story = await openAccount({ hand: { missing, tag_columns: { Unit: 'unit' } } });
    const rows: readonly Row[] = [
      person('E1', { title_no: 'Leder', unit: 'north', role: 'countrymanager', phone: '1' }),
      person('E2', { title_no: 'Utvikler', unit: 'south', country: 'se', office: 'Stockholm' }),
    ];
    // The sandbox stores a title in the native language of the country: Swedish in Stockholm.
    story.configure({ users: { fields: { title: { no: 'record.?title_no', sv: 'record.?title_no' } } } });
    story.deliver(rows.slice(0, 1));
    await story.sync();
    story.deliver(rows);
    expect((await exportRows(story, { language: 'native' })).json.not_in_file.active).toBe(0);
    await upload(story, 'hand');
    expect(story.users()).toMatchObject([
      { external_unique_id: 'E1', deactivated: false, roles: ['consultant', 'countrymanager'], tags: ['unit/north'] },
      { external_unique_id: 'E2', deactivated: false, roles: ['consultant'], tags: ['unit/south'] },
    ]);
    // The one language of the file arrived; the other one is still to be written.
    expect(story.user('E2')).toMatchObject({ title: { sv: 'Utvikler' } });
    const { json } = await story.plan();
    expect(json.counts).toEqual({ users: { update: 1 } });
  },
);

sweep('keeps fields of existing people that the source leaves open or may write on create only', async () => {
  const held = {
    country: 'no',
    office: 'Bergen',
    email: 'old@example.com',
    external_unique_id: 'E1',
    name: 'Nick Person',
    telephone: '99',
    title: { en: 'Chief', no: 'Sjef' },
    roles: ['consultant', 'countrymanager'],
  };
  const others = [
    { ...held, email: 'board@example.com', external_unique_id: 'B1' },
    { ...held, email: 'gone@example.com', external_unique_id: 'E2', deactivated: true },
    { ...held, email: 'ext@example.com', external_unique_id: 'X1', roles: ['external'] },
  ];
  const story = await openAccount({}, [held, ...others]);
  story.configure({
    guards: { users: { promote: 'off' } },
    users: {
      fields: { name: { value: 'record.first', apply: 'create' }, roles: 'record.?role.orValue("").split(" ")' },
    },
  });
  story.deliver([person('E1'), person('E2'), person('E3', { phone: '1' }), person('X1')]);
  const { json, lines } = await exportRows(story);
  expect(lines).toEqual([
    'email,external_unique_id,country_code,office_name,name,telephone,title,roles',
    'e1@example.com,E1,no,Oslo,Nick Person,99,Chief,consultant countrymanager',
    'e2@example.com,E2,no,Oslo,Nick Person,99,Chief,consultant countrymanager',
    'e3@example.com,E3,no,Oslo,Person,1,,',
  ]);
  expect(json).toMatchObject({
    emails_changed: 2,
    deactivated: 1,
    not_in_file: { active: 2, external: 1 },
    left_out: [{ key: 'X1' }],
    not_carried: [{ field: 'title', people: 2 }],
  });
});

sweep('asks for a file name with --json, and reports a missing folder', async () => {
  const story = await openAccount();
  story.deliver([person('E1')]);
  const out = join(story.folder, 'none', 'people.csv');
  expect((await story.exportImport({ out })).error).toMatchObject({ code: 'SYNC_CLI_USAGE', place: out });
});
