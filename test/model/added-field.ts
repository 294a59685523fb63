import { describe, expect, it } from 'vitest';
import { REDACTED_FIELDS } from '../../src/base/logger.js';
import { holdShifted } from '../../src/planning/holds/hold-shifted.js';
import { findPerson } from '../../src/store/audit/erasure/find-person.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../samples.js';

/**
 * test/extending.test.ts runs this in a copy of the project in which FIELDS has one more field, `pager`, and nothing
 * else has changed.
 */
describe('a plain field of people that is added to FIELDS', () => {
  it('is redacted in logs', () => expect(REDACTED_FIELDS).toContain('pager'));

  it('is found by an erasure', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', { email: 'ann@example.com', pager: 'call 55-11-22-33' }));
    expect(findPerson(stores, 'ann@example.com').person.texts).toContain('call 55-11-22-33');
  });

  it('is watched for values that have slipped to another row', async () => {
    const stores = openTestStores();
    const keys = ['A', 'B', 'C', 'D'];
    for (const [at, key] of keys.entries()) {
      linkTo(stores, 'users', key, observedOf(`u-${key}`, { pager: `555 000 ${at}` }));
      const next = { pager: `555 000 ${(at + 1) % keys.length}` };
      stores.work.stage([{ desired: desiredOf(key, next), hash: 'h' }]);
      stores.work.plan(changeOf('users', key, { action: 'update', target: `u-${key}`, fields: ['pager'] }));
    }
    expect(await holdShifted(stores, 'c', async () => undefined)).toMatchObject([{ guard: 'users.shifted', held: 4 }]);
  });
});
