import { describe, expect, test } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Json, Values } from '../../../src/model/json.js';
import { eachLeaf, eachMoved, hashLeaf, withoutLeaves } from '../../../src/reconcile/fields/leaves.js';

const OSLO = { country: 'no', name: 'Oslo' };

/** `path (field, part): value` */
function listLeaves(entity: Entity, values: Values): readonly string[] {
  return [...eachLeaf(entity, values)].map(
    ({ path, field, part, value }) => `${path} (${field}, ${part}): ${JSON.stringify(value)}`,
  );
}

describe('eachLeaf', () => {
  test.each<readonly [what: string, entity: Entity, values: Values, leaves: readonly string[]]>([
    ['a plain field', 'users', { email: 'a' }, ['email (email, null): "a"']],
    ['a cleared field', 'users', { title: null }, ['title (title, null): null']],
    ['an office', 'users', { office: OSLO }, [`office (office, null): ${JSON.stringify(OSLO)}`]],
    [
      'languages',
      'users',
      { title: { en: 'a', no: null } },
      ['title.en (title, en): "a"', 'title.no (title, no): null'],
    ],
    ['categories', 'customers', { tags: { unit: ['a'] } }, ['tags.unit (tags, unit): ["a"]']],
    [
      'custom fields',
      'projects',
      { custom_fields: { size: { amount: 1 } } },
      ['custom_fields.size (custom_fields, size): {"amount":1}'],
    ],
    ['a list', 'projects', { owners: ['a', 'b'] }, ['owners (owners, null): ["a","b"]']],
    [
      'words of a list that only grows',
      'proposals',
      { cvs: ['A', 'b'] },
      ['cvs.a (cvs, A): "A"', 'cvs.b (cvs, b): "b"'],
    ],
    ['roles, which are not words', 'staffing', { role: [{ en: 'a' }] }, ['role (role, null): [{"en":"a"}]']],
    ['no field of the entity', 'users', { shoe_size: 9 }, []],
  ])('lists the leaves of %s', (_, entity, values, leaves) => {
    expect(listLeaves(entity, values)).toEqual(leaves);
  });
});

describe('eachMoved', () => {
  test.each<readonly [what: string, entity: Entity, after: Values, shown: Values, moved: readonly string[]]>([
    ['an existing value, which is not changed', 'users', { telephone: '1', name: 'a' }, { telephone: '1' }, ['name']],
    ['two forms of nothing, which are the same', 'users', { telephone: null }, { telephone: '' }, []],
    ['a repeated language', 'users', { title: { en: 'a', no: 'b' } }, { title: { en: 'x', no: 'b' } }, ['title.en']],
    [
      'a language that is left out, and thus removed',
      'users',
      { title: { en: 'a' } },
      { title: { en: 'a', no: 'b' } },
      ['title.no'],
    ],
    [
      'a blank language that is left out',
      'users',
      { title: { en: 'a' } },
      { title: { en: 'b', no: '' } },
      ['title.en'],
    ],
    [
      'a category that is left out, which stays',
      'users',
      { tags: { unit: 'a' } },
      { tags: { unit: 'b', grade: 'c' } },
      ['tags.unit'],
    ],
    ['a text instead of none', 'users', { title: { en: 'a' } }, { title: null }, ['title.en']],
    ['a text cleared in all languages', 'users', { title: null }, { title: { en: 'a' } }, ['title']],
    ['a list in another order', 'projects', { owners: ['a', 'b'] }, { owners: ['b', 'a'] }, []],
    ['added words', 'proposals', { cvs: ['A', 'b'] }, { cvs: ['a'] }, ['cvs.b']],
    ['words of a hidden list', 'proposals', { cvs: ['a'] }, {}, ['cvs.a']],
    ['a role next to others', 'staffing', { role: [{ en: 'b' }] }, { role: [{ en: 'a' }] }, ['role']],
  ])('lists what changes for %s', (_, entity, after, shown, moved) => {
    expect([...eachMoved(entity, after, shown)].map(({ path }) => path)).toEqual(moved);
  });
});

