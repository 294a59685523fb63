import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/model/plan.js';
import { portsOnCv } from '../../../src/reconcile/fields/on-cv.js';
import { changeOf, observedOf } from '../../samples.js';
import { createFakePorts, type World } from '../fake-ports.js';

/** The plan for the link of a person; `hold` counts the reported holds. */
function plan(world: World, planned: readonly Change[], userId: string | null = null) {
  const ports = createFakePorts({ names: { emails: ['jane'] }, ...world });
  for (const change of planned) ports.plan.add(change);
  const kept: string[] = [];
  ports.plan.keepUnless = (ref, other) => void kept.push(`${ref} unless ${other}`);
  const on = portsOnCv('staffing', { values: { user: 'jane' }, userId }, ports);
  if (on === null) return null;
  on.plan.add(changeOf('staffing', 'S', { needs: ['projects:P'] }));
  on.plan.hold({ entity: 'staffing', key: 'S', place: '', code: 'C', reason: 'r', remedy: 'm' });
  return { needs: ports.plan.find('staffing:S')?.needs, kept, hold: ports.holds.length };
}

const user = (action: Change['action']): Change => changeOf('users', 'E1', { action, target: 'u:jane' });
const active = observedOf('u:jane');
const closed = observedOf('u:jane', {}, { active: false });
const PLANNED = { needs: ['projects:P'], kept: [], hold: 1 };

describe('a record on the CV of a person', () => {
  it.each<readonly [who: string, world: World, planned: readonly Change[], outcome: ReturnType<typeof plan>]>([
    ['who is active', { observed: [active] }, [], PLANNED],
    ['who is changed in another way', { observed: [active] }, [user('update')], PLANNED],
    ['who is inactive', { observed: [closed] }, [], null],
    [
      'who is reactivated',
      { observed: [closed] },
      [user('reactivate')],
      { ...PLANNED, needs: ['projects:P', 'users:E1'] },
    ],
    [
      'who is deactivated',
      { observed: [active] },
      [user('deactivate')],
      { ...PLANNED, kept: ['staffing:S unless users:E1'], hold: 0 },
    ],
    ['who is unknown', { names: {} }, [], PLANNED],
    ['whose account was deleted permanently', { names: {}, deleted: ['jane'] }, [], null],
  ])('is planned or not for a person %s', (_, world, planned, outcome) => {
    expect(plan(world, planned)).toEqual(outcome);
  });

  it('follows the account that it is on, if that is known', () => {
    expect(plan({ observed: [active, observedOf('u2', {}, { active: false })] }, [], 'u2')).toBeNull();
  });
});

it('plans anything that is not on a CV unchanged', () => {
  const ports = createFakePorts({ names: { emails: ['jane'] }, observed: [closed] });
  expect(portsOnCv('projects', { values: { user: 'jane' }, userId: null }, ports)).toBe(ports);
});
