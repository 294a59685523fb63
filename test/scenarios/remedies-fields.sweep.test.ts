import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR, person, type Yaml } from './company.js';
import { forgetMirror, openCvStory } from './cvs.js';
import { openSieve } from './gate.js';
import { openStory, type Story } from './kit.js';
import { deliver, edit, followRemedies, openBothWays, type Step, staff } from './remedies.js';

const DAY = 24 * HOUR;
const place = { country: 'no', office: 'Oslo' };
const withAccounts =
  (...users: readonly object[]) =>
  (): Promise<Story> =>
    openStory({ users: users.map((user) => ({ ...place, ...user })) as never });
const chief = { email: 'e2@example.com', name: 'Person E2', external_unique_id: 'E2', roles: ['internationalmanager'] };
const PHONE: Yaml = { telephone: 'record.?phone' };
const promote: Step = deliver(edit('E2', { title: 'Lead' }));
const withPhone = deliver(edit('E2', { phone: '1' }));

/** Telephone numbers come from a second file. */
const BOOK: { readonly [key: string]: Yaml } = {
  sources: {
    book: {
      type: 'csv',
      drop: './drop/book',
      pattern: 'book-*.csv',
      key: 'row',
      settle: '0s',
      columns: { row: 'string', number: 'string', phone: 'string' },
    },
  },
  users: { enrich: { book: { join: 'book.number == hr.id' } }, fields: { telephone: 'book.?phone' } },
};
let books = 0;
function deliverBook(story: Story, ...rows: readonly string[]): void {
  books += 1;
  mkdirSync(join(story.folder, 'drop', 'book'), { recursive: true });
  const name = `book-${String(books).padStart(2, '0')}.csv`;
  writeFileSync(join(story.folder, 'drop', 'book', name), `row;number;phone\n${rows.join('\n')}\n`);
}

