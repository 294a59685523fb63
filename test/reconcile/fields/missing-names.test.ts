import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Change } from '../../../src/model/plan.js';
import { type NameContext, needOffice, needTag } from '../../../src/reconcile/fields/missing-names.js';
import type { EntitySettings } from '../../../src/reconcile/ports.js';
import { changeOf, type Names, observedOf } from '../../samples.js';
import { createFakePorts, settingsOf } from '../fake-ports.js';

/** The names of the service, the changes planned so far, and the setting for missing names. */
interface World {
  readonly names?: Names;
  readonly planned?: readonly Change[];
  /** `offices.natural no/bergen` → the keys of records that take it. */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  readonly creates?: boolean;
  readonly isUnseen?: boolean;
  readonly entity?: Entity;
}

function open({ names, planned = [], claims = {}, creates = false, isUnseen = false, entity = 'users' }: World) {
  const offices = (names?.offices ?? []).map((name) =>
    observedOf(`o:${name.toLowerCase()}`, { country: name.split('/')[0] ?? '' }, { entity: 'offices' }),
  );
  const ports = createFakePorts({ names: { countries: ['no', 'se'], ...names }, observed: offices });
  for (const change of planned) ports.plan.add(change);
  for (const [name, keys] of Object.entries(claims)) {
    const [what = '', id = ''] = name.split(' ');
    for (const key of keys) ports.plan.claim(what, id, key);
  }
  const settings: EntitySettings = settingsOf({ entity, createMissingOffices: creates, createMissingTags: creates });
  const service = { ...ports.service, isUnseen: () => isUnseen };
  const context: NameContext = { entity, place: 'hr a.csv:2', settings, ports: { ...ports, service }, observed: null };
  const needs: string[] = [];
  const made = () =>
    ports
      .changes()
      .filter((one) => !planned.includes(one))
      .map(({ entity: of, key, after, needs: first, label, place, reason, fields, action, target }) => ({
        ...{ of, key, after, needs: first, label, place, reason: reason.kind, fields, action, target },
      }));
  return { context, needs, made };
}

const NO_OSLO: Names = { offices: ['no/Oslo'] };

describe('an office that a record names', () => {
  const ask = (country: string, name: string, world: World) => {
    const { context, needs, made } = open(world);
    const problem = needOffice(country, name, context, needs);
    return { problem, needs, made: made() };
  };
  const nothing = { problem: null, needs: [], made: [] };
  const office = (key: string, more: Partial<Change>) => changeOf('offices', key, more);

  it('needs nothing if it exists', () => {
    expect(ask('no', 'Oslo', { names: NO_OSLO })).toEqual(nothing);
  });

  it('needs the change that creates or renames the delivered one', () => {
    const claims = { 'offices.natural no/bergen': ['O2'] };
    const make = office('O2', { after: { country: 'no', name: 'Bergen' } });
    expect(ask('no', 'Bergen', { planned: [make], claims })).toEqual({ ...nothing, needs: ['offices:O2'] });
    const rename = office('O2', { action: 'update', target: 'o2', after: { name: 'Bergen' } });
    expect(ask('no', 'Bergen', { planned: [rename], claims })).toEqual({ ...nothing, needs: ['offices:O2'] });
    for (const other of [
      office('O2', { action: 'delete', after: { name: 'Bergen' } }),
      office('O2', { action: 'update', after: { language: 'no' } }),
    ]) {
      expect(ask('no', 'Bergen', { planned: [other], claims }).problem).not.toBeNull();
    }
  });

  it('is reported if it is about to get another name', () => {
    const planned = [office('O1', { action: 'update', target: 'o:no/oslo', after: { name: 'Capital' } })];
    expect(ask('no', 'Oslo', { names: NO_OSLO, planned, creates: true })).toEqual({
      problem: {
        reason: 'The office "Oslo" in country "no" is about to be called "Capital".',
        remedy: 'Deliver the new name here as well; if another office is meant, create it in the service.',
      },
      ...{ needs: [], made: [] },
    });
    const same = [office('O1', { action: 'update', target: 'o:no/oslo', after: { name: 'OSLO' } })];
    expect(ask('no', 'Oslo', { names: NO_OSLO, planned: same })).toEqual(nothing);
  });

  it('is reported if the service lacks its country', () => {
    const { problem } = ask('dk', 'Aarhus', { creates: true });
    expect(problem).toEqual({
      reason: 'The service has no country "dk"; it has no, se.',
      remedy: 'Correct the country in the source, or create the country in the service.',
    });
    const listed = (count: number): string | undefined => {
      const countries = Array.from({ length: count }, (_, index) => `c${index}`);
      return ask('dk', 'Aarhus', { names: { countries } }).problem?.reason.replace(/^.*; /, '');
    };
    expect(listed(0)).toBe('it has none.');
    expect(listed(10)).toBe('it has c0, c1, c2, c3, c4, c5, c6, c7, c8, c9.');
    expect(listed(11)).toBe('it has c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, ….');
  });

  it('is reported with the nearest name if it is missing and not created', () => {
    const remedy =
      'Correct the name in the source, create it in the service, or set `users.fields.office.create_missing: true`.';
    expect(ask('no', 'Olso', { names: NO_OSLO }).problem).toEqual({
      reason: 'The service has no office "Olso" in country "no"; the nearest name is "Oslo".',
      remedy,
    });
    expect(ask('no', 'Tromsdalen', { names: NO_OSLO }).problem).toEqual({
      reason: 'The service has no office "Tromsdalen" in country "no".',
      remedy,
    });
  });

  it('is neither created again nor sent if it was there before', () => {
    const unseen = (name: string) => ({
      problem: {
        reason: `The service does not list the office "${name}" in country "no", which it listed before.`,
        remedy: 'No action needed: the next run looks again, and treats it as deleted if it is still missing.',
      },
      ...{ needs: [], made: [] },
    });
    expect(ask('no', 'Bergen', { creates: true, isUnseen: true })).toEqual(unseen('Bergen'));
    expect(ask('no', 'Oslo', { names: NO_OSLO, isUnseen: true })).toEqual(unseen('Oslo'));
  });

  it('is created before the record if it is missing', () => {
    const made = {
      ...{ of: 'offices', key: 'no/bergen', label: 'Bergen (no)', after: { country: 'no', name: 'Bergen' } },
      ...{ needs: [], place: 'hr a.csv:2', reason: 'referenced', fields: ['country', 'name'] },
      ...{ action: 'create', target: null },
    };
    expect(ask('no', 'Bergen', { creates: true })).toEqual({
      problem: null,
      needs: ['offices:no/bergen'],
      made: [made],
    });
    const planned = [office('no/bergen', {})];
    expect(ask('no', 'Bergen', { creates: true, planned })).toEqual({ ...nothing, needs: ['offices:no/bergen'] });
  });

  it('is created after its country', () => {
    const planned = [changeOf('countries', 'C3', { after: { code: 'dk' } })];
    const claims = { 'countries.code dk': ['C3'] };
    const { problem, made } = ask('dk', 'Aarhus', { creates: true, planned, claims });
    expect(problem).toBeNull();
    expect(made).toMatchObject([{ key: 'dk/aarhus', needs: ['countries:C3'] }]);
  });
});

