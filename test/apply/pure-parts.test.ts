import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { buildPlainBody, buildUserBody, buildUserCreate } from '../../src/apply/bodies.js';
import { runSlots } from '../../src/apply/run-slots.js';
import { findUntaken, formatUntaken, unreadableParts, withRefusals } from '../../src/apply/verify.js';
import type { Json, Values } from '../../src/model/json.js';
import type { Change } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import { changeOf, directoryOf, observedOf } from '../samples.js';

const QUIET = { create: false, reactivate: false, staffing: false };
const LOUD = { create: true, reactivate: true, staffing: false };
const directory = directoryOf({
  countries: ['no'],
  offices: ['no/oslo', 'no/bergen'],
  categories: ['unit'],
  tags: ['unit/north'],
});

function update(after: Values, action: Change['action'] = 'update'): Change {
  return changeOf('users', 'E1', { action, target: 'u1', after, fields: Object.keys(after) });
}

describe('bodies', () => {
  it('send an office with its country, a base role and extra roles, and tags by internal ids', () => {
    const body = buildUserBody(
      update({
        name: 'Jane',
        office: { country: 'NO', name: 'Oslo ' },
        roles: ['referencemanager', 'external', 'countrymanager'],
        role_allowed_offices: [{ country: 'no', name: 'Bergen' }],
        tags: { unit: 'north' },
        telephone: null,
      }),
      directory,
      QUIET,
    );
    expect(body).toEqual({
      name: 'Jane',
      office_id: 'o:no/oslo',
      country_id: 'c:no',
      role: 'external',
      extra_roles: ['referencemanager', 'countrymanager'],
      role_allowed_office_ids: ['o:no/bergen'],
      ensure_unique_custom_tag_ids_by_category: { 'g:unit': 't:unit/north' },
      telephone: null,
    });
  });

  it('send consultant as the default base role', () => {
    expect(buildUserBody(update({ roles: ['countrymanager'] }), directory, QUIET)).toEqual({
      role: 'consultant',
      extra_roles: ['countrymanager'],
    });
  });

  it('change activation in the same call as the fields, and notify people only if configured', () => {
    expect(buildUserBody(update({ deactivated: true }, 'deactivate'), directory, LOUD)).toEqual({ deactivated: true });
    expect(buildUserBody(update({ telephone: '1' }, 'reactivate'), directory, QUIET)).toEqual({
      telephone: '1',
      deactivated: false,
    });
    expect(buildUserBody(update({}, 'reactivate'), directory, LOUD)).toEqual({ deactivated: false, send_email: true });
    expect(buildUserBody(update({ telephone: '1' }), directory, LOUD)).toEqual({ telephone: '1' });
  });

  it('create with e-mail, office and country, and notify people only if configured', () => {
    const create = changeOf('users', 'E1', { after: { email: 'a@x.test', office: { country: 'no', name: 'Oslo' } } });
    expect(buildUserCreate(create, directory, QUIET)).toEqual({
      email: 'a@x.test',
      office_id: 'o:no/oslo',
      country_id: 'c:no',
    });
    expect(buildUserCreate(create, directory, LOUD)).toMatchObject({ send_email: true });
    expect(() => buildUserCreate(changeOf('users', 'E1', { after: { email: 'a@x.test' } }), directory, QUIET)).toThrow(
      'A country is no longer in the service.',
    );
  });

  it('reject a record whose office, tag or category no longer exists', () => {
    const gone = [
      { office: { country: 'no', name: 'Hamar' } },
      { office: { country: 'xx', name: 'Oslo' } },
      { tags: { unit: 'west' } },
      { tags: { grade: 'a' } },
    ];
    for (const after of gone) {
      expect(() => buildUserBody(update(after), directory, QUIET)).toThrow(
        expect.objectContaining({ code: 'SYNC_REFERENCE_UNKNOWN' }),
      );
    }
  });

  it("leave out a project's customer and owners, which have other calls", () => {
    const after = {
      customer: 'C1',
      owners: ['a@x.test'],
      architect: 'A',
      offices: [{ country: 'no', name: 'Oslo' }],
      project_name: { en: 'Dam' },
    };
    expect(buildPlainBody('projects', changeOf('projects', 'P1', { after }), directory)).toEqual({
      architect: 'A',
      office_ids: ['o:no/oslo'],
      project_name: { en: 'Dam' },
    });
  });
});