describe('withoutLeaves', () => {
  test.each<
    readonly [what: string, entity: Entity, after: Values, observed: Values, dropped: readonly string[], left: Values]
  >([
    ['nothing', 'users', { name: 'a' }, {}, [], { name: 'a' }],
    ['a complete field', 'users', { name: 'a', telephone: '1' }, {}, ['name'], { telephone: '1' }],
    [
      ...(['a language, which keeps the value of the service', 'users', { title: { en: 'a', no: 'b' } }] as const),
      ...([{ title: { no: 'x' } }, ['title.no'], { title: { en: 'a', no: 'x' } }] as const),
    ],
    [
      ...(['a language that the service lacks', 'users', { title: { en: 'a', no: 'b' } }] as const),
      ...([{ title: { no: '' } }, ['title.no'], { title: { en: 'a' } }] as const),
    ],
    [
      ...(['a text that then changes nothing', 'users', { title: { en: 'a', no: 'x' } }] as const),
      ...([{ title: { en: 'b', no: 'x' } }, ['title.en'], {}] as const),
    ],
    [
      ...(['a text that still removes a language', 'users', { title: { en: 'a' } }] as const),
      ...([{ title: { en: 'b', no: 'x' } }, ['title.en'], { title: { en: 'b' } }] as const),
    ],
    [
      ...(['a category', 'users', { tags: { unit: 'a', grade: 'b' } }] as const),
      ...([{ tags: { unit: 'x', site: 'y' } }, ['tags.grade'], { tags: { unit: 'a' } }] as const),
    ],
    [
      ...(['the last category', 'users', { tags: { unit: 'a' } }] as const),
      ...([{ tags: { unit: 'x', site: 'y' } }, ['tags.unit'], {}] as const),
    ],
    [
      ...(['a category that the service has', 'users', { tags: { unit: 'a', grade: 'b' } }] as const),
      ...([{ tags: { unit: 'x', grade: 'y' } }, ['tags.grade'], { tags: { unit: 'a' } }] as const),
    ],
    [
      ...(['a custom field', 'projects', { custom_fields: { heads: { value: 2 }, size: null } }] as const),
      { custom_fields: { heads: { value: '1.0' }, size: { amount: 3 } } },
      ...([['custom_fields.heads'], { custom_fields: { size: null } }] as const),
    ],
    ['a word', 'proposals', { cvs: ['a', 'b'] }, { cvs: ['c'] }, ['cvs.a'], { cvs: ['b'] }],
    ['the last word', 'proposals', { cvs: ['a'] }, { cvs: ['c'] }, ['cvs.a'], {}],
    ['roles', 'staffing', { role: [{ en: 'a' }] }, {}, ['role'], {}],
  ])('drops %s', (_, entity, after, observed, dropped, left) => {
    const leaves = [...eachLeaf(entity, after)].filter(({ path }) => dropped.includes(path));
    expect(leaves.map(({ path }) => path)).toEqual(dropped);
    expect(withoutLeaves(entity, after, leaves, observed)).toEqual(left);
  });
});

describe('hashLeaf', () => {
  const same: readonly (readonly [Json | undefined, Json | undefined, boolean])[] = [
    [undefined, null, true],
    ['', [], true],
    [{ en: '' }, null, true],
    [['a', 'b'], ['b', 'a'], true],
    [['a', 'b'], ['a'], false],
    [['a', 'b'], 'a,b', false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[{ en: 'a' }, { en: 'b' }], [{ en: 'b' }, { en: 'a' }], true],
    [1, '1', false],
    [false, null, false],
  ];
  test.each(same)('compares %j with %j: %s', (a, b, isSame) => {
    expect(hashLeaf(a) === hashLeaf(b)).toBe(isSame);
  });
});