describe('a tag that a record names', () => {
  const UNITS: Names = { categories: ['unit'], tags: ['unit/north'] };
  const ask = (category: string, tag: string, world: World) => {
    const { context, needs, made } = open({ names: UNITS, ...world });
    const problem = needTag(category, tag, context, needs);
    return { problem, needs, made: made() };
  };
  const nothing = { problem: null, needs: [], made: [] };

  it('needs nothing if it exists', () => {
    expect(ask('unit', 'north', {})).toEqual(nothing);
  });

  it('needs the change that creates the delivered one', () => {
    const claims = { 'tags.natural unit/south': ['T2'] };
    expect(ask('unit', 'south', { claims, planned: [changeOf('tags', 'T2')] })).toEqual({
      ...nothing,
      needs: ['tags:T2'],
    });
    expect(ask('unit', 'south', { claims }).problem).not.toBeNull();
  });

  it('is reported with the nearest name if it is missing and not created', () => {
    const remedy = 'Correct the name in the source, create it in the service, or set `tags.create_missing: true`.';
    expect(ask('unit', 'nroth', {}).problem).toEqual({
      reason: 'The service has no tag "nroth" in category "unit"; the nearest name is "north".',
      remedy,
    });
    expect(ask('unti', 'north', {}).problem).toEqual({
      reason: 'The service has no tag category "unti"; the nearest name is "unit".',
      remedy,
    });
  });

  it('is neither created again nor sent if it was there before', () => {
    for (const tag of ['south', 'north']) {
      const { problem, needs } = ask('unit', tag, { names: { tags: ['unit/north'] }, creates: true, isUnseen: true });
      expect(problem?.reason).toBe(
        `The service does not list the tag "${tag}" in category "unit", which it listed before.`,
      );
      expect(needs).toEqual([]);
    }
  });

  const tag = {
    ...{ of: 'tags', key: 'unit/south', label: 'unit: south', reason: 'referenced', action: 'create', target: null },
    after: { external_unique_id: 'south', category: 'unit', values: { en: 'south' } },
  };
  it('is created in its category if it is missing', () => {
    expect(ask('unit', 'south', { creates: true })).toMatchObject({
      ...{ problem: null, needs: ['tags:unit/south'], made: [{ ...tag, needs: [] }] },
    });
    expect(ask('unit', 'south', { creates: true, planned: [changeOf('tags', 'unit/south')] }).made).toEqual([]);
  });

  const shown: readonly (readonly [Entity, string])[] = [
    ['users', 'can_be_used_for_cvs'],
    ['customers', 'can_be_used_for_customers'],
    ['projects', 'can_be_used_for_references'],
  ];
  it.each(shown)('is created with its category, which shows on %s', (entity, flag) => {
    const { made } = ask('grade', 'a', { creates: true, entity });
    expect(made).toMatchObject([
      {
        ...{ of: 'tag_categories', key: 'grade', label: 'grade', needs: [], reason: 'referenced' },
        after: { external_unique_id: 'grade', values: { en: 'grade' }, [flag]: true },
      },
      { of: 'tags', key: 'grade/a', needs: ['tag_categories:grade'] },
    ]);
  });

  it('is created with a category that shows on every kind of record that names it', () => {
    const { context, needs, made } = open({ creates: true });
    needTag('grade', 'a', context, needs);
    needTag('grade', 'b', { ...context, entity: 'customers', place: 'crm b.csv:9' }, needs);
    const [category] = made();
    expect(category).toMatchObject({
      after: { can_be_used_for_cvs: true, can_be_used_for_customers: true },
      place: 'hr a.csv:2',
    });
    expect(needs).toEqual(['tags:grade/a', 'tags:grade/b']);
  });

  it('is created in a delivered category that is about to be created', () => {
    const planned = [changeOf('tag_categories', 'G7', { after: { external_unique_id: 'grade' } })];
    const claims = { 'tag_categories.external_unique_id grade': ['G7'] };
    expect(ask('grade', 'a', { creates: true, planned, claims }).made).toMatchObject([
      { of: 'tags', needs: ['tag_categories:G7'] },
    ]);
  });
});
