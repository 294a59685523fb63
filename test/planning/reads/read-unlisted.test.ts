import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Desired } from '../../../src/model/desired.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { readUnlisted } from '../../../src/planning/reads/read-unlisted.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { change, loadSample } from '../../config/sample.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, readingOf, type World, withCrm } from '../world.js';

const ALL = withCrm(['customers', 'projects', 'staffing', 'proposals']);
const ACME = observedOf('k1', { external_unique_id: 'C1', customer_name: { en: 'Acme' } }, { entity: 'customers' });
const DAM = observedOf('p1', { external_unique_id: 'P1', customer_id: 'k1' }, { entity: 'projects' });
const row = (entity: Entity, key: string, values: Values): Desired => desiredOf(key, values, { entity });

async function read(
  entity: Entity,
  { text = ALL, prepare, ...world }: Omit<World, 'config'> & { text?: string; prepare?: (stores: Stores) => void },
) {
  const stores = openTestStores();
  stores.mirror.save([ACME], 1);
  prepare?.(stores);
  const { context, calls } = contextOf({ config: loadSample(text), stores, ...world });
  await readUnlisted(entity, readingOf(entity, context));
  return { calls, stores, refused: context.refused.all().map(({ area }) => area) };
}

describe('objects that not every run lists', () => {
  it('include industries, by a project search at a full read, if a customer has an unknown one', async () => {
    const rows = [row('customers', 'C1', { external_unique_id: 'C1', industry: 'Energy' })];
    const page = { projects: [{ project: { id: 'p1', industry: { id: 'i1', values: { en: 'Energy' } } } }] };
    const { calls, stores } = await read('customers', { rows, shows: { 'projects.search': [page] } });
    expect(calls).toEqual(['projects.search']);
    expect(stores.mirror.mark('industries')).toContain('"energy":["i1"]');
    expect((await read('customers', { rows, usersFresh: false })).calls).toEqual([]);
    expect((await read('customers', { rows: [row('customers', 'C1', {})] })).calls).toEqual([]);
    const text = change(', industry: record.id', '', ALL);
    expect((await read('customers', { rows, text })).calls).toEqual([]);
  });

  it('include projects, by the customers of the candidates and those they are known under', async () => {
    const project = row('projects', 'P1', { external_unique_id: 'P1', customer: 'C1' });
    const shows = { 'projects.listInPieces': [{ id: 'p1', external_unique_id: 'P1' }] };
    const { calls, stores } = await read('projects', { rows: [project], shows, usersFresh: false });
    expect(calls).toEqual(['projects.listInPieces k1']);
    expect(stores.mirror.get('projects', 'p1')?.values.customer_id).toBe('k1');
    expect((await read('projects', { rows: [], shows, usersFresh: false })).calls).toEqual([]);
    const moved = observedOf('p1', { external_unique_id: 'P1', customer_id: 'k2' }, { entity: 'projects' });
    const known = await read('projects', { rows: [project], mirror: [moved], shows, usersFresh: false });
    expect(known.calls.slice(0, 2)).toEqual(['projects.listInPieces k1', 'projects.listInPieces k2']);
    const linked = (stores: Stores) => linkTo(stores, 'projects', 'P1', { ...moved, values: { customer_id: 'k3' } });
    const of = await read('projects', { rows: [project], prepare: linked, shows, usersFresh: false });
    expect(of.calls.slice(0, 2)).toEqual(['projects.listInPieces k1', 'projects.listInPieces k3']);
  });

  it('include projects of a customer that is about to get the id by which records name it', async () => {
    const rows = [row('projects', 'P1', { external_unique_id: 'P1', customer: 'C9' })];
    const prepare = ({ work }: Stores) => {
      work.plan(changeOf('customers', 'C9', { action: 'update', target: 'k1' }));
      work.claim('customers.external_unique_id', 'c9', 'C9');
    };
    const shows = { 'projects.listInPieces': [] };
    expect((await read('projects', { rows, prepare, shows, usersFresh: false })).calls).toEqual([
      'projects.listInPieces k1',
      'projects.find P1',
    ]);
    expect((await read('projects', { rows, shows, usersFresh: false })).calls).toEqual([]);
  });

  it('include projects with people but without a feed, by the search at a full read, and no others', async () => {
    const rows = [
      row('staffing', 'L1', { project: 'P1', user: 'jane@x.test' }),
      row('staffing', 'L2', { project: 'P2', user: 'jane@x.test' }),
    ];
    const hit = (id: string, external: string) => ({ project: { id, external_unique_id: external } });
    const shows = {
      'projects.search': [{ projects: [hit('p1', 'P1'), hit('p9', 'P9')] }, { projects: [hit('p2', 'p2')] }],
    };
    const fourth = ({ mirror }: Stores) => mirror.setMark('projects.round', '4');
    const { calls, stores } = await read('staffing', { rows, shows, prepare: fourth });
    expect(calls).toEqual(['projects.search']);
    expect(stores.mirror.seen('projects', 'p1')).toBe(4);
    expect(['p1', 'p2', 'p9'].map((id) => stores.mirror.get('projects', id) !== null)).toEqual([true, true, false]);
    expect((await read('staffing', { rows, shows, usersFresh: false })).calls).toEqual([]);
    expect((await read('staffing', { rows: rows.slice(0, 1), shows, mirror: [DAM] })).calls).toEqual([]);
    const made = ({ work }: Stores) => work.claim('projects.external_unique_id', 'p1', 'P1');
    expect((await read('staffing', { rows: rows.slice(0, 1), shows, prepare: made })).calls).toEqual([]);
  });

  it('are not read if the service rejects it, which is recorded', async () => {
    const rows = [row('proposals', 'B1', { name: 'Bid' })];
    const error = new SyncError('SYNC_SERVICE_FORBIDDEN', { message: 'no', remedy: 'Ask.' });
    const shows = {
      get 'proposals.list'(): never {
        throw error;
      },
    };
    expect((await read('proposals', { rows, shows })).refused).toEqual(['proposals']);
    expect((await read('countries', {})).calls).toEqual([]);
  });
});

