import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../src/model/desired.js';
import type { Values } from '../../src/model/json.js';
import { startRecord } from '../../src/reconcile/fields/record-draft.js';
import { dropFrozen } from '../../src/reconcile/fields/steps/drop-frozen.js';
import { joinCompanion, splitCompanion } from '../../src/reconcile/fields/steps/scope.js';
import { findDoubt } from '../../src/reconcile/match/correlate.js';
import { desiredOf, matchBy, observedOf } from '../samples.js';
import { createFakePorts, OSLO, settingsOf } from './fake-ports.js';

describe('findDoubt', () => {
  const MATCH = matchBy(['external_unique_id'], ['name', 'born_year'], ['email']);
  const doubt = (here: Values, there: Values, by: string) =>
    findDoubt(desiredOf('E1', here), observedOf('u1', there), MATCH, by);

  it.each<[string, Values, Values, string, string | null]>([
    ['another number', { external_unique_id: 'E1' }, { external_unique_id: 'X9' }, 'email', 'external_unique_id'],
    ['the same number', { external_unique_id: 'E1' }, { external_unique_id: 'E1' }, 'email', null],
    ['no number there', { external_unique_id: 'E1' }, { external_unique_id: null }, 'email', null],
    ['no number here', {}, { external_unique_id: 'X9' }, 'email', null],
    [
      'matched by the number itself',
      { external_unique_id: 'E1' },
      { external_unique_id: 'X9' },
      'external_unique_id',
      null,
    ],
    ['a name, which many have', { name: 'A', born_year: 1 }, { name: 'B', born_year: 2 }, 'email', null],
    ['a later entry', { email: 'a@x.test' }, { email: 'b@x.test' }, 'name + born_year', null],
  ])('finds a doubt or none: %s', (_, here, there, by, expected) => {
    expect(doubt(here, there, by)).toBe(expected);
  });
});

describe('dropFrozen', () => {
  const candidate: Candidate = {
    desired: desiredOf('E1', { telephone: '1', name: 'Jane' }),
    desiredHash: 'd',
    linkedId: 'u1',
    sourceUnchanged: true,
    base: null,
    written: null,
    untaken: { telephone: { sent: '1', got: null }, title: { sent: { en: 'a' }, got: { en: 'b' } } },
  };
  const drop = (after: Values, there: Values) => {
    const ports = createFakePorts({});
    const observed = observedOf('u1', there);
    const draft = startRecord(
      { candidate, observed, action: 'update', adoptedBy: null, relink: null },
      settingsOf(),
      ports,
    );
    draft.after = after;
    dropFrozen(draft);
    const [kept, reasons] = [draft.after, ports.holds.map(({ reason }) => reason)];
    return { kept: Object.keys(kept), reasons };
  };

  it('removes a value that would not stay while both sides are unchanged, shown empty or not at all', () => {
    for (const there of [{ telephone: null }, {}]) {
      const { kept, reasons } = drop({ telephone: '1', name: 'Jane' }, there);
      expect(kept).toEqual(['name']);
      expect(reasons).toEqual([expect.stringMatching(/^telephone .*"1" was sent.*has null/)]);
    }
  });

  it('removes a text of several languages as one', () => {
    expect(drop({ title: { en: 'a' } }, { title: { en: 'b' } })).toEqual({
      kept: [],
      reasons: [expect.stringMatching(/^title does not stay/)],
    });
    expect(drop({ title: { en: 'a', no: 'c' } }, { title: { en: 'b' } }).kept).toEqual(['title']);
  });

  it('keeps it once the source or the service changes', () => {
    expect(drop({ telephone: '2' }, { telephone: null })).toEqual({ kept: ['telephone'], reasons: [] });
    expect(drop({ telephone: '1' }, { telephone: '3' })).toEqual({ kept: ['telephone'], reasons: [] });
  });
});

describe('splitCompanion', () => {
  const roles = ['consultant', 'departmentmanager'];

  it('treats the scope as a companion of the roles unless it moved itself', () => {
    const after = { roles, role_allowed_offices: [OSLO] };
    expect(splitCompanion(after, { role_allowed_offices: [{ country: 'NO', name: 'oslo' }] })).toEqual({
      own: { roles },
      companion: { role_allowed_offices: [OSLO] },
    });
    expect(splitCompanion(after, null)).toEqual({ own: { roles }, companion: { role_allowed_offices: [OSLO] } });
    const moved = { role_allowed_offices: [{ country: 'no', name: 'Bergen' }] };
    expect(splitCompanion(after, moved)).toEqual({ own: after, companion: {} });
    const alone = { role_allowed_offices: [OSLO] };
    expect(splitCompanion(alone, alone)).toEqual({ own: alone, companion: {} });
  });

  it('splits tags by category and joins them again', () => {
    const after = { roles, role_allowed_tags: { unit: ['south', 'north'], grade: ['g1'] } };
    const there = { role_allowed_tags: { unit: ['north', 'south'], grade: [] } };
    const { own, companion } = splitCompanion(after, there);
    expect({ own, companion }).toEqual({
      own: { roles, role_allowed_tags: { grade: ['g1'] } },
      companion: { role_allowed_tags: { unit: ['south', 'north'] } },
    });
    expect(joinCompanion(own, companion)).toEqual(after);
    expect(joinCompanion({ name: 'Jane' }, companion)).toEqual({ name: 'Jane' });
    expect(splitCompanion(after, null)).toEqual({
      own: { roles },
      companion: { role_allowed_tags: after.role_allowed_tags },
    });
  });
});
