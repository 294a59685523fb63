import { describe, expect, it } from 'vitest';
import { forecastCalls } from '../../../src/apply/calls.js';
import type { Change } from '../../../src/model/plan.js';
import { changeOf, observedOf } from '../../samples.js';
import { failing, only, stepsOf } from '../step-world.js';

const dam = (values: object = {}) => observedOf('p1', { customer_id: 'k1', ...values }, { entity: 'projects' });
const entry = (id: string, en?: string, label?: string) => ({
  ...{ id, value: en === undefined ? {} : { en } },
  ...(label === undefined ? {} : { label: { en: label } }),
});
const OF_P1 = '{"customerId":"k1","projectId":"p1"}';
/** Changes challenges from one text to another; null means none. */
const challenges = (before: readonly unknown[], after: readonly unknown[]): Change =>
  changeOf('projects', 'P1', {
    ...{ action: 'update', target: 'p1', fields: ['project_challenges'] },
    ...{ before: { project_challenges: before as never }, after: { project_challenges: after as never } },
  });
const SLOW = { value: { en: 'Slow' } };

describe('multiple texts of a project', () => {
  it('are created, changed or deleted by one call each', async () => {
    const before = { project_challenges: [entry('e1', 'Old'), entry('e2', 'Gone'), null], project_solutions: [null] };
    const after = {
      project_challenges: [SLOW, null, { value: { en: 'New' }, label: { en: 'Pace' } }],
      project_solutions: [SLOW],
    };
    const change = changeOf('projects', 'P1', {
      ...{ action: 'update', target: 'p1', before: before as never, after, fields: Object.keys(after) },
    });
    const known = dam({ project_challenges: [entry('e1', 'Old'), entry('e2', 'Gone')], project_solutions: [] });
    const { steps, calls } = stepsOf(change, {
      mirror: [known],
      writes: {
        'projects.challenges.update': entry('e1', 'Slow'),
        'projects.challenges.create': entry('e3', 'New', 'Pace'),
        'projects.solutions.create': entry('f1', 'Slow'),
      },
    });
    expect(steps.map(({ name, endpoint, repeat, seenBy }) => [name, endpoint, repeat, seenBy])).toEqual([
      ['project_challenges 1', 'updateProjectChallenge', 'idempotent', 'getProject'],
      ['project_challenges 2', 'deleteProjectChallenge', 'idempotent', 'getProject'],
      ['project_challenges 3', 'createProjectChallenge', 'probe', 'getProject'],
      ['project_solutions 1', 'createProjectSolution', 'probe', 'getProject'],
    ]);
    expect(forecastCalls(change, true)).toHaveLength(4);
    let project = null;
    for (const step of steps) project = (await step.send(project)).observed;
    expect(project?.values).toMatchObject({
      project_challenges: [entry('e1', 'Slow'), entry('e3', 'New', 'Pace')],
      project_solutions: [entry('f1', 'Slow')],
    });
    expect(calls).toEqual([
      `projects.challenges.update [${OF_P1},"e1",{"value":{"en":"Slow"}}]`,
      `projects.challenges.delete [${OF_P1},"e2"]`,
      `projects.challenges.create [${OF_P1},{"value":{"en":"New"},"label":{"en":"Pace"},"disabled":false}]`,
      `projects.solutions.create [${OF_P1},{"value":{"en":"Slow"},"disabled":false}]`,
    ]);
  });

  it('fill the empty text of a new project first, and are created after that', async () => {
    const after = { customer: 'C1', project_challenges: [SLOW, { label: { en: 'Pace' } }] };
    const change = changeOf('projects', 'P1', { after, fields: Object.keys(after) });
    const { steps, calls } = stepsOf(change, {
      writes: {
        'projects.create': { id: 'p1', project_challenges: [entry('e0'), entry('e9', undefined, 'Other')] },
        'projects.challenges.update': entry('e0', 'Slow'),
        'projects.challenges.create': entry('e2', undefined, 'Pace'),
      },
    });
    expect(steps.map(({ endpoint, repeat }) => [endpoint, repeat])).toEqual([
      ['createProject', 'probe'],
      ['updateProjectChallenge', 'idempotent'],
      ['createProjectChallenge', 'probe'],
    ]);
    let project = null;
    for (const step of steps) project = (await step.send(project)).observed;
    expect(project?.values.project_challenges).toEqual([
      ...[entry('e0', 'Slow'), entry('e9', undefined, 'Other'), entry('e2', undefined, 'Pace')],
    ]);
    expect(calls.slice(1)).toEqual([
      'projects.challenges.update [{"customerId":"k:c1","projectId":"p1"},"e0",{"value":{"en":"Slow"}}]',
      'projects.challenges.create [{"customerId":"k:c1","projectId":"p1"},{"label":{"en":"Pace"},"value":{},"disabled":false}]',
    ]);
  });

  it('are created in a new project without an empty text', async () => {
    const after = { customer: 'C1', project_challenges: [SLOW] };
    const change = changeOf('projects', 'P1', { after, fields: Object.keys(after) });
    const { steps, calls } = stepsOf(change, {
      writes: { 'projects.create': { id: 'p1' }, 'projects.challenges.create': entry('e1', 'Slow') },
    });
    const made = await steps[0]?.send(null);
    expect((await steps[1]?.send(made?.observed ?? null))?.observed?.values.project_challenges).toEqual([
      entry('e1', 'Slow'),
    ]);
    expect(calls).toHaveLength(2);
  });

  it('need no deletion if they are gone; other rejections count', async () => {
    const change = challenges([entry('e1', 'Gone')], [null]);
    const send = (status: number) =>
      only(change, {
        mirror: [dam({ project_challenges: [entry('e1', 'Gone'), entry('e2', 'Mine')] })],
        writes: { 'projects.challenges.delete': failing(status) },
      }).step.send(null);
    expect((await send(404)).observed?.values.project_challenges).toEqual([entry('e2', 'Mine')]);
    await expect(send(403)).rejects.toThrow('it said 403');
    await expect(only(change, {}).step.send(null)).rejects.toThrow('The project is no longer in the service.');
  });

  const looks: readonly (readonly [string, Change, unknown, boolean])[] = [
    ['a created one is there', challenges([null], [SLOW]), [entry('e1', 'Slow')], true],
    ['a created one is missing', challenges([null], [SLOW]), [entry('e1', 'Other')], false],
    ['a changed one is there', challenges([entry('e1', 'Old')], [SLOW]), [entry('e1', 'Slow')], true],
    ['another one has its text', challenges([entry('e1', 'Old')], [SLOW]), [entry('e2', 'Slow')], false],
    ['a deleted one is gone', challenges([entry('e1', 'Old')], [null]), [], true],
    ['a deleted one is there', challenges([entry('e1', 'Old')], [null]), [entry('e1', 'Old')], false],
    ['none are shown', challenges([entry('e1', 'Old')], [null]), undefined, false],
  ];
  it.each(looks)('are judged after a lost answer: %s', (_, change, list, happened) => {
    const { step } = only(change, { mirror: [dam()] });
    expect(step.happened?.(dam(list === undefined ? {} : { project_challenges: list }))).toBe(happened);
  });
});
