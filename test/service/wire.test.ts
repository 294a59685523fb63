import { describe, expect, it } from 'vitest';
import { WireCountry, WireProject, WireTag, WireTagCategory, WireUser } from '../../src/service/wire.js';
import { findList } from '../../src/service/wire-values.js';

describe('wire shapes', () => {
  it('find the identifier under each of its names', () => {
    expect(WireUser.parse({ user_id: 'u1' }).id).toBe('u1');
    expect(WireCountry.parse({ _id: 'c1', code: 'no', offices: [{ _id: 'o1', name: 'Oslo' }] }).offices[0]?.id).toBe(
      'o1',
    );
    expect(WireUser.safeParse({ email: 'a@example.com' }).success).toBe(false);
  });

  it('distinguish "not shown" from "empty"', () => {
    const user = WireUser.parse({ id: 'u1', telephone: null, title: null });
    expect(user.telephone).toBeNull();
    expect(user.title).toEqual({});
    expect(user.landline).toBeUndefined();
    expect(user.nationality).toBeUndefined();
    expect(user.roles).toBeUndefined();
  });

  it.each<readonly [what: string, title: unknown, path: readonly string[], found: string]>([
    ['a number for a language', { en: 'Consultant', no: 3 }, ['title', 'no'], 'expected string, received number'],
    ['a text for all languages', 'Consultant', ['title'], 'expected record, received string'],
    ['a list', [{ en: 'Consultant' }], ['title'], 'expected record, received array'],
  ])('reject %s instead of texts by language, and report the place', (_what, title, path, found) => {
    const [issue] = WireUser.safeParse({ id: 'u1', title }).error?.issues ?? [];
    expect(issue).toMatchObject({ path, message: `Invalid input: ${found}` });
  });

  it('leave out a language without a text', () => {
    expect(WireUser.parse({ id: 'u1', title: { en: 'Consultant', no: null } }).title).toEqual({ en: 'Consultant' });
  });

  it('read activation from either field', () => {
    expect(WireUser.parse({ id: 'u1', deactivated_at: false }).deactivated).toBe(false);
    expect(WireUser.parse({ id: 'u1', deactivated_at: '2026-11-20T10:00:00Z' }).deactivated).toBe(true);
    expect(WireUser.parse({ id: 'u1', deactivated: true }).deactivated).toBe(true);
    expect(WireUser.parse({ id: 'u1', deactivated: true, deactivated_at: null })).toMatchObject({
      deactivated: true,
      deactivated_at: false,
    });
  });

  it('leave missing roles unknown, since the base role does not name extra roles', () => {
    const poor = WireUser.parse({ id: 'u1', role: 'consultant' });
    expect([poor.role, poor.roles]).toEqual(['consultant', undefined]);
    expect(
      WireUser.parse({ id: 'u1', role: 'consultant', roles: ['consultant', 'countrymanager'] }).roles,
    ).toHaveLength(2);
  });

  it('keep timestamps unchanged and drop unused fields', () => {
    const user = WireUser.parse({
      id: 'u1',
      profile_updated_at: '2026-11-20T10:00:00+00:00',
      ui_theme: { url: 'signed' },
    });
    expect(user.profile_updated_at).toBe('2026-11-20T10:00:00+00:00');
    expect(user).not.toHaveProperty('ui_theme');
  });

  it('read numbers and texts of either kind', () => {
    expect(WireUser.parse({ id: 'u1', born_year: '1980' }).born_year).toBe(1980);
    expect(WireUser.parse({ id: 'u1', born_year: '' }).born_year).toBeNull();
    expect(WireProject.parse({ id: 'p1', extent_hours_new: 42.5 }).extent_hours_new).toBe('42.5');
  });

  it('drop languages without a text, and reject a text without a language', () => {
    expect(WireUser.parse({ id: 'u1', title: { en: 'Consultant', no: null } }).title).toEqual({ en: 'Consultant' });
    expect(WireUser.safeParse({ id: 'u1', title: 'Consultant' }).success).toBe(false);
  });

  it('read a tag whose category is only in the list, and an empty external id as none', () => {
    expect(WireTag.parse({ id: 't1', values: {}, category_ids: ['k1'] }).custom_tag_category_id).toBe('k1');
    expect(WireTagCategory.parse({ id: 'k1', values: {}, external_unique_id: '' })).toMatchObject({
      external_unique_id: null,
      custom_tags: [],
    });
  });

  it('read offices and owners of a project, and note if they are missing', () => {
    const project = WireProject.parse({
      id: 'p1',
      offices: ['o1', { _id: 'o2' }],
      project_owners: [{ _id: 'u1', deactivated: true }],
    });
    expect(project.office_ids).toEqual(['o1', 'o2']);
    expect(project.project_owners).toEqual([{ id: 'u1', deactivated: true }]);
    expect(WireProject.parse({ id: 'p1' }).project_owners).toBeUndefined();
  });

  it('accept a list plain or wrapped, and nothing else', () => {
    const rows = [{ id: 't1' }];
    expect(findList(rows, ['tags'])).toBe(rows);
    expect(findList({ other: [], tags: rows }, ['tags'])).toBe(rows);
    expect(findList({ total: 1, anything: rows }, ['tags'])).toBe(rows);
    for (const none of [{ error: 'x' }, { one: rows, two: rows }, null]) expect(findList(none, ['tags'])).toEqual(none);
  });
});
