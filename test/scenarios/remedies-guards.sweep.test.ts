import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR, person, type Row } from './company.js';
import type { Story } from './kit.js';
import { deliver, edit, followRemedies, openBothWays, type Step, staff, type } from './remedies.js';

const DAY = 24 * HOUR;
const LEAVERS = ['E1', 'E2', 'E3', 'E4', 'E5'];
const AT_ONCE = { leaver: { after_missing_reads: 1 } };
const NO_LEAVERS = { guards: { users: { deactivate: 'off' } } } as const;
const PARKING = { parking_email: 'parked-{id}@example.com' };
/** Delivers in turn, with a run after each delivery except the last. */
const inTurn =
  (...all: readonly (readonly Row[])[]): Step =>
  async (story) => {
    for (const rows of all.slice(0, -1)) {
      await deliver(rows)(story);
      await story.sync();
    }
    await deliver(all.at(-1) ?? [])(story);
  };
const leave = (ids: readonly string[], more: Row = {}): readonly Row[] =>
  staff.map((row) => (ids.includes(row.id ?? '') ? { ...row, status: 'left', ...more } : row));
const rotate = (column: 'last' | 'email'): readonly Row[] =>
  staff.map((row, at) => ({ ...row, [column]: staff[(at + 1) % staff.length]?.[column] ?? '' }));

async function decline(story: Story): Promise<void> {
  await deliver(leave(['E1']))(story);
  await story.plan();
  await story.type('decline', '--who', 'user:E1', '--reason', 'stays');
}

/** A person with the name and address of E2 arrives long after E2 has left. */
async function comeLate(story: Story): Promise<void> {
  await inTurn(leave(['E2']))(story);
  await story.sync();
  story.clock.advance(3 * DAY);
  await deliver([...leave(['E2']), person('N2', { last: 'E2', email: 'e2@example.com' })])(story);
}

