import { describe, expect, it } from 'vitest';
import type { Values } from '../../src/model/json.js';
import type { Change, Power } from '../../src/model/plan.js';
import { findGain, gainByAdoption, withoutGained } from '../../src/model/power.js';

const NORWAY = { country: 'no', name: 'Oslo' };
const BERGEN = { country: 'no', name: 'Bergen' };
const SWEDEN = { country: 'se', name: 'Stockholm' };
const who = (...roles: readonly string[]): Values => ({ roles: ['consultant', ...roles], office: NORWAY });
const ADMIN = { role: 'internationalmanager' };

type Case = readonly [
  what: string,
  now: Values | null,
  change: { readonly action?: Change['action']; readonly before?: Values; readonly after: Values },
  gain: readonly [power: Power, ...fields: readonly string[]] | null,
];

const CASES: readonly Case[] = [
  // Roles
  ['a consultant joins', null, { action: 'create', after: who() }, null],
  [
    'an administrator joins',
    null,
    { action: 'create', after: { roles: [ADMIN.role] } },
    ['internationalmanager', 'roles'],
  ],
  ['a country manager joins', null, { action: 'create', after: who('countrymanager') }, ['countrymanager', 'roles']],
  [
    'a department manager joins with a scope',
    null,
    { action: 'create', after: { ...who('departmentmanager'), role_allowed_offices: [NORWAY] } },
    ['other', 'role_allowed_offices', 'roles'],
  ],
  [
    'a consultant becomes an administrator',
    who(),
    { after: { roles: [ADMIN.role] } },
    ['internationalmanager', 'roles'],
  ],
  [
    'a country manager becomes an administrator',
    who('countrymanager'),
    { after: { roles: [ADMIN.role] } },
    ['internationalmanager', 'roles'],
  ],
  ['a consultant gets an unknown role', who(), { after: { roles: ['consultant', 'auditor'] } }, ['other', 'roles']],
  [
    'a bid manager gains one role and loses another',
    who('bidmanager'),
    { after: { roles: ['consultant', 'referencemanager'] } },
    ['other', 'roles'],
  ],
  [
    'a country manager loses one role',
    who('bidmanager', 'countrymanager'),
    { after: { roles: ['consultant', 'bidmanager'] } },
    null,
  ],
  ['an administrator becomes a country manager', ADMIN, { after: { roles: ['consultant', 'countrymanager'] } }, null],
  ['a bid manager keeps the roles', who('bidmanager'), { after: { roles: ['bidmanager', 'consultant'] } }, null],
  // Scopes
  [
    'an office is added to the scope',
    who('departmentmanager'),
    { before: { role_allowed_offices: [NORWAY] }, after: { role_allowed_offices: [NORWAY, BERGEN] } },
    ['other', 'role_allowed_offices'],
  ],
  [
    'an office is removed from the scope, and the other has other capitals',
    who('departmentmanager'),
    {
      before: { role_allowed_offices: [NORWAY, BERGEN] },
      after: { role_allowed_offices: [{ country: 'NO', name: 'OSLO' }] },
    },
    null,
  ],
  [
    'the scope gets another tag',
    who('departmentmanager'),
    { before: { role_allowed_tags: { unit: ['north'] } }, after: { role_allowed_tags: { unit: ['south'] } } },
    ['other', 'role_allowed_tags'],
  ],
  [
    'a scope replaces an unknown one',
    who('departmentmanager'),
    { before: { role_allowed_offices: null }, after: { role_allowed_offices: [NORWAY] } },
    ['other', 'role_allowed_offices'],
  ],
  ['a user without the role gets a scope', who(), { after: { role_allowed_offices: [NORWAY] } }, null],
  // Fields that identify the account
  [
    'a consultant gets another address and office',
    who(),
    { after: { email: 'b@x.test', upn: 'b', office: SWEDEN } },
    null,
  ],
  [
    'a country manager gets another user name',
    who('countrymanager'),
    { after: { upn: 'b', name: 'B' } },
    ['countrymanager', 'upn'],
  ],
  ['a bid manager gets a first user name', who('bidmanager'), { after: { upn: 'b' } }, ['other', 'upn']],
  ['a bid manager gets a first external id', who('bidmanager'), { after: { external_unique_id: 'E1' } }, null],
  [
    'a bid manager gets another external id and address',
    { ...who('bidmanager'), external_unique_id: 'E0' },
    { after: { external_unique_id: 'E1', email: 'b@x.test' } },
    ['other', 'email', 'external_unique_id'],
  ],
  [
    'a bid manager becomes a consultant with another address',
    who('bidmanager'),
    { after: { email: 'b@x.test', roles: ['consultant'] } },
    null,
  ],
  [
    'a country manager moves to another country',
    who('countrymanager'),
    { after: { office: SWEDEN } },
    ['countrymanager', 'office'],
  ],
  ['a country manager moves within the country', who('countrymanager'), { after: { office: BERGEN } }, null],
  ['a bid manager moves to another country', who('bidmanager'), { after: { office: SWEDEN } }, null],
  // The complete account
  ['a bid manager returns', who('bidmanager'), { action: 'reactivate', after: { title: 'b' } }, ['other', 'title']],
  [
    'a bid manager returns as a consultant',
    who('bidmanager'),
    { action: 'reactivate', after: { roles: ['consultant'] } },
    null,
  ],
  [
    'a consultant returns as an administrator',
    who(),
    { action: 'reactivate', after: { roles: [ADMIN.role] } },
    ['internationalmanager', 'roles'],
  ],
  [
    'an administrator moves to another key',
    ADMIN,
    { action: 'relink', after: { source_key: 'N1' } },
    ['internationalmanager', 'source_key'],
  ],
  ['a consultant moves to another key', who(), { action: 'relink', after: { source_key: 'N1' } }, null],
];

