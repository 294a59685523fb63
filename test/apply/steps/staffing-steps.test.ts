import { describe, expect, it } from 'vitest';
import { buildBatch, forecastCalls, forecastUnit } from '../../../src/apply/calls.js';
import type { Change } from '../../../src/model/plan.js';
import { ServiceError } from '../../../src/service/service-error.js';
import { changeOf, observedOf } from '../../samples.js';
import { look, only, refused, stepsOf, type World } from '../step-world.js';

const [JANE, JOE] = ['u:jane@x.test', 'u:joe@x.test'];
const person = (id: string, name: string) => observedOf(id, { name, default_cv_id: `cv-${name}` }, { label: name });
const dam = observedOf('p:p1', { customer_id: 'k1' }, { entity: 'projects', label: 'Dam' });
const PEOPLE = [person(JANE, 'Jane'), person(JOE, 'Joe')];
const link = (user: string, more: Partial<Change> = {}) =>
  changeOf('staffing', `p1/${user}`, { after: { user, project: 'P1', ...more.after }, ...more });
const CREATE = link('jane@x.test');
const ROLES = [{ en: 'Lead' }, { en: 'Tester' }];
const MADE = { user_id: JANE, cv_id: 'cv-Jane', name: 'Jane', section_id: 's1' };
const there = (values: object = {}) =>
  observedOf('s1', { project_id: 'p:p1', user_id: JANE, cv_id: 'cv-Jane', ...values }, { entity: 'staffing' });
/** A CV with one experience of the project. */
const cvWith = (more: object = {}) => ({ project_experiences: [{ id: 's1', reference_project_id: 'p:p1', ...more }] });

