import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/model/plan.js';
import { changeOf, observedOf } from '../../samples.js';
import { failing, look, only, refused, type World } from '../step-world.js';

const JANE = 'u:jane@x.test';
const jane = observedOf(JANE, { email: 'jane@x.test', name: 'Jane', default_cv_id: 'cv1' });
const PLACE = { user_id: JANE, cv_id: 'cv1' };
const scrum = observedOf('s1', { ...PLACE, year: '2024', version: 3 }, { entity: 'certifications' });
const course = (more: Partial<Change>) => changeOf('certifications', 'K1', more);
const CREATE = course({
  after: { user: 'jane@x.test', external_unique_id: 'K1', name: { en: 'Scrum' } },
  fields: ['name', 'user'],
});
const UPDATE = course({
  ...{ action: 'update', target: 's1', fields: ['year'] },
  ...{ before: { year: '2024' }, after: { year: '2025' } },
});
const DELETE = course({ action: 'delete', target: 's1' });
const ON_CV = '{"userId":"u:jane@x.test","cvId":"cv1","name":"Jane"}';
const AT = `[${ON_CV},"certifications","s1"`;

describe('a section of a CV', () => {
  it("is created on its person's CV, whose id is in the path", async () => {
    const wire = { id: 's9', external_unique_id: 'K1', name: { en: 'Scrum' }, version: 1 };
    const { step, calls } = only(CREATE, { mirror: [jane], writes: { 'cvs.sections.create': wire } });
    expect([step.name, step.endpoint, step.repeat, step.seenBy]).toEqual([
      ...['create', 'createCvSection', 'probe', 'getCv'],
    ]);
    const { observed } = await step.send(null);
    expect(observed).toMatchObject({ id: 's9', entity: 'certifications', label: 'Scrum of Jane', values: PLACE });
    const body = '{"external_unique_id":"K1","name":{"en":"Scrum"}}';
    expect(calls).toEqual([`cvs.sections.create [${ON_CV},"certifications",${body}]`]);
  });

  it('is found on the CV by its external id after a lost create', async () => {
    const find = async (...list: readonly object[]) =>
      (await look(CREATE, { mirror: [jane], reads: { 'cvs.get': { certifications: list } } })).judged;
    const other = { id: 's8', external_unique_id: 'K2' };
    expect(await find(other, { id: 's9', external_unique_id: 'K1' })).toMatchObject({ id: 's9' });
    expect(await find(other)).toBe('nothing');
    expect((await look(CREATE, { mirror: [jane] })).judged).toBe('nothing');
  });

  it('is changed with the version that was read, and then known from the answer', async () => {
    const wire = { id: 's1', year: '2025', version: 4 };
    const { step, calls } = only(UPDATE, { mirror: [jane, scrum], writes: { 'cvs.sections.update': wire } });
    expect([step.name, step.endpoint, step.repeat, step.seenBy]).toEqual([
      ...['update', 'updateCvSection', 'probe', 'getCvSection'],
    ]);
    expect((await step.send(null)).observed?.values).toMatchObject({ ...PLACE, year: '2025', version: 4 });
    expect(calls).toEqual([`cvs.sections.update ${AT},{"year":"2025","version":3}]`]);
    const given = observedOf('s1', { ...PLACE, version: 7 }, { entity: 'certifications' });
    await step.send(given);
    expect(calls[1]).toBe(`cvs.sections.update ${AT},{"year":"2025","version":7}]`);
    await expect(only(UPDATE, { mirror: [jane] }).step.send(null)).rejects.toThrow(
      'The section s1 is no longer in the service',
    );
    const lost = observedOf('s1', { user_id: JANE, version: 7 }, { entity: 'certifications' });
    await expect(step.send(lost)).rejects.toThrow('The section, or the CV it is on, is no longer in the service.');
  });

  /** The section before a second sending, and the part of the change that is sent again. */
  const stale: readonly (readonly [string, object | undefined, string | null])[] = [
    ['with another version only: sends the change again', { year: '2024', version: 9 }, '"year":"2025","version":9'],
    ['with the wanted values: sends nothing', { year: '2025', version: 9 }, null],
    ['if it is gone: is rejected', undefined, null],
  ];
  it.each(stale)('is read again after a change by others %s', async (_, now, again) => {
    let sendings = 0;
    const writes = {
      'cvs.sections.update': () => {
        sendings += 1;
        if (sendings === 1) throw refused(409);
        return { id: 's1', year: '2025', version: 10 };
      },
    };
    const reads = { 'cvs.sections.get': now && { id: 's1', ...now } };
    const { step, calls } = only(UPDATE, { mirror: [jane, scrum], writes, reads });
    if (now === undefined) await expect(step.send(null)).rejects.toThrow('it said 409');
    else {
      const { observed, status } = await step.send(null);
      expect(observed?.values).toMatchObject({ year: '2025', version: again === null ? 9 : 10 });
      expect(status).toBe(again === null ? 409 : 200);
    }
    const sent = calls.filter((call) => call.startsWith('cvs.sections.update'));
    expect(sent.slice(1)).toEqual(again === null ? [] : [`cvs.sections.update ${AT},{${again}}]`]);
    expect(calls[1]).toBe(`cvs.sections.get ${AT}]`);
  });

  it('is not read again after another rejection', async () => {
    const { step, calls } = only(UPDATE, { mirror: [jane, scrum], writes: { 'cvs.sections.update': failing(422) } });
    await expect(step.send(null)).rejects.toThrow('it said 422');
    expect(calls).toHaveLength(1);
    const broken = () => {
      throw new Error('broken');
    };
    const other = only(UPDATE, { mirror: [jane, scrum], writes: { 'cvs.sections.update': broken } });
    await expect(other.step.send(null)).rejects.toThrow('broken');
  });

  const looks: readonly (readonly [string, Change, object | undefined, string | null])[] = [
    ['an update that shows', UPDATE, { year: '2025' }, 's1'],
    ['an update that does not show', UPDATE, { year: '2024' }, 'nothing'],
    ['an update of a missing one', UPDATE, undefined, 'nothing'],
    ['a deletion of an existing one', DELETE, { year: '2024' }, 'nothing'],
    ['a deletion of a missing one', DELETE, undefined, null],
  ];
  it.each(looks)('is judged after a lost answer: %s', async (_, change, now, id) => {
    const world: World = { mirror: [jane, scrum], reads: { 'cvs.sections.get': now && { id: 's1', ...now } } };
    const { judged, calls } = await look(change, world);
    expect(judged === 'nothing' || judged === null ? judged : judged.id).toBe(id);
    expect(calls).toEqual([`cvs.sections.get ${AT}]`]);
  });

  it('is deleted by its id', async () => {
    const { step, calls } = only(DELETE, { mirror: [jane, scrum] });
    expect(step).toMatchObject({ name: 'delete', endpoint: 'deleteCvSection', repeat: 'idempotent', deletes: true });
    expect(await step.send(null)).toMatchObject({ observed: null, status: 200 });
    expect(calls).toEqual([`cvs.sections.delete ${AT}]`]);
  });

  it('uses the CV of a newly created person, and is rejected without one', async () => {
    const world = (user: unknown): World => ({
      reads: { 'users.get': user },
      writes: { 'cvs.sections.create': { id: 's9' } },
    });
    const { step, calls } = only(CREATE, world({ default_cv_id: 'cv7' }));
    await step.send(null);
    await step.send(null);
    // The person is read once.
    expect(calls.filter((call) => call.startsWith('users.get'))).toEqual([`users.get ["${JANE}"]`]);
    expect(calls[1]).toContain(`{"userId":"${JANE}","cvId":"cv7","name":"${JANE}"}`);
    await expect(only(CREATE, world(undefined)).step.send(null)).rejects.toThrow(
      `The CV of ${JANE} is no longer in the service`,
    );
  });
});
