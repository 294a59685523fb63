import { describe, expect, it } from 'vitest';
import { loadDirectory } from '../../src/mirror/directory.js';
import {
  observeCategory,
  observeCountry,
  observeCustomer,
  observeOffice,
  observeProject,
  observeTag,
  observeUser,
} from '../../src/mirror/observe.js';
import type { TagNames } from '../../src/model/directory.js';
import type { WireUser } from '../../src/service/wire.js';
import { openTestStores } from '../samples.js';

const NAMES: TagNames = {
  tagById: (id) => (id.startsWith('t') ? { category: 'segment', tag: id } : null),
  shownCategories: () => ['segment', 'region'],
};

const USER: WireUser = {
  id: 'u1',
  email: 'jane@x.test',
  name: 'Jane',
  external_unique_id: 'E1',
  telephone: '',
  title: { en: 'Lead' },
  roles: ['referencemanager', 'consultant', 'consultant'],
  office_id: 'o1',
  office_name: 'Oslo',
  country_id: 'c1',
  country_code: 'no',
  deactivated: false,
  profile_updated_at: '2026-11-20T08:00:00Z',
};

describe('observe', () => {
  it('reads empty fields as null, leaves out fields that were not shown, and reads roles as a set', () => {
    const seen = observeUser(USER);
    expect([seen.entity, seen.id, seen.active, seen.label]).toEqual(['users', 'u1', true, 'Jane <jane@x.test>']);
    expect(seen.values).toEqual({
      office_id: 'o1',
      country_id: 'c1',
      default_cv_id: null,
      deactivated_at: null,
      office: { country: 'no', name: 'Oslo' },
      roles: ['consultant', 'referencemanager'],
      email: 'jane@x.test',
      name: 'Jane',
      external_unique_id: 'E1',
      telephone: null,
      title: { en: 'Lead' },
    });
  });

  it('keeps the languages seen on the CV when a place shows as plain text', () => {
    const { mirror } = openTestStores();
    const placeOf = (place: unknown) => {
      mirror.save([observeUser({ ...USER, place_of_residence: place } as never)], 1);
      const { place_of_residence: texts, place_of_residence_text: text } = mirror.get('users', 'u1')?.values ?? {};
      return [texts, text];
    };
    expect(placeOf('Oslo')).toEqual([undefined, 'Oslo']);
    expect(placeOf({ no: 'Oslo' })).toEqual([{ no: 'Oslo' }, 'Oslo']);
    expect(placeOf('Bergen')).toEqual([{ no: 'Oslo' }, 'Bergen']);
    expect(placeOf('')[0]).toBeNull();
    expect(placeOf({})[0]).toBeNull();
  });

  it('ignores timestamps and pictures in the hash, but not values and activation', () => {
    const { hash } = observeUser(USER);
    const same = {
      ...USER,
      profile_updated_at: '2027-01-01T00:00:00Z',
      image: { url: 'https://signed.example/1' },
      roles: ['consultant', 'referencemanager'],
    } as WireUser;
    expect(observeUser(same).hash).toBe(hash);
    expect(observeUser({ ...USER, telephone: '1' }).hash).not.toBe(hash);
    expect(observeUser({ ...USER, deactivated: true }).hash).not.toBe(hash);
    expect(observeUser({ ...USER, deactivated: true }).active).toBe(false);
  });

  it('keeps the customer of a project and the folded e-mail addresses of its owners', () => {
    const project = observeProject(
      {
        id: 'p1',
        project_name: { en: 'Dam' },
        month_from: '9',
        project_owners: [
          { id: 'u2', email: 'B@x.test' },
          { id: 'u1', email: 'a@x.test' },
          { id: 'u3', email: null },
        ],
      } as never,
      'c1',
      NAMES,
    );
    expect(project.values).toEqual({
      customer_id: 'c1',
      project_name: { en: 'Dam' },
      month_from: '9',
      owners: ['a@x.test', 'b@x.test'],
      owners_ids: { 'a@x.test': 'u1', 'b@x.test': 'u2', u3: 'u3' },
    });
    expect([project.label, project.active]).toEqual(['Dam', true]);
  });

  it('names a customer by its first text, else by its id', () => {
    expect(observeCustomer({ id: 'k1', customer_name: { en: '', no: 'Fjord' } } as never, NAMES).label).toBe('Fjord');
    expect(observeCustomer({ id: 'k1' } as never, NAMES).label).toBe('k1');
  });
});

