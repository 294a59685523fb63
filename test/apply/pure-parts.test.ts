import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { buildPlainBody, buildUserBody, buildUserCreate } from '../../src/apply/bodies.js';
import { runSlots } from '../../src/apply/run-slots.js';
import { findUntaken, formatUntaken, unreadableParts } from '../../src/apply/verify.js';
import type { Values } from '../../src/model/json.js';
import type { Change } from '../../src/model/plan.js';
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
  it('an office goes with its country, roles as base and extra ones, tags by internal ids', () => {
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

  it('without a base role it is consultant', () => {
    expect(buildUserBody(update({ roles: ['countrymanager'] }), directory, QUIET)).toEqual({
      role: 'consultant',
      extra_roles: ['countrymanager'],
    });
  });

  it('deactivates and reactivates in the same call as the fields, and tells nobody unless configured', () => {
    expect(buildUserBody(update({ deactivated: true }, 'deactivate'), directory, LOUD)).toEqual({ deactivated: true });
    expect(buildUserBody(update({ telephone: '1' }, 'reactivate'), directory, QUIET)).toEqual({
      telephone: '1',
      deactivated: false,
    });
    expect(buildUserBody(update({}, 'reactivate'), directory, LOUD)).toEqual({ deactivated: false, send_email: true });
    expect(buildUserBody(update({ telephone: '1' }), directory, LOUD)).toEqual({ telephone: '1' });
  });

  it('a create has e-mail, office and country, and a message only where configured', () => {
    const create = changeOf('users', 'E1', { after: { email: 'a@x.test', office: { country: 'no', name: 'Oslo' } } });
    expect(buildUserCreate(create, directory, QUIET)).toEqual({
      email: 'a@x.test',
      office_id: 'o:no/oslo',
      country_id: 'c:no',
    });
    expect(buildUserCreate(create, directory, LOUD)).toMatchObject({ send_email: true });
    expect(() => buildUserCreate(changeOf('users', 'E1', { after: { email: 'a@x.test' } }), directory, QUIET)).toThrow(
      'A country is not in the service any more.',
    );
  });

  it('an office, a tag or a category that is gone meanwhile is an error of the record', () => {
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

  it('a project leaves out its customer and owners, which go another way', () => {
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

/** An account in which no word means anything. */
const nobody = () => null;

describe('findUntaken', () => {
  const judge = (after: Values, answered: Values, more: Partial<Change> = {}, active = true) =>
    findUntaken({ ...update(after), ...more }, observedOf('u1', answered, { active }), nobody).map(
      ({ field }) => field,
    );

  it('everything as sent: nothing, in spelling that means the same too', () => {
    expect(
      judge({ email: 'Jane@X.test', telephone: '1' }, { email: 'jane@x.test', telephone: '1', name: 'other' }),
    ).toEqual([]);
    expect(judge({ office: { country: 'NO', name: 'Oslo ' } }, { office: { country: 'no', name: 'Oslo' } })).toEqual(
      [],
    );
    expect(judge({ title: { en: 'Lead' } }, { title: { en: 'Lead', no: 'Leder' } })).toEqual([]);
  });

  it('another value, a value that was dropped, a language that was dropped, one that was not cleared', () => {
    expect(judge({ telephone: '1', name: 'a' }, { telephone: '2', name: 'a' })).toEqual(['telephone']);
    expect(judge({ telephone: '1' }, { telephone: null })).toEqual(['telephone']);
    expect(judge({ title: { en: 'Lead', xx: 'Y' } }, { title: { en: 'Lead' } })).toEqual(['title']);
    expect(judge({ telephone: null }, { telephone: '1' })).toEqual(['telephone']);
    expect(judge({ roles: ['consultant', 'countrymanager'] }, { roles: ['consultant'] })).toEqual(['roles']);
  });

  it('what the answer does not show cannot be judged', () => {
    expect(
      judge({ tags: { unit: 'north' }, role_allowed_offices: [{ country: 'no', name: 'Oslo' }], telephone: '1' }, {}),
    ).toEqual([]);
  });

  it('roles that did not stay are told without the scope that goes with them, which no answer shows', () => {
    const after = {
      roles: ['consultant', 'departmentmanager'],
      role_allowed_offices: [{ country: 'no', name: 'Oslo' }],
    };
    expect(judge(after, { roles: ['consultant'] })).toEqual(['roles']);
  });

  it('activation counts', () => {
    expect(judge({ deactivated: true }, {}, { action: 'deactivate' }, false)).toEqual([]);
    expect(judge({ deactivated: true }, {}, { action: 'deactivate' }, true)).toEqual(['deactivated']);
    expect(judge({}, {}, { action: 'reactivate' }, true)).toEqual([]);
    expect(judge({}, {}, { action: 'reactivate' }, false)).toEqual(['deactivated']);
  });

  it('an office or tag that was created is judged by its being there', () => {
    const office = changeOf('offices', 'no/oslo', { after: { country: 'no', name: 'Oslo' } });
    expect(findUntaken(office, observedOf('o1', {}, { entity: 'offices' }), nobody)).toEqual([]);
  });

  it('says what was sent and what came back', () => {
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

  it('each custom field by itself, and entries as a whole', () => {
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

describe('unreadableParts', () => {
  it('remembers what the answer does not show, category by category, and forgets nothing older', () => {
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

  it('nothing of what was refused, or whose call was never made', () => {
    const after = { title: { en: 'x' }, name: 'Jane' };
    expect(unreadableParts(null, after, observedOf('u1', {}), { unsent: ['title.en'] })).toEqual({ name: 'Jane' });
    expect(unreadableParts(null, after, observedOf('u1', {}), { unsent: ['name'] })).toEqual({ title: { en: 'x' } });
    // The CV shows what is set through it: without it nobody knows.
    expect(unreadableParts(null, { place_of_residence: { en: 'Oslo' } }, observedOf('u1', {}))).toEqual({});
  });

  it('of what a proposal holds all that was put in, less what was taken out', () => {
    const shown = observedOf('b1', { cvs: ['b'] }, { entity: 'proposals' });
    expect(unreadableParts({ cvs: ['a'] }, { cvs: ['b', 'a'] }, shown)).toEqual({ cvs: ['a', 'b'] });
    const takenOut = [{ field: 'cvs', word: 'a', id: 'k1' }] as const;
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

  it('takes every item once, never more at a time than there are slots', async () => {
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

  it('an error stops the taking, lets the others finish, and is thrown at the end', async () => {
    const finished: number[] = [];
    const work = runSlots(2, nextOf([1, 2, 3, 4, 5, 6]), async (item) => {
      if (item === 1) throw new Error('first');
      await pause(2);
      finished.push(item);
    });
    await expect(work).rejects.toThrow('first');
    expect(finished).toEqual([2]);
  });

  it('no items, or no slots', async () => {
    await runSlots(4, nextOf([]), async () => Promise.reject(new Error('nothing to do')));
    const taken: number[] = [];
    await runSlots(0, nextOf([1, 2]), async (item) => void taken.push(item));
    expect(taken).toEqual([1, 2]);
  });
});
