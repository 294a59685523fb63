import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { readScopes } from '../../../src/planning/reads/read-scopes.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, personOf, readingOf, rowOf } from '../world.js';

const SCOPED = `${SAMPLE}    roles: "[record.id]"\n    role_allowed_offices: [{ country: record.country, name: record.dept }]\n`;
const MANAGER = { roles: ['consultant', 'departmentmanager'] };
const SCOPE = { role_allowed_offices: [{ country: 'no', name: 'Oslo' }] };

interface Person {
  /** The values that hr asks for; null if there is no row. */
  readonly wants?: Values | null;
  readonly has?: Values;
  /** True if both sides were found equal before. */
  readonly agreed?: true;
  readonly leaver?: boolean;
  readonly active?: boolean;
  readonly full?: boolean;
  readonly text?: string;
  readonly shows?: Readonly<Record<string, unknown>>;
}

async function read({
  wants = {},
  has = {},
  agreed,
  leaver = false,
  active = true,
  full = false,
  text = SCOPED,
  shows = {},
}: Person) {
  const stores = openTestStores();
  linkTo(stores, 'users', 'E1', observedOf('u1', { ...personOf('E1'), ...has }, { active }));
  const observedHash = stores.mirror.get('users', 'u1')?.hash ?? '';
  const agreement = { base: {}, written: {}, desiredHash: 'h-E1', observedHash, contextHash: 'c' };
  if (agreed) stores.links.agree('users', 'E1', agreement);
  const rows = wants === null ? [] : [rowOf('E1', wants, { leaver })];
  const { context, calls } = contextOf({ config: loadSample(text), stores, rows, usersFresh: full, shows });
  await readScopes(readingOf('users', context));
  return { calls, user: stores.mirror.get('users', 'u1') };
}

describe('reading the scope of a departmentmanager', () => {
  const scoped = { ...MANAGER, ...SCOPE };
  it.each<readonly [when: string, person: Person, isRead: boolean]>([
    ['the record names a scope and gives the role', { wants: scoped }, true],
    ['the account has the role', { wants: SCOPE, has: MANAGER }, true],
    ['nobody has the role', { wants: { ...SCOPE, roles: ['consultant'] } }, false],
    ['the record names no scope', { wants: MANAGER, has: MANAGER }, false],
    [
      'the scope was seen and is unchanged',
      { wants: scoped, has: { ...MANAGER, role_allowed_office_ids: ['o1'] } },
      false,
    ],
    [
      'the same at a full read',
      { wants: scoped, has: { ...MANAGER, role_allowed_office_ids: ['o1'] }, full: true },
      true,
    ],
    ['the person leaves', { wants: scoped, leaver: true }, false],
    ['the account is inactive', { wants: scoped, active: false }, false],
    ['no scope is mapped', { wants: scoped, text: SAMPLE, full: true }, false],
    ['both sides agreed on it, at a full read', { wants: scoped, agreed: true, full: true }, true],
    ['the same without a full read', { wants: scoped, agreed: true }, false],
    ['the same with the role only on the account', { wants: SCOPE, has: MANAGER, agreed: true, full: true }, true],
    ['the same without the role', { wants: SCOPE, agreed: true, full: true }, false],
  ])('reads the person or not: %s', async (_when, person, isRead) => {
    expect((await read(person)).calls).toEqual(isRead ? ['users.get u1'] : []);
  });

  it('stores the scope in the mirror, and removes a person who is gone', async () => {
    const shown = { id: 'u1', deactivated: false, ...MANAGER, role_allowed_office_ids: ['o7'] };
    const { user } = await read({ wants: scoped, shows: { 'users.get': shown } });
    expect(user?.values.role_allowed_office_ids).toEqual(['o7']);
    expect((await read({ wants: scoped })).user).toBeNull();
  });
});
