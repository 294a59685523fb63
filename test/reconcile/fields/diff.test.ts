import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, Values } from '../../../src/model/json.js';
import { type DiffInput, diffValues } from '../../../src/reconcile/fields/diff.js';
import { tries } from '../../depth.js';

function diffUser(desired: Values, observed: Values | null, more: Partial<DiffInput> = {}) {
  return diffValues({ entity: 'users', desired, observed, written: null, rules: {}, ...more });
}

describe('diffValues: the table above it', () => {
  interface Row {
    readonly desired: Json | undefined;
    readonly observed: Json | undefined | 'no object';
    readonly apply: 'always' | 'create' | 'empty' | null;
    readonly after: Json | undefined;
  }
  const rows: readonly Row[] = [
    // absent: keep
    { desired: undefined, observed: '1', apply: 'always', after: undefined },
    { desired: undefined, observed: undefined, apply: 'always', after: undefined },
    { desired: undefined, observed: 'no object', apply: 'always', after: undefined },
    // null and empty: keep
    { desired: null, observed: null, apply: 'always', after: undefined },
    { desired: null, observed: '', apply: 'always', after: undefined },
    { desired: null, observed: undefined, apply: 'always', after: undefined },
    { desired: null, observed: null, apply: 'create', after: undefined },
    { desired: null, observed: 'no object', apply: 'always', after: undefined },
    // null and a value: clear with `always`
    { desired: null, observed: '1', apply: 'always', after: null },
    { desired: null, observed: '1', apply: null, after: null },
    { desired: null, observed: '1', apply: 'create', after: undefined },
    { desired: null, observed: '1', apply: 'empty', after: undefined },
    // the same: keep
    { desired: '1', observed: '1', apply: 'always', after: undefined },
    { desired: ' 1 ', observed: '1', apply: 'always', after: undefined },
    { desired: '1', observed: '1', apply: 'create', after: undefined },
    { desired: '1', observed: '1', apply: 'empty', after: undefined },
    // another value
    { desired: '2', observed: '1', apply: 'always', after: '2' },
    { desired: '2', observed: '1', apply: null, after: '2' },
    { desired: '2', observed: '1', apply: 'create', after: undefined },
    { desired: '2', observed: '1', apply: 'empty', after: undefined },
    // empty in the service
    { desired: '2', observed: null, apply: 'always', after: '2' },
    { desired: '2', observed: '', apply: 'empty', after: '2' },
    { desired: '2', observed: undefined, apply: 'empty', after: '2' },
    { desired: '2', observed: null, apply: 'create', after: undefined },
    // no object: part of create under any rule
    { desired: '2', observed: 'no object', apply: 'always', after: '2' },
    { desired: '2', observed: 'no object', apply: 'create', after: '2' },
    { desired: '2', observed: 'no object', apply: 'empty', after: '2' },
  ];
  for (const { desired, observed, apply, after } of rows) {
    it(`${JSON.stringify(desired)} over ${JSON.stringify(observed)}, ${apply ?? 'no rule'} → ${JSON.stringify(after)}`, () => {
      const want = desired === undefined ? {} : { telephone: desired };
      const have = observed === 'no object' ? null : observed === undefined ? {} : { telephone: observed };
      const found = diffUser(want, have, { rules: apply === null ? {} : { telephone: { apply } } });
      expect(found.after).toEqual(after === undefined ? {} : { telephone: after });
      expect(found.fields).toEqual(after === undefined ? [] : ['telephone']);
      const before = have?.telephone ?? null;
      expect(found.before).toEqual(after === undefined ? {} : { telephone: before });
    });
  }
});

