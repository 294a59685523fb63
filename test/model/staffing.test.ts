import { describe, expect, it } from 'vitest';
import { isSameRole, lackingRoles, linkKey, mergeLinks } from '../../src/model/staffing.js';

describe('linkKey', () => {
  it('joins both keys without case and outer blanks', () => {
    expect(linkKey({ project: ' P1', user: 'E1@Example.com' })).toBe('p1/e1@example.com');
  });

  it('returns null if one of them is missing', () => {
    expect(linkKey({ project: 'P1' })).toBeNull();
    expect(linkKey({ user: 'E1' })).toBeNull();
  });
});

describe('mergeLinks', () => {
  const row = (role: string, more = {}) => ({ project: 'P1', user: 'E1', role: [{ en: role }], ...more });

  it('keeps the options of the first row and each role once', () => {
    const merged = mergeLinks(mergeLinks(row('Lead', { link: true }), row('Coder', { link: false })), row('lead '));
    expect(merged).toEqual(row('Lead', { link: true, role: [{ en: 'Coder' }, { en: 'Lead' }] }));
  });

  it('gives the same result for any order of rows', () => {
    expect(mergeLinks(row('A'), row('B'))).toEqual(mergeLinks(row('B'), row('A')));
  });

  it('returns the first row if none has a role', () => {
    expect(mergeLinks({ project: 'P1', user: 'E1' }, { project: 'P1', user: 'E1', link: true })).toEqual({
      project: 'P1',
      user: 'E1',
    });
  });
});

describe('roles', () => {
  it('are the same if their texts match in one language', () => {
    expect(isSameRole({ en: 'Lead', no: 'Leder' }, { no: 'leder' })).toBe(true);
    expect(isSameRole({ en: 'Lead' }, { no: 'Lead' })).toBe(false);
    expect(isSameRole({ en: 'Lead' }, 'Lead')).toBe(false);
  });

  it('are lacking if no existing role matches them', () => {
    expect(lackingRoles([{ en: 'Lead' }, { en: 'Coder' }], [{ en: 'LEAD' }])).toEqual([{ en: 'Coder' }]);
    expect(lackingRoles([{ en: 'Lead' }], undefined)).toEqual([{ en: 'Lead' }]);
    expect(lackingRoles(null, [{ en: 'Lead' }])).toEqual([]);
  });
});