followRemedies({
  'an unknown country': {
    begin: deliver(edit('E2', { country: 'xx' })),
    waits: 'SYNC_REFERENCE_UNKNOWN',
    remedy: /Correct the country in the source/,
    follow: deliver(staff),
  },
  'an unknown office': {
    begin: deliver(edit('E2', { office: 'Atlantis' })),
    waits: 'SYNC_REFERENCE_UNKNOWN',
    remedy: /create it in the service, or set `[^`]*create_missing: true`/,
    follow: (story) => story.configure({ users: { fields: { office: { create_missing: true } } } }),
  },
  'a manager without a scope': {
    settings: {
      users: {
        fields: {
          roles: 'record.?role.orValue("") == "" ? ["consultant"] : ["consultant", "departmentmanager"]',
          role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
        },
      },
    },
    begin: deliver(edit('E2', { role: 'manager' })),
    waits: 'SYNC_REFERENCE_UNKNOWN',
    remedy: /Deliver an office or tag that the service has/,
    follow: deliver(edit('E2', { role: 'manager', scope: 'Oslo' })),
  },
  'a value that another person has': {
    begin: deliver(edit('E2', { email: 'e3@example.com' })),
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /Correct the value in the source/,
    follow: deliver(staff),
  },
  'a value of a leaver who gives it up': {
    settings: { users: { parking_email: 'parked-{id}@example.com' } },
    begin: async (story) => {
      await deliver(edit('E3', { status: 'left' }))(story);
      await story.sync();
      await deliver(
        edit('E2', { email: 'e3@example.com' }).map((row) => (row.id === 'E3' ? { ...row, status: 'left' } : row)),
      )(story);
    },
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /Or free it: `talent-sync approve --guard users\.free_value --who user:E2 --reason "…"`/,
    follow: 'approve',
  },
  'an address that two people want': {
    begin: deliver(staff.map((row) => (row.id === 'E2' || row.id === 'E3' ? { ...row, email: 'x@example.com' } : row))),
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /Correct the value in the source/,
    follow: deliver(staff),
  },
  'two people who swap addresses': {
    begin: deliver(
      edit('E2', { email: 'e3@example.com' }).map((row) =>
        row.id === 'E3' ? { ...row, email: 'e2@example.com' } : row,
      ),
    ),
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /^Set `users.parking_email`, or give one of them a temporary value in the source first/,
    follow: async (story) => {
      await deliver(
        edit('E2', { email: 'between@example.com' }).map((row) =>
          row.id === 'E3' ? { ...row, email: 'e2@example.com' } : row,
        ),
      )(story);
      await story.sync();
      await deliver(
        edit('E2', { email: 'e3@example.com' }).map((row) =>
          row.id === 'E3' ? { ...row, email: 'e2@example.com' } : row,
        ),
      )(story);
    },
  },
  'a text in another encoding': {
    begin: deliver(edit('E2', { first: 'PersÃ¸n' })),
    waits: 'SYNC_TEXT_GARBLED',
    remedy: /If the text is right, `talent-sync holds resolve \w+ --take source`/,
    follow: 'holds resolve',
  },
  'the account of an administrator': {
    open: withAccounts(chief),
    begin: deliver(edit('E2', { email: 'e2.new@example.com' })),
    waits: 'SYNC_ACCOUNT_PROTECTED',
    remedy: /Change administrators in the service by hand/,
    follow: (story) => story.editUser('E2', { email: 'e2.new@example.com' }),
  },
  'an administrator who leaves': {
    open: withAccounts(chief),
    begin: deliver(edit('E2', { status: 'left' })),
    waits: 'SYNC_ACCOUNT_PROTECTED',
    remedy: /remove the administrator role there first and run `talent-sync sync --full`/,
    follow: async (story) => {
      await story.editUser('E2', { role: 'consultant' });
      await story.sync({ full: true });
    },
  },
  'an account under `users.protect`': {
    settings: { users: { protect: ['user.email == "e2@example.com"'] } },
    begin: promote,
    waits: 'SYNC_ACCOUNT_PROTECTED',
    remedy: /remove the account from `users\.protect`/,
    follow: (story) => story.configure({ users: { protect: [] } }),
  },
  'an account that nobody owns': {
    open: withAccounts({ email: 'stranger@example.com', name: 'Stranger X1', external_unique_id: 'X1' }),
    settings: { users: { unowned: 'report' } },
    // Only a full read judges this.
    begin: forgetMirror,
    waits: 'SYNC_ACCOUNT_UNOWNED',
    remedy: /Add the person to the source/,
    follow: async (story) => {
      await deliver([...staff, person('X1', { email: 'stranger@example.com' })])(story);
      await story.sync();
      forgetMirror(story);
    },
  },
  'an address that matches another person': {
    open: withAccounts({ email: 'n1@example.com', name: 'Old N1', external_unique_id: 'X9' }),
    begin: deliver([...staff, person('N1')]),
    waits: 'SYNC_MATCH_DOUBTFUL',
    remedy: /If they are the same: `talent-sync holds resolve user:N1 --same --reason "…"`; if not, correct email/,
    follow: 'holds resolve',
  },
  'an address that matches a deactivated account': {
    open: withAccounts({ email: 'n1@example.com', name: 'Old', external_unique_id: 'X9', deactivated: true }),
    settings: { users: { parking_email: 'parked-{id}@example.com' } },
    begin: deliver([...staff, person('N1')]),
    waits: 'SYNC_MATCH_DOUBTFUL',
    remedy: /If they are two: `talent-sync approve --guard users\.free_value --who user:N1 --reason "…"`/,
    follow: 'approve',
  },
  'two accounts with one name': {
    open: withAccounts(
      { email: 'a@example.com', name: 'Person N1', external_unique_id: 'X1' },
      { email: 'b@example.com', name: 'Person N1', external_unique_id: 'X2' },
    ),
    settings: { users: { match: ['name'] } },
    begin: deliver([...staff, person('N1')]),
    waits: 'SYNC_MATCH_AMBIGUOUS',
    remedy: /Make the key unique on one of the two sides/,
    follow: (story) => story.editUser('X2', { name: 'Somebody Else' }),
  },
  'an account due for deletion that a row may name': {
    settings: { guards: { users: { deactivate: 'off' } }, users: { leaver: { purge: { after: '90d' } } } },
    begin: async (story) => {
      await deliver(edit('E2', { status: 'left' }))(story);
      await story.sync();
      story.clock.advance(91 * DAY);
      await deliver([...edit('E2', { status: 'left' }), person('N1', { email: 'nowhere' })])(story);
    },
    waits: 'SYNC_PURGE_DOUBTFUL',
    remedy: /Correct the held rows/,
    follow: deliver(edit('E2', { status: 'left' })),
  },
  'a value that will not stay': {
    settings: { users: { fields: PHONE } },
    begin: async (story) => {
      const sieve = await openSieve(story.sandbox.url, (body) =>
        body.replace('"telephone":"+47 1"', '"telephone":"471"'),
      );
      story.configure({ service: { base_url: sieve.url } });
      await deliver(edit('E2', { phone: '+47 1' }))(story);
      await story.sync();
    },
    waits: 'SYNC_FIELD_FROZEN',
    remedy: /Deliver the value in the form that the service keeps/,
    follow: deliver(edit('E2', { phone: '471' })),
  },
  'a value that a colleague has changed, under `drift: report`': {
    settings: { drift: 'report' },
    first: promote,
    begin: (story) => story.editUser('E2', { title: { en: 'Boss' } }),
    waits: 'SYNC_DRIFT_REPORTED',
    remedy: /decide with `talent-sync holds resolve \w+ --take source`/,
    follow: 'holds resolve',
  },
  'an account that a colleague has deactivated, under `drift: report`': {
    settings: { drift: 'report' },
    begin: (story) => story.editUser('E2', { deactivated: true }),
    waits: 'SYNC_DRIFT_REPORTED',
    remedy: /Restore it in the service/,
    follow: (story) => story.editUser('E2', { deactivated: false }),
  },
  'a value that both sides have changed': {
    open: openBothWays,
    settings: { conflicts: 'hold' },
    first: withPhone,
    begin: async (story) => {
      await story.editUser('E2', { telephone: '2' });
      await deliver(edit('E2', { phone: '3' }))(story);
    },
    waits: 'SYNC_CONFLICT',
    remedy: /Decide with `talent-sync holds resolve \w+ --take source`/,
    follow: 'holds resolve',
  },
  'a value that the source never shows': {
    open: openBothWays,
    first: withPhone,
    begin: (story) => story.editUser('E2', { telephone: '2' }),
    waits: 'write_back',
    remedy: /Wait until hr shows it/,
    follow: deliver(edit('E2', { phone: '2' })),
  },
  'a value that the source puts back': {
    open: openBothWays,
    first: withPhone,
    begin: async (story) => {
      await story.editUser('E2', { telephone: '2' });
      for (const phone of ['1', '3', '4', '5', '6']) {
        await deliver(edit('E2', { phone }))(story);
        await story.sync();
      }
    },
    waits: 'SYNC_WRITE_BACK_FROZEN',
    remedy: /Correct it in the source/,
    follow: deliver(edit('E2', { phone: '2' })),
  },
  'a value that the file to HR cannot hold': {
    open: () => openBothWays({ encoding: 'windows-1252' }),
    first: withPhone,
    begin: async (story) => {
      await story.editUser('E2', { telephone: '電話' });
      await story.sync();
    },
    waits: 'SYNC_WRITE_BACK_REFUSED',
    remedy: /Correct the value in the service/,
    follow: (story) => story.editUser('E2', { telephone: '1' }),
  },
  'two rows of a joined file for one person': {
    settings: BOOK,
    first: (story) => {
      deliverBook(story, '1;E2;1');
      return deliver(staff)(story);
    },
    begin: (story) => deliverBook(story, '1;E2;1', '2;E2;2'),
    waits: 'SYNC_MATCH_AMBIGUOUS',
    remedy: /Remove the wrong rows/,
    follow: (story) => deliverBook(story, '1;E2;2'),
  },
  'a value that a spreadsheet would run': {
    open: openBothWays,
    first: withPhone,
    begin: (story) => story.editUser('E2', { telephone: '=1+1' }),
    waits: 'SYNC_WRITE_BACK_FORMULA',
    remedy: /Correct the value in the service/,
    follow: (story) => story.editUser('E2', { telephone: '1' }),
  },
  'a tag that cannot be taken off': {
    open: () => openCvStory({ tagsOnCvs: false }),
    settings: { users: { fields: { tags: { unit: { value: 'record.?unit', when_empty: 'clear' } } } } },
    first: deliver(edit('E2', { unit: 'north' })),
    begin: deliver(staff),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /Remove the tag from .* in the service and set `when_empty: keep`/,
    follow: async (story) => {
      story.configure({ users: { fields: { tags: { unit: { value: 'record.?unit', when_empty: 'keep' } } } } });
    },
  },
});
