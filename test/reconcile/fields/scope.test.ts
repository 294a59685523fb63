import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { diffValues } from '../../../src/reconcile/fields/diff.js';
import { joinCompanion, splitCompanion } from '../../../src/reconcile/fields/steps/scope.js';

const roles = ['consultant', 'departmentmanager'];
const oslo = [{ country: 'no', name: 'Oslo' }];
const bergen = [{ country: 'no', name: 'Bergen' }];

describe('a manager’s scope', () => {
  it.each<readonly [what: string, roles: readonly string[] | undefined, shown: Values, sent: boolean]>([
    ['for a manager', roles, {}, true],
    ['for a person who is not a manager', ['consultant'], {}, false],
    ['for a manager in the service, without roles in the record', undefined, { roles }, true],
    ['for another person in the service, without roles in the record', undefined, { roles: ['consultant'] }, false],
    ['for a manager who is about to lose the role', ['consultant'], { roles }, false],
    ['for a person with unknown roles', undefined, {}, true],
  ])('is sent or not: %s', (_what, wanted, shown, sent) => {
    const desired = { role_allowed_offices: oslo, ...(wanted === undefined ? {} : { roles: wanted }) };
    const { fields } = diffValues({
      ...{ entity: 'users', desired, observed: shown, written: null, rules: {} },
    });
    expect(fields.includes('role_allowed_offices')).toBe(sent);
  });

  it.each<readonly [what: string, after: Values, known: Values | null, own: Values, companion: Values]>([
    ['alone, so it has moved', { role_allowed_offices: oslo }, null, { role_allowed_offices: oslo }, {}],
    [
      'with roles and without an earlier one, as a companion',
      { roles, role_allowed_offices: oslo },
      {},
      { roles },
      { role_allowed_offices: oslo },
    ],
    [
      'with roles and unchanged, as a companion',
      { roles, role_allowed_offices: oslo },
      { role_allowed_offices: oslo },
      { roles },
      { role_allowed_offices: oslo },
    ],
    [
      'with roles and changed, so it has moved',
      { roles, role_allowed_offices: oslo },
      { role_allowed_offices: bergen },
      { roles, role_allowed_offices: oslo },
      {},
    ],
    [
      'with tags, split by category',
      { roles, role_allowed_tags: { unit: ['a'], area: ['b'] } },
      { role_allowed_tags: { unit: ['a'], area: ['x'] } },
      { roles, role_allowed_tags: { area: ['b'] } },
      { role_allowed_tags: { unit: ['a'] } },
    ],
  ])('is split from the roles: %s', (_what, after, known, own, companion) => {
    expect(splitCompanion(after, known)).toEqual({ own, companion });
    // Joined again, it is the same change.
    expect(joinCompanion(own, companion)).toEqual(after);
  });

  it('is dropped if the roles do not change', () => {
    expect(joinCompanion({ telephone: '1' }, { role_allowed_offices: oslo })).toEqual({ telephone: '1' });
  });
});