describe('bodies of projects and customers', () => {
  const types = {
    ...{ heads: 'numeric', kind: 'single_select', price: 'currency_amount' },
    ...{ area: 'quantity', built: 'year_month_range' },
  };
  const bodyOf = (after: Values, before: Values = {}, entity: 'customers' | 'projects' = 'projects') =>
    buildPlainBody(
      entity,
      changeOf(entity, 'K1', { action: 'update', before, after }),
      directoryOf({ industries: ['Energy'], customFields: types }),
    );

  /** The earlier value, the wanted value, and the value sent. */
  const fields: readonly (readonly [string, string, Json, Json, object])[] = [
    ['a number from a text', 'heads', null, '4', { value: 4 }],
    ['an option from a number', 'kind', null, 7, { value: '7' }],
    [
      'a number without a value',
      'heads',
      null,
      { value: null, sensitivity: 'anonymized' },
      { value: null, sensitivity: 'anonymized' },
    ],
    ['an option without a value', 'kind', null, { value: null }, { value: null }],
    ['a secret number', 'heads', 3, { value: '4', sensitivity: 'anonymized' }, { value: 4, sensitivity: 'anonymized' }],
    ['a sum', 'price', null, { amount: 5, currency: 'nok' }, { amount: 5, currency: 'nok' }],
    ['a text of an unknown type', 'other', null, 'x', { value: 'x' }],
    ['a number to clear', 'heads', 3, null, { value: null }],
    ['an option to clear', 'kind', 'a', null, { value: null }],
    ['a sum to clear', 'price', { amount: 5 }, null, { amount: null, currency: null }],
    ['a quantity to clear', 'area', null, null, { amount: null, unit: null }],
    ['a period to clear', 'built', null, null, { from: null, to: null }],
    [
      'an unknown type, cleared like its value',
      'other',
      { from: '2026', sensitivity: 'x', anonymized: {} },
      null,
      { from: null },
    ],
    ['an unknown type, cleared without a value', 'other', null, null, { value: null }],
  ];
  it.each(fields)('send %s', (_, name, before, after, sent) => {
    const body = bodyOf({ custom_fields: { [name]: after } }, { custom_fields: { [name]: before } });
    expect(body).toEqual({ custom_fields: [{ name, ...sent }] });
  });

  it('leave out empty parts of a new project', () => {
    const after = { custom_fields: { area: { amount: 3, unit: null, sensitivity: null }, heads: 0 } };
    const created = changeOf('projects', 'K1', { action: 'create', before: {}, after });
    expect(buildPlainBody('projects', created, directoryOf({ customFields: types }))).toEqual({
      custom_fields: [
        { name: 'area', amount: 3 },
        { name: 'heads', value: 0 },
      ],
    });
  });

  it('name an industry by its id, and clear it', () => {
    const industry = (word: Json) => bodyOf({ industry: word }, {}, 'customers');
    expect(industry('energy')).toEqual({ industry_id: 'i:energy' });
    expect(industry(null)).toEqual({ industry_id: null });
    expect(() => industry('Mining')).toThrow('The industry "Mining" is no longer in the service.');
  });

  it('name the tags of a scope by their ids', () => {
    const scope = update({ role_allowed_tags: { unit: ['north'] } });
    expect(buildUserBody(scope, directory, QUIET)).toEqual({ role_allowed_tag_ids: ['t:unit/north'] });
  });
});

/** An account without any known names. */
const nobody = () => null;