describe('findGain: the power that a change would give', () => {
  it.each(CASES)('finds the gain: %s', (_what, now, { action = 'update', before = {}, after }, gain) => {
    const found = findGain({ action, before, after }, now);
    expect(found === null ? null : [found.power, ...found.fields]).toEqual(gain);
    if (found !== null) expect(found.isWhole).toBe(action === 'reactivate' || action === 'relink');
  });

  it('describes it', () => {
    const after = { ...who('departmentmanager'), upn: 'b' };
    expect(findGain({ action: 'update', before: {}, after }, who('bidmanager'))?.text).toBe(
      'becomes departmentmanager; upn of a departmentmanager',
    );
    expect(findGain({ action: 'reactivate', before: {}, after: {} }, ADMIN)?.text).toBe(
      'is activated again as internationalmanager',
    );
  });
});

it('counts an adoption by the roles of the account, except for administrators, who keep their access anyway', () => {
  expect(
    [ADMIN, who('countrymanager'), who('bidmanager'), who()].map((now) => gainByAdoption(now)?.power ?? null),
  ).toEqual([null, 'countrymanager', 'other', null]);
});

describe('withoutGained: the roles that need no approval', () => {
  it.each<readonly [now: Values | null, wanted: readonly string[], left: readonly string[] | null]>([
    [null, ['consultant', 'countrymanager'], ['consultant']],
    [null, ['internationalmanager'], null],
    [who(), ['internationalmanager'], null],
    [who(), ['consultant', 'countrymanager'], null],
    [who('bidmanager'), ['consultant', 'countrymanager'], ['consultant']],
    [
      who('bidmanager', 'referencemanager'),
      ['consultant', 'countrymanager', 'bidmanager'],
      ['consultant', 'bidmanager'],
    ],
    [who('bidmanager'), ['internationalmanager'], ['consultant']],
    // The scope of a department manager would have to be sent too.
    [who('bidmanager', 'departmentmanager'), ['consultant', 'departmentmanager', 'countrymanager'], null],
  ])('for %j, reduces the wanted roles %j', (now, wanted, left) => expect(withoutGained(now, wanted)).toEqual(left));
});