describe('a link of a person to a project', () => {
  const world = (more: World = {}): World => ({
    mirror: [dam, ...PEOPLE],
    writes: { 'consultants.link': { updated_cvs: [MADE] } },
    ...more,
  });

  it('is created by one call, with one more per role', async () => {
    const change = link('jane@x.test', { after: { user: 'jane@x.test', project: 'P1', role: ROLES } });
    const { steps, calls } = stepsOf(
      change,
      world({
        writes: {
          'consultants.link': { updated_cvs: [MADE] },
          'cvs.createRole': { name: { en: 'Lead', no: 'Leder' } },
        },
      }),
    );
    expect(steps.map(({ name, endpoint, repeat, seenBy }) => [name, endpoint, repeat, seenBy])).toEqual([
      ['link', 'linkConsultants', 'probe', 'getCv'],
      ['role Lead', 'createCvRole', 'probe', 'getCv'],
      ['role Tester', 'createCvRole', 'probe', 'getCv'],
    ]);
    expect(forecastCalls(change, true)).toHaveLength(3);
    const linked = (await steps[0]?.send(null))?.observed ?? null;
    expect(linked).toMatchObject({
      ...{ id: 's1', label: 'Jane on Dam' },
      values: { project_id: 'p:p1', user_id: JANE, cv_id: 'cv-Jane', link: false, role: [] },
    });
    const named = await steps[1]?.send(linked);
    expect(named).toMatchObject({ requestId: 'q1', observed: { values: { role: [{ en: 'Lead', no: 'Leder' }] } } });
    // A role that a look found or that others created is not created again.
    expect(await steps[1]?.send(named?.observed ?? null)).toMatchObject({ provedBy: 'getCv', requestId: null });
    const flags = '"link_to_project":false,"include_dates":false,"notify_by_email":false,"include_section_ids":true';
    expect(calls).toEqual([
      `consultants.link [{"customerId":"k1","projectId":"p:p1"},{"user_ids":["${JANE}"],${flags}}]`,
      `cvs.createRole [{"userId":"${JANE}","cvId":"cv-Jane","name":"Jane"},"s1",{"name":{"en":"Lead"}}]`,
    ]);
  });

  it('may be hard with dates, and notifies people only if configured', async () => {
    const hard = link('jane@x.test', {
      after: { user: 'jane@x.test', project: 'P1', link: true, include_dates: true },
    });
    const { step, calls } = only(hard, world());
    expect(step.mails).toBeUndefined();
    expect((await step.send(null)).observed?.values.link).toBe(true);
    expect(calls[0]).toContain('"link_to_project":true,"include_dates":true,"notify_by_email":false');
    const { context, calls: sent } = stepsOf(hard, world());
    const batch = buildBatch([hard], { ...context, notify: { ...context.notify, staffing: true } });
    expect(batch.mails).toBe(true);
    await batch.send();
    expect(sent[0]).toContain('"notify_by_email":true');
  });

  it('is created for several people by one call, with an answer for each', async () => {
    const changes = [CREATE, link('joe@x.test')];
    const made = { updated_cvs: [{ ...MADE, user_id: JOE, cv_id: 'cv-Joe', name: 'Joe', section_id: 's2' }, MADE] };
    const { context, calls } = stepsOf(CREATE, world({ writes: { 'consultants.link': made } }));
    const { observed } = await buildBatch(changes, context).send();
    expect(observed.map((one) => one?.label)).toEqual(['Jane on Dam', 'Joe on Dam']);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain(`"user_ids":["${JANE}","${JOE}"]`);
    expect([forecastUnit(changes, true), forecastUnit([CREATE], true)]).toEqual([1, 1]);
    const looked = stepsOf(
      CREATE,
      world({
        reads: { 'cvs.get': ({ userId }: { readonly userId: string }) => (userId === JOE ? cvWith() : {}) },
      }),
    );
    const found = await buildBatch(changes, looked.context).probe();
    expect(found.map((one) => (one === 'nothing' ? one : one?.id))).toEqual(['nothing', 's1']);
  });

  it('is read from the CV if the answer does not name it, or has an unknown outcome', async () => {
    const unnamed = { 'consultants.link': { updated_cvs: [{ ...MADE, section_id: null }] } };
    const shown = only(CREATE, world({ writes: unnamed, reads: { 'cvs.get': cvWith({ link_type: 'linked' }) } }));
    expect((await shown.step.send(null)).observed).toMatchObject({ id: 's1', values: { link: true, user_id: JANE } });
    const hidden = only(CREATE, world({ writes: { 'consultants.link': { updated_cvs: [] } } }));
    await expect(hidden.step.send(null)).rejects.toMatchObject({
      code: 'SYNC_SERVICE_UNKNOWN_OUTCOME',
      message: `The service answered the call that links ${JANE} without naming the link, and the CV does not show it.`,
    });
  });

  const saying = (status: number, words?: string) =>
    new ServiceError({ ...refused(status).init, ...(words === undefined ? {} : { words }) });
  const refusals: readonly (readonly [boolean, unknown, object])[] = [
    [
      true,
      saying(400, 'not enabled'),
      { code: 'SYNC_SERVICE_NO_LINKING', message: expect.stringContaining(': not enabled.') },
    ],
    [
      true,
      saying(400),
      { code: 'SYNC_SERVICE_NO_LINKING', message: expect.stringContaining('the service rejected the link') },
    ],
    [true, saying(404), { code: 'SYNC_SERVICE_REFUSED' }],
    [true, new Error('broken'), { message: 'broken' }],
    [false, saying(400, 'no'), { code: 'SYNC_SERVICE_REFUSED' }],
  ];
  it.each(refusals)('hard: %s, is rejected with %s', async (isHard, error, expected) => {
    const change = link('jane@x.test', { after: { user: 'jane@x.test', project: 'P1', link: isHard } });
    const fail = () => {
      throw error;
    };
    const { step } = only(change, world({ writes: { 'consultants.link': fail } }));
    await expect(step.send(null)).rejects.toMatchObject(expected);
  });

  it('needs the customer of the project', async () => {
    const homeless = observedOf('p:p1', {}, { entity: 'projects' });
    await expect(only(CREATE, { mirror: [homeless, ...PEOPLE] }).step.send(null)).rejects.toThrow(
      'The customer of the project is no longer in the service.',
    );
  });

  it('is looked up on the CV after a lost answer', async () => {
    const find = async (cv: unknown) => (await look(CREATE, world({ reads: { 'cvs.get': cv } }))).judged;
    expect(await find(cvWith())).toMatchObject({ id: 's1', values: { user_id: JANE, project_id: 'p:p1' } });
    expect(await find(cvWith({ reference_project_id: 'p:p2' }))).toBe('nothing');
    expect(await find({})).toBe('nothing');
    expect(await only(CREATE, world({ reads: { 'cvs.get': {} } })).step.probe()).toBeNull();
  });

  it('gets each missing role by a call, which a look can prove', async () => {
    const change = link('jane@x.test', { action: 'update', target: 's1', after: { role: [{ en: 'Lead' }] } });
    const { step, calls } = only(
      change,
      world({ writes: { 'cvs.createRole': {} }, mirror: [dam, there({ role: [{ en: 'Tester' }] }), ...PEOPLE] }),
    );
    expect(forecastCalls(change, true)).toHaveLength(1);
    expect((await step.send(null)).observed?.values.role).toEqual([{ en: 'Tester' }, { en: 'Lead' }]);
    expect(calls).toHaveLength(1);
    const seen = async (cv: object) =>
      (await look(change, world({ mirror: [dam, there(), ...PEOPLE], reads: { 'cvs.get': cv } }))).judged;
    expect(await seen(cvWith({ roles: [{ name: { en: 'lead ' } }] }))).toMatchObject({ id: 's1' });
    expect(await seen(cvWith({ roles: [{ name: { en: 'Tester' } }] }))).toBe('nothing');
    // Another experience of the same project does not count.
    expect(await seen(cvWith({ id: 's2', roles: [{ name: { en: 'Lead' } }] }))).toBe('nothing');
    await expect(only(change, { mirror: PEOPLE }).step.send(null)).rejects.toThrow(
      'The experience is no longer in the service',
    );
  });

  it('is undone by deleting the experience it created', async () => {
    const gone = link('jane@x.test', { action: 'delete', target: 's1', after: {} });
    const { step, calls } = only(gone, { mirror: [there(), ...PEOPLE] });
    expect(step).toMatchObject({ name: 'delete', endpoint: 'deleteCvSection', repeat: 'idempotent', deletes: true });
    expect(forecastCalls(gone, true)).toHaveLength(1);
    expect((await step.send(null)).observed).toBeNull();
    const on = `[{"userId":"${JANE}","cvId":"cv-Jane","name":"Jane"},"project_experiences","s1"]`;
    expect(calls).toEqual([`cvs.sections.delete ${on}`]);
    const reads = { 'cvs.sections.get': { id: 's1', reference_project_id: 'p:p1' } };
    expect(await look(gone, { mirror: [there(), ...PEOPLE], reads })).toEqual({
      judged: 'nothing',
      calls: [`cvs.sections.get ${on}`],
    });
    expect((await look(gone, { mirror: [there(), ...PEOPLE] })).judged).toBeNull();
  });
});
