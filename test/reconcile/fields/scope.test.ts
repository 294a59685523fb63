import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { diffValues } from '../../../src/reconcile/fields/diff.js';
import { joinCompanion, splitCompanion } from '../../../src/reconcile/fields/steps/scope.js';

const roles = ['consultant', 'departmentmanager'];
const oslo = [{ country: 'no', name: 'Oslo' }];
const bergen = [{ country: 'no', name: 'Bergen' }];

describe('a manager’s scope', () => {
  it.each<readonly [what: string, roles: readonly string[] | undefined, shown: Values, sent: boolean]>([
    ['of a manager', roles, {}, true],
    ['of somebody who is none', ['consultant'], {}, false],
    ['no record says anything, and the service shows a manager', undefined, { roles }, true],
    ['no record says anything, and the service shows none', undefined, { roles: ['consultant'] }, false],
    ['of somebody who is to be one no more', ['consultant'], { roles }, false],
    ['nobody knows the roles', undefined, {}, true],
  ])('%s', (_what, wanted, shown, sent) => {
    const desired = { role_allowed_offices: oslo, ...(wanted === undefined ? {} : { roles: wanted }) };
    const { fields } = diffValues({
      ...{ entity: 'users', desired, observed: shown, written: null, rules: {} },
    });
    expect(fields.includes('role_allowed_offices')).toBe(sent);
  });

  it.each<readonly [what: string, after: Values, known: Values | null, own: Values, companion: Values]>([
    ['alone it has moved', { role_allowed_offices: oslo }, null, { role_allowed_offices: oslo }, {}],
    [
      'with roles and none before it comes along',
      { roles, role_allowed_offices: oslo },
      {},
      { roles },
      { role_allowed_offices: oslo },
    ],
    [
      'with roles and as it was it comes along',
      { roles, role_allowed_offices: oslo },
      { role_allowed_offices: oslo },
      { roles },
      { role_allowed_offices: oslo },
    ],
    [
      'with roles and another than before it has moved',
      { roles, role_allowed_offices: oslo },
      { role_allowed_offices: bergen },
      { roles, role_allowed_offices: oslo },
      {},
    ],
    [
      'tags are told apart category by category',
      { roles, role_allowed_tags: { unit: ['a'], area: ['b'] } },
      { role_allowed_tags: { unit: ['a'], area: ['x'] } },
      { roles, role_allowed_tags: { area: ['b'] } },
      { role_allowed_tags: { unit: ['a'] } },
    ],
  ])('%s', (_what, after, known, own, companion) => {
    expect(splitCompanion(after, known)).toEqual({ own, companion });
    // Put together again it is the same change.
    expect(joinCompanion(own, companion)).toEqual(after);
  });

  it('goes with the roles where they do not move', () => {
    expect(joinCompanion({ telephone: '1' }, { role_allowed_offices: oslo })).toEqual({ telephone: '1' });
  });
});