describe('customers and projects', () => {
  it('show tags by external id under every shown category, and no tags if the list is missing', () => {
    const tagged = { id: 'k1', custom_tags: [{ id: 't2' }, { id: 't1' }, { id: 'nameless' }] } as never;
    expect(observeCustomer(tagged, NAMES).values.tags).toEqual({ region: [], segment: ['t1', 't2'] });
    expect(observeCustomer({ id: 'k1' } as never, NAMES).values.tags).toBeUndefined();
  });

  it('show the industry by its id if the answer has it', () => {
    expect(observeCustomer({ id: 'k1', industry_id: 'i1' } as never, NAMES).values.industry).toBe('i1');
    expect(observeCustomer({ id: 'k1', industry_id: null } as never, NAMES).values.industry).toBeNull();
    expect(observeCustomer({ id: 'k1' } as never, NAMES).values.industry).toBeUndefined();
  });

  it('show entries with their ids and only the languages that have a text', () => {
    const entries = [
      { id: 'e1', value: {}, label: {}, disabled: false },
      { id: 'e2', value: { en: 'Noise', no: '' }, label: { en: 'Site' }, disabled: true },
    ];
    const project = { id: 'p1', project_challenges: entries, project_solutions: [] } as never;
    expect(observeProject(project, 'c1', NAMES).values).toMatchObject({
      project_challenges: [
        { id: 'e1', value: {} },
        { id: 'e2', value: { en: 'Noise' }, label: { en: 'Site' } },
      ],
      project_solutions: [],
    });
  });

  it('show custom fields of every type by name, and unset ones as null', () => {
    const unset = { value: null, amount: null, currency: null, unit: null, from: null, to: null, sensitivity: null };
    const custom_fields = [
      { ...unset, name: 'heads', type: 'numeric', value: '42.0' },
      { ...unset, name: 'model', type: 'single_select', value: { id: 'o1', external_unique_id: 'fixed', name: {} } },
      { ...unset, name: 'worth', type: 'currency_amount', amount: '10', currency: 'nok' },
      { ...unset, name: 'size', type: 'quantity', amount: '4.5', unit: 'm2' },
      { ...unset, name: 'time', type: 'year_month_range', from: '2026-01', to: '2026-11' },
      { ...unset, name: 'secret', type: 'numeric', value: '1.0', sensitivity: 'anonymized', anonymized: { en: 'few' } },
      { ...unset, name: 'none', type: 'numeric', anonymized: {} },
    ];
    expect(observeProject({ id: 'p1', custom_fields } as never, 'c1', NAMES).values.custom_fields).toEqual({
      heads: '42.0',
      model: 'fixed',
      worth: { amount: '10', currency: 'nok' },
      size: { amount: '4.5', unit: 'm2' },
      time: { from: '2026-01', to: '2026-11' },
      secret: { value: '1.0', sensitivity: 'anonymized', anonymized: { en: 'few' } },
      none: null,
    });
    expect(observeProject({ id: 'p1' } as never, 'c1', NAMES).values.custom_fields).toBeUndefined();
  });
});

describe('loadDirectory', () => {
  function load(more: { readonly office?: string; readonly tag?: string } = {}) {
    const { mirror } = openTestStores();
    const category = observeCategory({
      id: 'g1',
      external_unique_id: 'unit',
      values: { en: 'Unit' },
      custom_tags: [],
    } as never);
    mirror.save([observeCountry({ id: 'c1', code: 'no', offices: [] } as never)], 1);
    mirror.save([observeOffice({ id: 'o1', name: more.office ?? 'Oslo' } as never, { id: 'c1', code: 'no' })], 1);
    mirror.save([category, observeCategory({ id: 'g2', values: { en: 'No id' }, custom_tags: [] } as never)], 1);
    mirror.save(
      [
        observeTag({ id: 't1', external_unique_id: more.tag ?? 'north', values: {} } as never, 'g1'),
        observeTag({ id: 't2', external_unique_id: '', values: {} } as never, 'g1'),
      ],
      1,
    );
    mirror.save(
      [
        observeUser(USER),
        observeCustomer({ id: 'k1', external_unique_id: 'C1', customer_name: { en: 'Fjord' } } as never, NAMES),
      ],
      1,
    );
    return loadDirectory(mirror);
  }

  it('finds offices, countries and e-mail addresses in any spelling, and tags by their exact external id', () => {
    const directory = load();
    expect([directory.countryId('NO'), directory.hasCountry('se')]).toEqual(['c1', false]);
    expect([directory.officeId('NO', ' oslo '), directory.officeId('no', 'Bergen')]).toEqual(['o1', null]);
    expect(directory.officeById('o1')).toEqual({ country: 'no', name: 'Oslo' });
    expect([directory.categoryId('unit'), directory.tagId('unit', 'north'), directory.tagId('unit', 'North')]).toEqual([
      'g1',
      't1',
      null,
    ]);
    expect([directory.find('users', 'JANE@x.test'), directory.find('customers', 'c1')]).toEqual([['u1'], ['k1']]);
  });

  it('lists existing names, to suggest the one that was meant', () => {
    const directory = load();
    expect([
      directory.known('countries'),
      directory.known('offices', 'NO'),
      directory.known('categories'),
      directory.known('tags', 'unit'),
    ]).toEqual([['no'], ['Oslo'], ['unit'], ['north']]);
    expect([directory.known('offices', 'se'), directory.known('tags', 'none')]).toEqual([[], []]);
  });

  it('changes its digest with offices and tags', () => {
    expect(load().digest).toBe(load().digest);
    expect(new Set([load().digest, load({ office: 'Oslo S' }).digest, load({ tag: 'south' }).digest]).size).toBe(3);
  });
});