describe('findUntaken', () => {
  const judge = (after: Values, answered: Values, more: Partial<Change> = {}, active = true) =>
    findUntaken({ ...update(after), ...more }, observedOf('u1', answered, { active }), nobody).map(
      ({ field }) => field,
    );

  it('finds nothing if everything is equal or differs only in spelling', () => {
    expect(
      judge({ email: 'Jane@X.test', telephone: '1' }, { email: 'jane@x.test', telephone: '1', name: 'other' }),
    ).toEqual([]);
    expect(judge({ office: { country: 'NO', name: 'Oslo ' } }, { office: { country: 'no', name: 'Oslo' } })).toEqual(
      [],
    );
    expect(judge({ title: { en: 'Lead' } }, { title: { en: 'Lead', no: 'Leder' } })).toEqual([]);
  });

  it('finds other values, missing values and languages, and values that were not cleared', () => {
    expect(judge({ telephone: '1', name: 'a' }, { telephone: '2', name: 'a' })).toEqual(['telephone']);
    expect(judge({ telephone: '1' }, { telephone: null })).toEqual(['telephone']);
    expect(judge({ title: { en: 'Lead', xx: 'Y' } }, { title: { en: 'Lead' } })).toEqual(['title']);
    expect(judge({ telephone: null }, { telephone: '1' })).toEqual(['telephone']);
    expect(judge({ roles: ['consultant', 'countrymanager'] }, { roles: ['consultant'] })).toEqual(['roles']);
  });

  it('ignores values that the answer does not show', () => {
    expect(
      judge({ tags: { unit: 'north' }, role_allowed_offices: [{ country: 'no', name: 'Oslo' }], telephone: '1' }, {}),
    ).toEqual([]);
  });

  it('accepts a list that stayed unchanged', () => {
    const after = { roles: ['consultant', 'countrymanager'], role_allowed_tags: { unit: ['north'] } };
    expect(judge(after, { ...after, roles: ['countrymanager', 'consultant'] })).toEqual([]);
    const linked = changeOf('staffing', 'P1/jane', { after: { role: [{ en: 'Lead' }] } });
    expect(findUntaken(linked, observedOf('s1', linked.after, { entity: 'staffing' }), nobody)).toEqual([]);
  });

  it('reports roles that did not stay, without their scope, which no answer shows', () => {
    const after = {
      roles: ['consultant', 'departmentmanager'],
      role_allowed_offices: [{ country: 'no', name: 'Oslo' }],
    };
    expect(judge(after, { roles: ['consultant'] })).toEqual(['roles']);
  });

  it('compares activation', () => {
    expect(judge({ deactivated: true }, {}, { action: 'deactivate' }, false)).toEqual([]);
    expect(judge({ deactivated: true }, {}, { action: 'deactivate' }, true)).toEqual(['deactivated']);
    expect(judge({}, {}, { action: 'reactivate' }, true)).toEqual([]);
    expect(judge({}, {}, { action: 'reactivate' }, false)).toEqual(['deactivated']);
  });

  it('accepts a created office or tag that exists', () => {
    const office = changeOf('offices', 'no/oslo', { after: { country: 'no', name: 'Oslo' } });
    expect(findUntaken(office, observedOf('o1', {}, { entity: 'offices' }), nobody)).toEqual([]);
  });

  it('ignores tags added by others, and reports a tag that was to be removed', () => {
    const tagged = (answered: Values) => {
      const [before, after] = [{ tags: { unit: ['old'] } }, { tags: { unit: ['new'] } }];
      const change = changeOf('customers', 'C1', { action: 'update', target: 'c1', before, after, fields: ['tags'] });
      return findUntaken(change, observedOf('c1', answered, { entity: 'customers' }), nobody).map(({ field }) => field);
    };
    expect(tagged({ tags: { unit: ['new', 'others'], level: ['a'] } })).toEqual([]);
    expect(tagged({ tags: { unit: ['new', 'old'] } })).toEqual(['tags']);
    expect(tagged({ tags: { unit: ['others'] } })).toEqual(['tags']);
    expect(tagged({})).toEqual([]);
  });

  it('formats the sent and the returned value', () => {
    const [untaken] = findUntaken(update({ telephone: '1' }), observedOf('u1', { telephone: '2' }), nobody);
    expect(formatUntaken(untaken === undefined ? [] : [untaken])).toBe('telephone: sent "1", answered "2"');
    const two = findUntaken(
      update({ telephone: '1', name: 'a' }),
      observedOf('u1', { telephone: '2', name: 'b' }),
      nobody,
    );
    expect(formatUntaken(two)).toBe('name: sent "a", answered "b"; telephone: sent "1", answered "2"');
    const [open] = findUntaken(update({}, 'reactivate'), observedOf('u1', {}, { active: false }), nobody);
    expect(open).toEqual({ field: 'deactivated', sent: false, got: true });
  });

  it('compares each custom field separately, and entries together', () => {
    const project = (before: Values, after: Values) =>
      changeOf('projects', 'P1', { action: 'update', target: 'p1', before, after, fields: Object.keys(after) });
    const answered = (values: Values) => observedOf('p1', values, { entity: 'projects' });
    const fields = project({}, { custom_fields: { heads: 4, size: { amount: 2, unit: 'm2' } } });
    const [wrong, ...others] = findUntaken(
      fields,
      answered({ custom_fields: { heads: 5, size: { amount: 2, unit: 'm2' } } }),
      nobody,
    );
    expect(wrong).toMatchObject({ field: 'custom_fields.heads', sent: 4, got: 5 });
    expect(others).toEqual([]);
    const texts = (...all: readonly string[]) => all.map((en, at) => ({ id: `e${at}`, value: { en } }));
    const entries = project({ project_challenges: [null] }, { project_challenges: [{ value: { en: 'Slow' } }] });
    const untaken = (values: Values) => findUntaken(entries, answered(values), nobody).map(({ field }) => field);
    expect(untaken({ project_challenges: texts('Slow', 'mine') })).toEqual([]);
    expect(untaken({ project_challenges: texts('mine') })).toEqual(['project_challenges']);
    expect(untaken({})).toEqual([]);
  });
});

