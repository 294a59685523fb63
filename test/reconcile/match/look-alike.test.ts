import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { suspectLookAlike } from '../../../src/reconcile/match/look-alike.js';
import type { LeaverVerdict } from '../../../src/reconcile/ports.js';
import { desiredOf, observedOf } from '../../samples.js';
import { createFakePorts, settingsOf } from '../fake-ports.js';

const SINCE = '2026-11-19T08:00:00.000Z';
const GONE: LeaverVerdict = { due: true, text: 'missing from 3 reads', since: SINCE };

interface Around {
  readonly entity?: Entity;
  /** Keys of records that exist in the sources. */
  readonly staged?: readonly string[];
  readonly linked?: string | null;
  readonly absent?: LeaverVerdict;
  /** Set if the source says that the row of C1 was deleted. */
  readonly isDeleted?: true;
}

/** The holds of a record under a new key, next to an object that C1 is linked to. */
function judge(
  values: Values,
  object: Observed,
  { entity = 'customers', staged = [], linked = 'C1', absent = GONE, isDeleted }: Around = {},
) {
  const desired = desiredOf('C2', values, { entity });
  const ports = createFakePorts({
    desired: [desired, ...staged.map((key) => desiredOf(key, values, { entity }))],
    observed: [object],
    links: linked === null ? {} : { [`${entity}:${linked}`]: object.id },
    absent,
    ...(isDeleted ? { gone: [{ key: 'C1', id: object.id, place: desired.place }], explicit: GONE } : {}),
    names: { customers: ['K1', 'K2'], emails: ['jane@x.test'] },
  });
  const candidate = { desired, desiredHash: 'd', linkedId: null, sourceUnchanged: false, base: null, written: null };
  suspectLookAlike(candidate, settingsOf({ entity }), ports);
  return ports.holds.map(({ code, key, reason, relink, remedy }) => [code, key, reason, relink, remedy]);
}

describe('a new record with the name of an object whose own key is gone', () => {
  const acme = observedOf('k1', { customer_name: { en: 'Acme' } }, { entity: 'customers', label: 'Acme' });
  const named = (name: string): Values => ({ customer_name: { no: name } });

  it('is held with the object it may be, since creating it could double that', () => {
    expect(judge(named('acme '), acme)).toEqual([
      [
        'SYNC_LOOK_ALIKE',
        'C2',
        'Looks like Acme (k1), which is linked to record C1, and C1 is gone from a complete read. Most likely it is the same customer under a new key; creating it would make a duplicate.',
        { key: 'C2', id: 'k1' },
        'If they are the same, `talent-sync holds resolve customer:C2 --same --reason "…"`; if they are two, `talent-sync holds resolve customer:C2 --new --reason "…"`.',
      ],
    ]);
  });

  it('is held if the source says that the row was deleted', () => {
    const [hold = []] = judge(named('Acme'), acme, { isDeleted: true });
    expect(hold[2]).toContain('which is linked to record C1, and C1 has left');
  });

  it.each<readonly [why: string, find: () => readonly unknown[]]>([
    ['it has another name', () => judge(named('Other'), acme)],
    ['the linked record exists as well', () => judge(named('Acme'), acme, { staged: ['C1'] })],
    ['the object is not linked', () => judge(named('Acme'), acme, { linked: null })],
    ['the object is linked to this very record', () => judge(named('Acme'), acme, { linked: 'C2' })],
    ['the absence is not proven', () => judge(named('Acme'), acme, { absent: { due: false, text: 'not read' } })],
    ['it has no name', () => judge({ customer_url: 'https://acme.test' }, acme)],
  ])('is not held if %s', (_why, find) => {
    expect(find()).toEqual([]);
  });

  it('is held as a project only within its customer', () => {
    const dam = (customer: string): Observed =>
      observedOf('p1', { project_name: { en: 'Dam' }, customer_id: customer }, { entity: 'projects', label: 'Dam' });
    const at = (customer: string): Values => ({ customer, project_name: { en: 'Dam' } });
    expect(judge(at('K1'), dam('k:k1'), { entity: 'projects' })).toHaveLength(1);
    expect(judge(at('K2'), dam('k:k1'), { entity: 'projects' })).toEqual([]);
    expect(judge(at('K9'), dam('k:k1'), { entity: 'projects' })).toEqual([]);
  });

  it('is held as a tag category, in the words of the command line', () => {
    const unit = observedOf('g1', { values: { en: 'Unit' } }, { entity: 'tag_categories', label: 'C1' });
    const [hold = []] = judge({ values: { en: 'Unit' } }, unit, { entity: 'tag_categories' });
    expect(hold[2]).toContain('Looks like Unit (g1), which is linked to record C1');
    expect(hold[4]).toContain('`talent-sync holds resolve tag_category:C2 --new --reason "…"`');
  });

  it('is not held as a person, since people are compared by more than their names', () => {
    expect(judge({ name: 'Jane' }, observedOf('u1', { name: 'Jane' }), { entity: 'users' })).toEqual([]);
  });

  it("is held as a section of a CV if all of it is the same, on the same person's CV", () => {
    const course = (id: string, values: Values): Observed =>
      observedOf(id, { user_id: 'u:jane@x.test', ...values }, { entity: 'courses', label: 'Course' });
    const wanted = { user: 'jane@x.test', external_unique_id: 'C2', name: { en: 'Dams' }, year: '2020' };
    const found = (values: Values, there: Values) => judge(values, course('s1', there), { entity: 'courses' }).length;
    expect(found(wanted, { name: { en: 'Dams' }, year: '2020', external_unique_id: 'C1' })).toBe(1);
    expect(found(wanted, { name: { en: 'Dams' }, year: '2021' })).toBe(0);
    expect(found(wanted, { name: { en: 'Weirs' }, year: '2020' })).toBe(0);
    expect(found({ ...wanted, user: 'joe@x.test' }, { name: { en: 'Dams' }, year: '2020' })).toBe(0);
    // An empty record would be like any other.
    expect(found({ user: 'jane@x.test', external_unique_id: 'C2' }, { name: { en: 'Dams' } })).toBe(0);
    const other = course('s1', { ...wanted, user_id: 'u9' });
    expect(judge(wanted, other, { entity: 'courses' })).toEqual([]);
  });
});
