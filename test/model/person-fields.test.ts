import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessFields, askingNames, ownTexts, personalFields } from '../../src/model/person-fields.js';

describe('what a field of people tells of them', () => {
  it('follows from its row', () => {
    expect(personalFields('name')).toEqual(['name', 'name_multilang']);
    expect(personalFields('address')).toEqual(['email', 'upn']);
    expect(personalFields('number')).toEqual(['telephone', 'landline']);
    expect(accessFields('identity')).toEqual(['external_unique_id', 'email', 'upn']);
    expect(accessFields('power')).toEqual(['roles', 'role_allowed_offices', 'role_allowed_tags']);
    expect(accessFields('place')).toEqual(['office']);
    expect(askingNames()).toEqual(['external_unique_id', 'email', 'upn', 'name']);
    expect(ownTexts()).toEqual(['external_unique_id', 'email', 'upn', 'name', 'telephone', 'landline']);
  });
});

/** Added in two files, as docs/extending.md shows, and nobody has thought about it any further. */
describe('a plain field of people that is added to FIELDS', () => {
  const load = async () => {
    const { findPerson } = await import('../../src/audit/erasure/find-person.js');
    const { REDACTED_FIELDS } = await import('../../src/logger.js');
    const { holdShifted } = await import('../../src/planning/holds/hold-shifted.js');
    return { findPerson, REDACTED_FIELDS, holdShifted, ...(await import('../samples.js')) };
  };
  let program: Awaited<ReturnType<typeof load>>;
  beforeAll(async () => {
    vi.resetModules();
    vi.doMock(import('../../src/model/fields.js'), async (read) => {
      const own = await read();
      return { ...own, FIELDS: { ...own.FIELDS, users: { ...own.FIELDS.users, pager: { shape: 'text' as const } } } };
    });
    program = await load();
  });
  afterAll(() => {
    vi.doUnmock('../../src/model/fields.js');
    vi.resetModules();
  });

  it('is redacted in logs', () => expect(program.REDACTED_FIELDS).toContain('pager'));

  it('is found by an erasure', () => {
    const { findPerson, linkTo, observedOf, openTestStores } = program;
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', { email: 'ann@example.com', pager: 'call 55-11-22-33' }));
    expect(findPerson(stores, 'ann@example.com').person.texts).toContain('call 55-11-22-33');
  });

  it('is watched for values that have slipped', async () => {
    const { changeOf, desiredOf, holdShifted, linkTo, observedOf, openTestStores } = program;
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
