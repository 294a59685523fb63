import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { lookUpLinked } from '../../../src/planning/reads/look-up-linked.js';
import { loadSample } from '../../config/sample.js';
import { desiredOf, observedOf, openTestStores } from '../../samples.js';
import { contextOf, type World, withCrm } from '../world.js';

interface Linked extends Omit<World, 'rows'> {
  readonly values?: Values;
  readonly leaver?: boolean;
  /** True if an earlier run did not see it either. */
  readonly missedBefore?: boolean;
}

const config = loadSample(withCrm(['customers', 'projects', 'staffing']));
const ACME = observedOf('k1', { external_unique_id: 'C1' }, { entity: 'customers' });
const jane = (active: boolean): Observed =>
  observedOf('u1', { email: 'jane@x.test', default_cv_id: 'cv1' }, { active });

/** Looks up the object x1 that is linked to the record K1 and on no list. */
async function lookUp(entity: Entity, { values = {}, leaver = false, missedBefore = false, ...world }: Linked) {
  const stores = openTestStores();
  const at = '2026-11-20T08:00:00.000Z';
  stores.links.link({ entity, sourceKey: 'K1', serviceId: 'x1', origin: 'created', run: 'r1', at });
  if (missedBefore) stores.mirror.setMark(`unseen.${entity}.x1`, at);
  const rows = [desiredOf('K1', values, { entity, leaver })];
  const { context, calls } = contextOf({ config, stores, rows, ...world });
  await lookUpLinked(entity, context);
  const found = stores.mirror.get(entity, 'x1');
  const { lookUps } = context.refresh;
  // The same question causes no second call.
  await lookUpLinked(entity, context);
  return { calls, found, isDoubted: lookUps.isDoubted(entity, 'x1') };
}

describe('a linked object on no list', () => {
  it('is looked up and stored in the mirror', async () => {
    const shows = { 'users.get': { id: 'x1', email: 'a@x.test', deactivated: false } };
    const { calls, found, isDoubted } = await lookUp('users', { shows });
    expect(calls).toEqual(['users.get x1']);
    expect([found?.values.email, isDoubted]).toEqual(['a@x.test', false]);
  });

  it('is gone without doubt if the service says so', async () => {
    expect(await lookUp('users', {})).toEqual({ calls: ['users.get x1'], found: null, isDoubted: false });
  });

  it('is not looked up if the mirror has it', async () => {
    const mirror = [observedOf('x1', { email: 'a@x.test' })];
    expect((await lookUp('users', { mirror })).calls).toEqual([]);
  });

  it('is looked up for a leaver only at a full read', async () => {
    expect((await lookUp('users', { leaver: true, usersFresh: false })).calls).toEqual([]);
    expect((await lookUp('users', { leaver: true })).calls).toEqual(['users.get x1']);
  });

  it('is doubted if its fate is unknown, or until a second run misses it if only lists show it', async () => {
    const values = { external_unique_id: 'P1' };
    const several = { 'projects.find': { kind: 'several', projectIds: ['x1', 'x2'] } };
    expect((await lookUp('projects', { values, shows: several })).isDoubted).toBe(true);
    expect((await lookUp('projects', { values, shows: several, missedBefore: true })).isDoubted).toBe(true);
    expect((await lookUp('offices', {})).isDoubted).toBe(true);
    expect((await lookUp('offices', { missedBefore: true })).isDoubted).toBe(false);
  });

  it('is looked up under the customer that its record names', async () => {
    const { calls } = await lookUp('projects', {
      ...{ values: { external_unique_id: 'P1', customer: 'C1' }, mirror: [ACME] },
      shows: { 'projects.get': { id: 'x1', project_name: { en: 'Dam' } } },
    });
    expect(calls).toEqual(['projects.get k1 x1']);
  });

  it('is looked up on a CV only if the person is active', async () => {
    const values = { user: 'jane@x.test', project: 'P1' };
    expect((await lookUp('staffing', { values, mirror: [jane(true)] })).calls).toEqual([
      'cvs.sections.get project_experiences x1',
    ]);
    expect((await lookUp('staffing', { values, mirror: [jane(false)] })).calls).toEqual([]);
    expect((await lookUp('staffing', { values })).calls).toEqual([]);
  });
});