describe('withRefusals', () => {
  const error = (status: number) =>
    new ServiceError({
      ...{ code: 'SYNC_SERVICE_REFUSED', message: 'no', method: 'PUT', path: '/api/x', status },
      ...{ baseUrl: 'https://acme.example.com', fault: 'status', outcome: 'refused' },
    });
  const change = changeOf('projects', 'P1', {
    after: { workflow_stage: 'live', custom_fields: { heads: 4, size: 2 } },
  });
  const observed = observedOf('p1', { workflow_stage: 'draft' }, { entity: 'projects' });
  const heads = { field: 'custom_fields.heads', sent: 4, got: null };
  const size = { field: 'custom_fields.size', sent: 2, got: null };

  it('lists rejected and differing fields, each once', () => {
    const refusals = [
      { field: 'workflow_stage', error: error(403) },
      { field: 'custom_fields.size', error: error(422) },
    ];
    const stage = { field: 'workflow_stage', sent: 'live', got: 'draft' };
    expect(withRefusals([heads], refusals, change, observed)).toEqual([heads, stage, size]);
    expect(withRefusals([size], refusals, change, observed)).toEqual([size, stage]);
  });

  it('leaves out an unknown custom field', () => {
    const refusals = [{ field: 'custom_fields.size', error: error(404) }];
    expect(withRefusals([heads, size], refusals, change, observed)).toEqual([heads]);
    expect(withRefusals([], refusals, change, observed)).toEqual([]);
  });
});

describe('unreadableParts', () => {
  it('remembers values that the answer does not show, by category, and keeps older ones', () => {
    const written = { tags: { unit: 'south', grade: 'a' }, role_allowed_offices: [{ country: 'no', name: 'Oslo' }] };
    expect(
      unreadableParts(written, { tags: { unit: 'north' }, telephone: '1' }, observedOf('u1', { telephone: '1' })),
    ).toEqual({
      ...written,
      tags: { unit: 'north', grade: 'a' },
    });
    expect(unreadableParts(null, { deactivated: true, title: { en: 'x' } }, observedOf('u1', {}))).toEqual({
      title: { en: 'x' },
    });
  });

  it('leaves out rejected values and calls that were never sent', () => {
    const after = { title: { en: 'x' }, name: 'Jane' };
    expect(unreadableParts(null, after, observedOf('u1', {}), { unsent: ['title.en'] })).toEqual({ name: 'Jane' });
    expect(unreadableParts(null, after, observedOf('u1', {}), { unsent: ['name'] })).toEqual({ title: { en: 'x' } });
    // The CV shows values that are set through it; without the CV, they are unknown.
    expect(unreadableParts(null, { place_of_residence: { en: 'Oslo' } }, observedOf('u1', {}))).toEqual({});
  });

  it('remembers all contents added to a proposal, without those removed', () => {
    const shown = observedOf('b1', { cvs: ['b'] }, { entity: 'proposals' });
    expect(unreadableParts({ cvs: ['a'] }, { cvs: ['b', 'a'] }, shown)).toEqual({ cvs: ['a', 'b'] });
    const takenOut = [{ field: 'cvs', word: 'a', id: 'k1', of: 'u1' }] as const;
    expect(
      unreadableParts({ cvs: ['a', 'c'], references: ['a'] }, { cvs: [], references: [] }, shown, {
        unsent: [],
        takenOut,
      }),
    ).toEqual({
      cvs: ['c'],
      references: ['a'],
    });
  });
});

describe('runSlots', () => {
  function nextOf<T>(items: readonly T[]): () => Promise<T | null> {
    const left = [...items];
    return async () => left.shift() ?? null;
  }

  it('takes every item once, and never more at a time than slots', async () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const taken: number[] = [];
    let busy = 0;
    let most = 0;
    await runSlots(4, nextOf(items), async (item) => {
      busy += 1;
      most = Math.max(most, busy);
      await pause(item % 3);
      taken.push(item);
      busy -= 1;
    });
    expect(taken.toSorted((a, b) => a - b)).toEqual(items);
    expect(most).toBe(4);
  });

  it('stops taking items after an error, lets the others finish, and throws it at the end', async () => {
    const finished: number[] = [];
    const work = runSlots(2, nextOf([1, 2, 3, 4, 5, 6]), async (item) => {
      if (item === 1) throw new Error('first');
      await pause(2);
      finished.push(item);
    });
    await expect(work).rejects.toThrow('first');
    expect(finished).toEqual([2]);
  });

  it('accepts no items, and works without slots', async () => {
    await runSlots(4, nextOf([]), async () => Promise.reject(new Error('nothing to do')));
    const taken: number[] = [];
    await runSlots(0, nextOf([1, 2]), async (item) => void taken.push(item));
    expect(taken).toEqual([1, 2]);
  });
});