followRemedies({
  'more leavers than the guard allows': {
    settings: { users: AT_ONCE },
    begin: deliver(staff.slice(0, 5)),
    waits: 'users.deactivate',
    remedy: /talent-sync approve --guard users\.deactivate --reason "…"/,
    follow: 'approve',
  },
  'fewer leavers later, still held': {
    begin: inTurn(leave(LEAVERS), leave(['E1'])),
    waits: 'users.deactivate',
    remedy: /talent-sync approve --guard users\.deactivate --reason "…"/,
    follow: 'approve',
  },
  'more returns than the guard allows': {
    settings: NO_LEAVERS,
    begin: inTurn(leave(LEAVERS), edit('E9', { title: 'Lead' })),
    waits: 'users.reactivate',
    remedy: /talent-sync approve --guard users\.reactivate --reason "…"/,
    follow: 'approve',
  },
  'everybody under new keys': {
    begin: deliver(staff.map((row, at) => ({ ...row, id: `N${at}` }))),
    waits: 'users.relink',
    remedy: /talent-sync approve --guard users\.relink --reason "…"/,
    follow: 'approve',
  },
  'accounts to be deleted': {
    settings: { ...NO_LEAVERS, users: { leaver: { purge: { after: '90d' } } } },
    begin: async (story) => {
      await deliver(leave(['E1', 'E2']))(story);
      await story.sync();
      story.clock.advance(91 * DAY);
    },
    waits: 'users.delete',
    remedy: /talent-sync approve --guard users\.delete --reason "…"/,
    follow: 'approve',
  },
  'changes that two guards hold': {
    settings: { guards: { users: { fields: { name: { max: 0 }, title: { max: 0 } } } } },
    begin: deliver(edit('E2', { last: 'New', title: 'Lead' })),
    waits: 'users.fields.title',
    remedy: /talent-sync approve --guard users\.fields\.name,users\.fields\.title --reason "…"/,
    follow: 'approve',
  },
  'an unknown word': {
    begin: inTurn(leave(['E1']), leave(['E1'], { status: 'Left' })),
    waits: 'users.unknown_word',
    remedy: /talent-sync approve --guard users\.unknown_word --reason "…"/,
    follow: 'approve',
  },
  'names that have slipped': {
    begin: deliver(rotate('last')),
    waits: 'users.shifted',
    remedy: /talent-sync approve --guard users\.shifted --reason "…"/,
    follow: 'approve',
  },
  'addresses that have slipped': {
    begin: deliver(rotate('email')),
    waits: 'users.shifted',
    remedy: /Correct the export/,
    follow: deliver(staff),
  },
  'swapped addresses that are right': {
    begin: deliver(rotate('email')),
    waits: 'users.shifted',
    remedy: /set `users\.parking_email`/,
    follow: async (story) => {
      story.configure({ users: PARKING });
      await story.sync();
      await type(story, '`talent-sync approve --guard users.shifted --reason "…"`', 'approve');
    },
  },
  'an address that a leaver keeps': {
    settings: { users: { ...PARKING, match: ['external_unique_id'] } },
    begin: inTurn(leave(['E2']), [...leave(['E2']), person('N1', { email: 'e2@example.com' })]),
    waits: 'users.free_value',
    remedy: /talent-sync approve --guard users\.free_value --reason "…"/,
    follow: 'approve',
  },
  'an address that a leaver of the same name keeps': {
    settings: { users: { ...PARKING, relink: { within: '1d' } } },
    begin: comeLate,
    waits: 'users.same_person',
    remedy: /talent-sync holds resolve --guard users\.same_person --new --reason "…"/,
    follow: 'holds resolve --guard users.same_person --new',
    leaves: ['users.free_value', 'approved'],
  },
  'a record with the name and address of a leaver': {
    settings: { users: { ...PARKING, relink: { within: '1d' } } },
    begin: comeLate,
    waits: 'SYNC_MATCH_CLAIMED',
    remedy:
      /If they are two: `talent-sync holds resolve user:N2 --new --reason "…"`, then `talent-sync approve --guard users\.free_value --who user:N2/,
    follow: ['holds resolve user:N2 --new', 'approve'],
  },
  'a scope that was narrowed': {
    settings: { users: { out_of_scope: 'deactivate' } },
    begin: (story) => story.configure({ users: { scope: 'record.id != "E3"' } }),
    waits: 'users.out_of_scope',
    remedy: /talent-sync approve --guard users\.out_of_scope --reason "…"/,
    follow: 'approve',
  },
  'a person missing since an edit': {
    settings: { users: AT_ONCE },
    begin: (story) => {
      story.configure({ users: { scope: 'record.id != "none"' } });
      return deliver(staff.slice(0, 9))(story);
    },
    waits: 'users.absent_since_edit',
    remedy: /talent-sync approve --guard users\.absent_since_edit --reason "…"/,
    follow: 'approve',
  },
  'values that would be overwritten in the source': {
    open: openBothWays,
    settings: { guards: { sources: { hr: { overwrite: { max: 0 } } } } },
    first: deliver(edit('E2', { phone: '1' })),
    begin: (story) => story.editUser('E2', { telephone: '2' }),
    waits: 'sources.hr.overwrite',
    remedy: /talent-sync approve --guard sources\.hr\.overwrite --reason "…"/,
    follow: 'approve',
    leaves: ['write_back'],
  },
  'a lost state': {
    begin: (story) => {
      for (const ending of ['', '-wal', '-shm'])
        rmSync(join(story.folder, 'var', `state.db${ending}`), { force: true });
    },
    waits: 'state.lost',
    remedy: /talent-sync approve --guard state\.lost --reason "…"/,
    follow: 'approve',
  },
  'a restored state': {
    begin: async (story) => {
      const { file } = (await story.backup()).json;
      await story.restore(file);
      await deliver(leave(['E2']))(story);
    },
    waits: 'state.restored',
    remedy: /talent-sync approve --guard state\.restored --reason "…"/,
    follow: 'approve',
  },
  'a declined change': {
    begin: decline,
    waits: 'declined',
    remedy: /To propose it again: `talent-sync decline --revoke \S+ --reason "…"`/,
    follow: 'decline --revoke',
  },
  'a declined change under an edited configuration': {
    begin: async (story) => {
      await decline(story);
      story.configure({ users: { leaver: { when: 'record.?status.orValue("") in ["left", "gone"]' } } });
    },
    waits: 'users.declined',
    remedy: /talent-sync approve --guard users\.declined --reason "…"/,
    follow: 'approve',
  },
  'an undo of too much': {
    settings: { guards: { users: { create: 'off', deactivate: { max: 0 } } } },
    first: deliver(staff.slice(0, 5)),
    begin: async (story) => {
      await deliver(staff)(story);
      await story.undo((await story.sync()).json.run);
    },
    waits: 'users.deactivate',
    remedy: /`talent-sync approve p\S+ --guard users\.deactivate --reason "…"`, then `talent-sync undo r\S+`/,
    follow: ['approve p', 'undo r'],
    leaves: ['undone'],
  },
});