describe('diffValues by shape', () => {
  it('sends the flags of a new object, and only changed ones of an existing object', () => {
    const category = { entity: 'tag_categories', desired: { can_be_used_for_cvs: false } } as const;
    expect(diffUser({}, null, category).after).toEqual({ can_be_used_for_cvs: false });
    expect(diffUser({}, {}, category).after).toEqual({});
    expect(diffUser({}, { can_be_used_for_cvs: true }, category).after).toEqual({ can_be_used_for_cvs: false });
  });

  it('compares e-mails without case and texts with case', () => {
    expect(diffUser({ email: 'Jane@Example.com' }, { email: 'jane@example.com' }).fields).toEqual([]);
    expect(diffUser({ name: 'JANE' }, { name: 'Jane' }).after).toEqual({ name: 'JANE' });
  });

  it('sends all languages of a multilingual field, those of others unchanged', () => {
    const found = diffUser({ title: { en: 'Lead' } }, { title: { en: 'Engineer', no: 'Ingeniør', sv: '' } });
    expect(found).toEqual({
      fields: ['title'],
      before: { title: { en: 'Engineer', no: 'Ingeniør', sv: '' } },
      after: { title: { en: 'Lead', no: 'Ingeniør' } },
    });
    expect(diffUser({ title: { en: 'Lead' } }, { title: { en: 'Lead', no: 'Leder' } }).fields).toEqual([]);
  });

  it('clears one language and keeps the rest, but sends the last one blank', () => {
    expect(diffUser({ title: { en: null } }, { title: { en: 'Lead', no: 'Leder' } }).after).toEqual({
      title: { no: 'Leder' },
    });
    expect(diffUser({ title: { en: null } }, { title: { en: 'Lead' } }).after).toEqual({ title: { en: '' } });
    expect(diffUser({ title: { en: null } }, { title: null }).fields).toEqual([]);
  });

  it('decides each language by its own rule', () => {
    const rules = { 'title.en': { apply: 'empty' }, 'title.no': { apply: 'always' } } as const;
    const found = diffUser({ title: { en: 'Lead', no: 'Leder' } }, { title: { en: 'Engineer' } }, { rules });
    expect(found.after).toEqual({ title: { en: 'Engineer', no: 'Leder' } });
  });

  it('compares tags with the written ones, and sends only the changed categories', () => {
    const found = diffUser(
      { tags: { unit: 'north', grade: 'a' } },
      {},
      { written: { tags: { unit: 'south', grade: 'a', other: 'x' } } },
    );
    expect(found).toEqual({
      fields: ['tags'],
      before: { tags: { unit: 'south' } },
      after: { tags: { unit: 'north' } },
    });
  });

  it('ignores the order of roles and offices, and the spelling of offices', () => {
    expect(
      diffUser({ roles: ['countrymanager', 'consultant'] }, { roles: ['consultant', 'countrymanager'] }).fields,
    ).toEqual([]);
    expect(
      diffUser({ office: { country: 'NO', name: 'oslo ' } }, { office: { country: 'no', name: 'Oslo' } }).fields,
    ).toEqual([]);
    expect(
      diffUser({ office: { country: 'no', name: 'Bergen' } }, { office: { country: 'no', name: 'Oslo' } }).after,
    ).toEqual({
      office: { country: 'no', name: 'Bergen' },
    });
  });

  it('sends a departmentmanager role together with its unchanged scope', () => {
    const scope = [{ country: 'no', name: 'Oslo' }];
    const desired = { roles: ['consultant', 'departmentmanager'], role_allowed_offices: scope };
    const found = diffUser(desired, { roles: ['consultant'] }, { written: { role_allowed_offices: scope } });
    expect(found.fields).toEqual(['role_allowed_offices', 'roles']);
    expect(found.before).toEqual({ roles: ['consultant'], role_allowed_offices: scope });
    expect(
      diffUser(
        { roles: ['consultant', 'countrymanager'], role_allowed_offices: scope },
        { roles: ['consultant'] },
        { written: { role_allowed_offices: scope } },
      ).fields,
    ).toEqual(['roles']);
  });

  it('sets create-only fields only on create', () => {
    const diff = (observed: Values | null) =>
      diffValues({
        entity: 'projects',
        desired: { customer: 'C1', month_from: '09' },
        observed,
        written: null,
        rules: {},
      });
    expect(diff(null).after).toEqual({ customer: 'C1', month_from: '09' });
    expect(diff({ company_customer_id: 'x', month_from: 9 }).fields).toEqual([]);
    expect(diff({ month_from: '10' }).after).toEqual({ month_from: '09' });
  });

  interface References {
    readonly entity?: 'projects' | 'proposals';
    readonly want: Json;
    readonly observed: Values | null;
    readonly idOf?: Readonly<Record<string, string>>;
    readonly rule?: 'create' | 'empty';
    readonly after: Json | undefined;
  }
  const shown = (ids: Readonly<Record<string, string>>): Values => ({ owners: Object.keys(ids), owners_ids: ids });
  const references: Readonly<Record<string, References>> = {
    'the same one in other words': {
      want: ['jane@x'],
      observed: shown({ e1: 'u1' }),
      idOf: { 'jane@x': 'u1' },
      after: undefined,
    },
    'the same word, which will mean another person': {
      want: ['e1'],
      observed: shown({ e1: 'u1' }),
      idOf: { e1: 'u2' },
      after: ['e1'],
    },
    'the same word, which is unknown': { want: ['E1'], observed: shown({ e1: 'u1' }), after: undefined },
    'one more': { want: ['e1', 'e2'], observed: shown({ e1: 'u1' }), after: ['e1', 'e2'] },
    'one less': { want: ['e1'], observed: shown({ e1: 'u1', e2: 'u2' }), after: ['e1'] },
    'one of them twice': { want: ['e1', 'E1'], observed: shown({ e1: 'u1' }), after: undefined },
    'another one': { want: ['e2'], observed: shown({ e1: 'u1' }), after: ['e2'] },
    'none now': { want: null, observed: shown({ e1: 'u1' }), after: null },
    'none, as before': { want: null, observed: { owners: [] }, after: undefined },
    'none, for a new object': { want: [], observed: null, after: undefined },
    'one, for a new object': { want: ['e1'], observed: null, after: ['e1'] },
    'another one, with apply: create': {
      want: ['e2'],
      observed: shown({ e1: 'u1' }),
      rule: 'create',
      after: undefined,
    },
    'another one instead of none, with apply: empty': {
      want: ['e2'],
      observed: { owners: [] },
      rule: 'empty',
      after: ['e2'],
    },
    'put in: only missing ones': {
      entity: 'proposals',
      want: ['e1', 'e2', 'E2'],
      observed: { cvs: ['e1'] },
      after: ['E2'],
    },
    'put in: none is missing': { entity: 'proposals', want: ['e1'], observed: { cvs: ['e1', 'e2'] }, after: undefined },
    'put in: none is removed': { entity: 'proposals', want: null, observed: { cvs: ['e1'] }, after: undefined },
  };
  it.each(Object.entries(references))(
    'compares people: %s',
    (_, { entity = 'projects', want, observed, idOf, rule, after }) => {
      const field = entity === 'projects' ? 'owners' : 'cvs';
      const rules = rule === undefined ? {} : { [field]: { apply: rule } };
      const found = diffValues({
        ...{ entity, desired: { [field]: want }, observed, written: null, rules },
        ...(idOf === undefined ? {} : { idOf: (_to: string, word: string) => idOf[word] ?? null }),
      });
      expect(found.after).toEqual(after === undefined ? {} : { [field]: after });
    },
  );

  const json = { cv_template_type: 'json' };
  const one = { cv_template_id: 't1', cv_template_type: 'word' };
  const both = { cv_template_id: 't1', ...json };
  it.each<readonly [what: string, desired: Values, observed: Values | null, written: Values | null, after: Values]>([
    ['with the value of the record', { ...json, cv_template_id: 't2' }, one, null, { ...json, cv_template_id: 't2' }],
    ['with the current value', json, one, null, both],
    ['with the written value', json, {}, one, both],
    ['alone, if nothing is known', json, {}, null, json],
    ['alone, when it is cleared', { cv_template_type: null }, one, null, { cv_template_type: null }],
    ['alone, for a new object', json, null, null, json],
  ])('sends a field that needs another one: %s', (_, desired, observed, written, after) => {
    const found = diffValues({ entity: 'countries', desired, observed, written, rules: {} });
    expect(found.after).toEqual(after);
    if (after.cv_template_id !== undefined) expect(found.before.cv_template_id).toBe('t1');
  });

  it('leaves out a field that the service does not have', () => {
    expect(diffUser({ shoe_size: '42' }, {}).fields).toEqual([]);
  });
});

