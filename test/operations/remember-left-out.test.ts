import { expect, it } from 'vitest';
import { rememberLeftOut } from '../../src/operations/remember-left-out.js';
import type { SavedPlan } from '../../src/planning/saved/read-plan.js';
import { openTestStores } from '../samples.js';

const change = (key: string, name: string) =>
  ({ id: `c-${key}`, entity: 'users', key, fields: ['email', 'telephone'], withheld: { by: 'guard', name } }) as const;

it('remembers only the fields that a guard is about among the changes that an approval leaves out', () => {
  const stores = openTestStores();
  const saved = {
    meta: { plan: 'p1' },
    changes: [change('E1', 'users.shifted'), change('E2', 'users.update'), change('E3', 'users.shifted')],
    toSources: [],
    guards: [{ guard: 'users.shifted', fields: ['email'] }, { guard: 'users.update' }],
  } as unknown as SavedPlan;
  rememberLeftOut(stores, saved, { id: 'a1', at: '2026-11-20T08:00:00.000Z', passing: new Set(['c-E3']) });
  expect(stores.heldChanges.all().map(({ guard, key, field }) => `${key} ${guard} ${field}`)).toEqual([
    'E1 users.shifted email',
    'E2 users.update email',
    'E2 users.update telephone',
  ]);
});
