import { describe, expect, it } from 'vitest';
import type { Desired } from '../../../src/model/desired.js';
import type { Values } from '../../../src/model/json.js';
import { lookBeforeCreating } from '../../../src/planning/reads/look-before-creating.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { loadSample } from '../../config/sample.js';
import { desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, readingOf, type World, withCrm } from '../world.js';

const config = loadSample(withCrm(['customers', 'projects']));
const ACME = observedOf('k1', { external_unique_id: 'C1', customer_name: { en: 'Acme' } }, { entity: 'customers' });
const DAM = observedOf('p1', { external_unique_id: 'P1', customer_id: 'k1' }, { entity: 'projects' });
const deal = (key: string, values: Values = {}, row: Partial<Desired> = {}): Desired =>
  desiredOf(key, { external_unique_id: key, customer: 'C1', ...values }, { entity: 'projects', ...row });

async function look({ prepare, ...world }: World & { prepare?: (stores: Stores) => void }) {
  const stores = openTestStores();
  stores.mirror.save([ACME], 1);
  prepare?.(stores);
  const { context, calls } = contextOf({ config, stores, ...world });
  await lookBeforeCreating(readingOf('projects', context));
  const holders = stores.mirror.findIds('projects', 'external_unique_id', 'p1').toSorted();
  return { calls, holders, customers: holders.map((id) => stores.mirror.get('projects', id)?.values.customer_id) };
}

describe('looking for a project before creating it', () => {
  const there = { id: 'p7', external_unique_id: 'P1', company_customer_id: 'k9' };
  const shows = { 'projects.find': { kind: 'one', project: there }, 'projects.get': there };

  it('searches by external id, and stores the project with its actual customer', async () => {
    expect(await look({ rows: [deal('P1')], shows })).toEqual({
      calls: ['projects.find P1', 'projects.get k9 p7'],
      holders: ['p7'],
      customers: ['k9'],
    });
    expect(await look({ rows: [deal('P1')] })).toMatchObject({ calls: ['projects.find P1'], holders: [] });
  });

  it.each<readonly [string, Desired, ((stores: Stores) => void) | null]>([
    ['that a list shows', deal('P1'), ({ mirror }) => mirror.save([DAM], 1)],
    ['that is linked', deal('P1'), (stores) => linkTo(stores, 'projects', 'P1', DAM)],
    ['that is about to be removed', deal('P1', {}, { leaver: true }), null],
    ['without an external id', deal('P1', { external_unique_id: null }), null],
    ['of an unknown customer', deal('P1', { customer: 'C9' }), null],
  ])('skips a project %s', async (_, row, prepare) => {
    expect((await look({ rows: [row], shows, ...(prepare && { prepare }) })).calls).toEqual([]);
  });

  it('includes a project of a customer that the same run creates', async () => {
    const prepare = ({ work }: Stores) => work.claim('customers.external_unique_id', 'c9', 'C9');
    expect((await look({ rows: [deal('P1', { customer: 'C9' })], prepare })).calls).toEqual(['projects.find P1']);
  });

  it('stores several projects with the id without a customer, until a later search finds one', async () => {
    const several = { 'projects.find': { kind: 'several', projectIds: ['p7', 'p8'] } };
    const first = await look({ rows: [deal('P1')], shows: several });
    expect(first).toEqual({ calls: ['projects.find P1'], holders: ['p7', 'p8'], customers: [undefined, undefined] });
    const prepare = ({ mirror }: Stores) =>
      mirror.save(
        ['p7', 'p8'].map((id) => observedOf(id, { external_unique_id: 'P1' }, { entity: 'projects' })),
        1,
      );
    expect(await look({ rows: [deal('P1')], shows, prepare })).toMatchObject({ holders: ['p7'], customers: ['k9'] });
  });

  it('uses the list search first if that has fewer pages than there are projects', async () => {
    const rows = Array.from({ length: 11 }, (_, at) => deal(`P${at + 1}`));
    const hit = (external: string) => ({ project: { id: `x-${external}`, external_unique_id: external } });
    const page = (total: number | null) => [{ projects: [hit('P1'), hit('p30')], total }];
    const looked = async (total: number | null) =>
      (await look({ rows, shows: { ...shows, 'projects.search': page(total) } })).calls;
    expect(await looked(2)).toEqual(['projects.search', 'projects.find P1', 'projects.get k9 p7']);
    for (const total of [null, 23]) {
      const calls = await looked(total);
      expect(calls[0]).toBe('projects.search');
      expect(calls.filter((call) => call.startsWith('projects.find'))).toHaveLength(11);
    }
  });
});