const text = fc.option(fc.constantFrom('', 'a', 'b', ' a', 'A', 'ä'), { nil: null });
const languages = fc.dictionary(fc.constantFrom('en', 'no', 'sv'), text, { maxKeys: 3 });
const tags = fc.dictionary(fc.constantFrom('unit', 'grade'), fc.constantFrom('x', 'y'), { maxKeys: 2 });
const roles = fc.subarray(['consultant', 'countrymanager', 'departmentmanager'], { minLength: 1 });
const offices = fc.subarray(
  [
    { country: 'no', name: 'Oslo' },
    { country: 'se', name: 'Malmö' },
  ],
  { minLength: 1 },
);
const values = fc.record(
  {
    email: text,
    telephone: text,
    born_year: fc.option(fc.integer({ min: 1950, max: 1952 }), { nil: null }),
    title: languages,
    office: fc.constantFrom({ country: 'no', name: 'Oslo' }, { country: 'se', name: 'Malmö' }),
    roles,
    role_allowed_offices: offices,
    tags,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Values>;
const rules = fc.dictionary(
  fc.constantFrom('email', 'telephone', 'born_year', 'title.en', 'title.no', 'tags.unit', 'roles', 'office'),
  fc.record({ apply: fc.constantFrom('always', 'create', 'empty') }),
);

/** The values of the service, and the ones remembered as written, after it took a change. */
function take(observed: Values | null, written: Values | null, after: Values): { observed: Values; written: Values } {
  const { tags: newTags, ...rest } = after;
  const kept: Record<string, Json> = observed === null ? {} : { ...(written ?? {}) };
  if (newTags !== undefined) kept.tags = { ...(kept.tags as Values | undefined), ...(newTags as Values) };
  // If tags are known from the CVs, the mirror learns the written ones.
  const known = observed?.tags as Values | undefined;
  const shown = known === undefined ? {} : { tags: { ...known, ...(newTags as Values | undefined) } };
  return { observed: { ...(observed ?? {}), ...rest, ...shown }, written: kept };
}

describe('diffValues with any values', () => {
  it('settles: leaves no difference once its change is taken', () => {
    fc.assert(
      fc.property(
        values,
        fc.option(values, { nil: null }),
        fc.option(values, { nil: null }),
        rules,
        (desired, observed, written, how) => {
          const input: DiffInput = { entity: 'users', desired, observed, written, rules: how as DiffInput['rules'] };
          const first = diffValues(input);
          const taken = take(observed, written, first.after);
          expect(diffValues({ ...input, ...taken })).toEqual({ fields: [], before: {}, after: {} });
        },
      ),
      { numRuns: tries(2_000) },
    );
  });

  it('changes no field, language or category that the record does not name', () => {
    fc.assert(
      fc.property(
        values,
        fc.option(values, { nil: null }),
        fc.option(values, { nil: null }),
        (desired, observed, written) => {
          const { fields, before, after } = diffValues({ entity: 'users', desired, observed, written, rules: {} });
          expect(Object.keys(after).sort()).toEqual(fields);
          expect(Object.keys(before).sort()).toEqual(fields);
          expect(fields.filter((name) => desired[name] === undefined)).toEqual([]);
          const held = (observed?.title ?? written?.title ?? {}) as Readonly<Record<string, Json>>;
          for (const [language, words] of Object.entries((after.title ?? {}) as Values)) {
            if (!Object.hasOwn(desired.title as Values, language)) expect(words).toEqual(held[language]);
          }
          for (const category of Object.keys((after.tags ?? {}) as Values))
            expect(Object.keys(desired.tags as Values)).toContain(category);
        },
      ),
      { numRuns: tries(2_000) },
    );
  });
});