describe('the contents of proposals', () => {
  const BID = observedOf('b1', { name: 'Bid' }, { entity: 'proposals' });
  const bid = (values: Values): readonly Desired[] => [row('proposals', 'B1', { name: 'Bid', ...values })];
  const shows = {
    'proposals.list': [[{ id: 'b1', name: 'Bid' }]],
    'proposals.listCvs': [],
    'proposals.listReferences': [],
    'proposals.listCollaborators': { users: [], api_users: [] },
  };

  it('are read if the record maps them and its proposal is known', async () => {
    const calls = async (values: Values, world: Omit<World, 'config' | 'rows'> = {}) =>
      (await read('proposals', { rows: bid(values), mirror: [BID], shows, ...world })).calls.filter(
        (one) => one !== 'projects.search',
      );
    expect(await calls({ cvs: ['jane@x.test'] })).toEqual(['proposals.list', 'proposals.listCvs b1']);
    expect(await calls({})).toEqual(['proposals.list']);
    expect(await calls({ name: 'Other', cvs: ['jane@x.test'] })).toEqual(['proposals.list', 'proposals.list']);
  });

  it('are not read if no record may change one, except for the list at a full read', async () => {
    expect((await read('proposals', { usersFresh: false, shows })).calls).toEqual([]);
    expect((await read('proposals', { shows })).calls).toEqual(['proposals.list']);
  });

  it('include projects named in them, looked up once if no source delivers projects', async () => {
    const found = {
      ...shows,
      'projects.find': { kind: 'one', project: { id: 'p1', external_unique_id: 'P1', company_customer_id: 'k1' } },
    };
    const rows = [...bid({ references: ['P1'] }), row('proposals', 'B2', { name: 'Two', references: ['P1'] })];
    const prepare = ({ mirror }: Stores) => mirror.setMark('projects.round', '4');
    const { calls, stores } = await read('proposals', { rows, shows: found, text: withCrm(['proposals']), prepare });
    expect(stores.mirror.seen('projects', 'p1')).toBe(4);
    expect(calls.filter((one) => one.startsWith('projects'))).toEqual(['projects.find P1']);
    expect(stores.mirror.get('projects', 'p1')?.values).toMatchObject({ external_unique_id: 'P1', customer_id: 'k1' });
    const delivered = await read('proposals', { rows, shows: found, mirror: [DAM] });
    expect(delivered.calls.filter((one) => one.startsWith('projects'))).toEqual([]);
  });
});
