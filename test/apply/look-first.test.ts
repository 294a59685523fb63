import { describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../src/apply/end-change.js';
import { lookFirst } from '../../src/apply/look-first.js';
import { observeUser } from '../../src/mirror/observe.js';
import type { TalentService } from '../../src/service/talent-service.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { linkTo } from '../samples.js';
import { type LookFate, openScripted, plannedOf } from './scripted-service.js';

const PERSON = { id: 'u1', name: 'Jane', email: 'jane@example.com', deactivated: false, default_cv_id: 'cv-u1' };
const LEAVE = plannedOf('deactivate', { after: { deactivated: true }, fields: ['deactivated'] });
const DELETE = plannedOf('delete');
const LEFT_AT = '2026-11-01T08:00:00.000Z';
const LEFT = { deactivated: true, deactivated_at: LEFT_AT };

interface Row {
  readonly change: typeof LEAVE;
  /** The person in the service now; null if missing. */
  readonly now: object | null;
  readonly look?: LookFate;
  /** True if this run has read everybody. */
  readonly usersFresh?: boolean;
  readonly isProtected?: boolean;
  readonly result: string;
  readonly code?: string;
  /** The message with its remedy. */
  readonly says?: RegExp;
  readonly writes: readonly string[];
  /** The results in the audit; empty if nothing was decided. */
  readonly audit: readonly string[];
}

/** The cells of the table in `lookFirst`. */
const TABLE: Readonly<Record<string, Row>> = {
  'a leaver whose account is gone': {
    ...{ change: LEAVE, now: null },
    ...{ result: 'already so', writes: [], audit: [] },
  },
  'an account to delete that is gone': {
    ...{ change: DELETE, now: null },
    ...{ result: 'already so', writes: [], audit: ['already so'] },
  },
  'a leaver who became an administrator': {
    ...{ change: LEAVE, now: { role: 'internationalmanager' } },
    ...{ result: 'refused', code: 'SYNC_ACCOUNT_PROTECTED', writes: [], audit: [] },
    says: /^The person is now an administrator.*Deactivate the account in the service by hand\.$/,
  },
  'an account to delete that is an administrator': {
    ...{ change: DELETE, now: { ...LEFT, role: 'internationalmanager' } },
    ...{ result: 'refused', code: 'SYNC_ACCOUNT_PROTECTED', writes: [], audit: [] },
    says: /^The person is now an administrator.*Delete the account in the service by hand\.$/,
  },
  'a leaver who is protected by now': {
    ...{ change: LEAVE, now: {}, isProtected: true },
    ...{ result: 'refused', code: 'SYNC_ACCOUNT_PROTECTED', writes: [], audit: [] },
    says: /^The account is now protected by `user\.email\.endsWith/,
  },
  'a leaver with an active account': {
    ...{ change: LEAVE, now: {} },
    ...{ result: 'done', writes: ['update u1'], audit: ['done'] },
  },
  'an account to delete that is active again': {
    ...{ change: DELETE, now: {} },
    ...{ result: 'refused', code: 'SYNC_PURGE_DOUBTFUL', writes: [], audit: [] },
    says: /^Not deleted: the account is active again/,
  },
  'a leaver whose account is inactive already': {
    ...{ change: LEAVE, now: LEFT },
    ...{ result: 'already so', writes: [], audit: ['already so'] },
  },
  'an account to delete in the expected state': {
    ...{ change: DELETE, now: LEFT },
    ...{ result: 'done', writes: ['delete u1'], audit: ['done'] },
  },
  'an account to delete that was reactivated and deactivated since': {
    ...{ change: DELETE, now: { ...LEFT, deactivated_at: '2026-11-15T08:00:00.000Z' } },
    ...{ result: 'refused', code: 'SYNC_PURGE_DOUBTFUL', writes: [], audit: [] },
    says: /^Not deleted: after talent-sync deactivated the account/,
  },
  'a leaver in a run that has read everybody: changed without a look': {
    ...{ change: LEAVE, now: { role: 'internationalmanager' }, usersFresh: true },
    ...{ result: 'done', writes: ['update u1'], audit: ['done'] },
  },
  'an account to delete in a run that has read everybody: checked anyway': {
    ...{ change: DELETE, now: {}, usersFresh: true },
    ...{ result: 'refused', code: 'SYNC_PURGE_DOUBTFUL', writes: [], audit: [] },
  },
  'a leaver that cannot be read': {
    ...{ change: LEAVE, now: {}, look: 'fails' },
    ...{ result: 'refused', code: 'SYNC_SERVICE_REFUSED', writes: [], audit: [] },
  },
};

async function run({ change, now, look, usersFresh = false, isProtected = false }: Row) {
  const scripted = openScripted(['done'], look ?? null);
  const { stores, execution, people } = scripted;
  const { run, clock, contextOf } = execution;
  linkTo(stores, 'users', 'E1', observeUser(PERSON as unknown as WireUser));
  stores.departures.remember({ key: 'E1', serviceId: 'u1', run: 'r0', at: LEFT_AT, stamp: LEFT_AT });
  if (now !== null) people.set('u1', { ...PERSON, ...now });
  const service = { reader: execution.calls.reader } as TalentService;
  const protectedBy = (): string | null => (isProtected ? 'user.email.endsWith("@example.com")' : null);
  const context = { run, stores, service, clock, contextOf, usersFresh, protectedBy };
  const ends: ExecutionResult[] = [];
  await lookFirst(change, execution, context, (_, end) => ends.push(end));
  await stores.commits.now(() => undefined);
  expect(ends).toHaveLength(1);
  return { ...scripted, end: ends[0] };
}

describe('a look before an account is deactivated or deleted', () => {
  test.each(Object.entries(TABLE))('%s', async (_, row) => {
    const { stores, writes, end } = await run(row);
    const audit = [...readEntries(stores.audit)].map(({ result }) => result);
    const found = { result: end?.result, writes, audit };
    expect(found).toEqual({ result: row.result, writes: row.writes, audit: row.audit });
    expect(end?.error?.code).toBe(row.code);
    if (row.says !== undefined) expect(`${end?.error?.message} ${end?.error?.remedy}`).toMatch(row.says);
  });

  test('saves the look in the mirror', async () => {
    const refused = await run({ ...TABLE['a leaver who became an administrator'] } as Row);
    expect(refused.stores.mirror.get('users', 'u1')?.values.role).toBe('internationalmanager');
    const gone = await run({ ...TABLE['a leaver whose account is gone'] } as Row);
    expect(gone.stores.mirror.get('users', 'u1')).toBeNull();
  });
});
