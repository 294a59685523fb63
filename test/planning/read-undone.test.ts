import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/model/entity.js';
import type { Observed } from '../../src/model/observed.js';
import { readUndone, type UndoneReads } from '../../src/planning/undo/read-undone.js';
import { foldRun, type RunEntry, type RunWork } from '../../src/reconcile/undo/run-work.js';
import { linkTo, observedOf, openTestStores } from '../samples.js';

interface World {
  readonly mirror?: readonly Observed[];
  readonly usersFresh?: boolean;
  /** Answers by the name of the call. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** The area whose reads the service rejects. */
  readonly refuses?: string;
}

function workOf(entity: Entity, more: Partial<RunEntry> & { readonly id?: string | null } = {}): RunWork {
  const { id = 'x1', ...rest } = more;
  const entry: RunEntry = {
    ...{ change: 'c1', entity, action: 'update', key: 'K1', target: id, label: 'x', cause: { kind: 'changed' } },
    ...{ before: {}, after: {}, result: 'done', ...rest },
  };
  const [work] = foldRun([entry]);
  if (work === undefined) throw new Error('nothing was done');
  return work;
}

async function read(works: readonly RunWork[], { mirror = [], usersFresh = false, shows = {}, refuses }: World) {
  const stores = openTestStores();
  for (const object of mirror) stores.mirror.save([object], 1);
  for (const [round, entity] of ['users', 'projects', 'proposals'].entries())
    stores.mirror.setMark(`${entity}.round`, String(round + 4));
  linkTo(stores, 'projects', 'P9', observedOf('p9', { customer_id: 'c9' }, { entity: 'projects' }));
  const calls: string[] = [];
  const answer =
    (name: string) =>
    async (...args: readonly unknown[]) => {
      calls.push([name, ...args.filter((one) => typeof one === 'string')].join(' '));
      return shows[name] ?? null;
    };
  const group = (name: string, ...of: readonly string[]) =>
    Object.fromEntries(of.map((one) => [one, answer(`${name}.${one}`)]));
  const reader = {
    users: group('users', 'get'),
    projects: group('projects', 'list', 'get'),
    proposals: group('proposals', 'get', 'listCollaborators', 'listCvs', 'listReferences'),
  };
  const attempted: string[] = [];
  const refused = {
    async attempt(area: string, work: () => Promise<void>) {
      attempted.push(area);
      if (area !== refuses) await work();
    },
  };
  const reads = { stores, usersFresh, refused, refresh: { reader, signal: undefined } } as unknown as UndoneReads;
  const seen = await readUndone(reads, works);
  const shown = (entity: Entity, id: string) => stores.mirror.get(entity, id);
  /** The round of its list in which an object counts as seen. */
  const roundOf = (entity: Entity, id: string) => stores.mirror.seen(entity, id);
  return { seen, calls, attempted, shown, roundOf };
}

const user = (id: string) => ({ id, name: 'New', email: 'a@x.test', deactivated: false });
const project = (id: string, more: object = {}) => ({ id, project_name: { en: 'New' }, ...more });
const dam = observedOf('x1', { customer_id: 'c1', project_name: { en: 'Old' } }, { entity: 'projects' });
const acme = observedOf('c1', { customer_name: { en: 'Acme' }, external_unique_id: 'C1' }, { entity: 'customers' });

describe('the reads of an undo', () => {
  it('cover each area separately, so that a rejected one hides no other', async () => {
    const { attempted, calls } = await read([workOf('users'), workOf('proposals')], { refuses: 'users' });
    expect(attempted).toEqual(['users', 'projects', 'proposals']);
    expect(calls).toEqual(['proposals.get x1']);
  });

  it('look people up by id unless everybody was read, and remove those who are gone from the mirror', async () => {
    const mirror = [observedOf('x1', { name: 'Old' })];
    const there = await read([workOf('users')], { mirror, shows: { 'users.get': user('x1') } });
    expect([there.calls, there.shown('users', 'x1')?.values.name]).toEqual([['users.get x1'], 'New']);
    const gone = await read([workOf('users')], { mirror });
    expect(gone.shown('users', 'x1')).toBeNull();
    const fresh = await read([workOf('users')], { mirror, usersFresh: true });
    expect([fresh.calls, fresh.shown('users', 'x1')?.values.name]).toEqual([[], 'Old']);
    expect((await read([workOf('users', { id: null }), workOf('countries')], {})).calls).toEqual([]);
  });

  it('count as the newest round of their lists', async () => {
    const works = [workOf('users'), workOf('projects'), workOf('proposals')];
    const shows = {
      'users.get': user('x1'),
      'projects.get': project('x1'),
      'proposals.get': { id: 'x1', name: 'New' },
    };
    const { roundOf } = await read(works, { mirror: [dam], shows });
    expect([roundOf('users', 'x1'), roundOf('projects', 'x1'), roundOf('proposals', 'x1')]).toEqual([4, 5, 6]);
  });

  it('find projects under their customer, with their links to CVs', async () => {
    const shows = { 'projects.get': project('x1', { has_linked_project_experiences: true }) };
    const { calls, shown, seen } = await read([workOf('projects')], { mirror: [dam, acme], shows });
    expect(calls).toEqual(['projects.get c1 x1']);
    expect(shown('projects', 'x1')?.values).toMatchObject({ project_name: { en: 'New' }, customer_id: 'c1' });
    expect([...seen.linked]).toEqual(['x1']);
    const free = await read([workOf('projects')], { mirror: [dam], shows: { 'projects.get': project('x1') } });
    expect([...free.seen.linked]).toEqual([]);
    const gone = await read([workOf('projects')], { mirror: [dam] });
    expect(gone.shown('projects', 'x1')).toBeNull();
    expect((await read([workOf('projects', { action: 'delete' })], { mirror: [dam] })).calls).toEqual([]);
  });

  it('find a project missing from the mirror by the customer that the run wrote', async () => {
    const shows = { 'projects.get': project('x1') };
    const wrote = workOf('projects', { after: { customer: 'C1' } });
    expect((await read([wrote], { mirror: [acme], shows })).calls).toEqual(['projects.get c1 x1']);
    expect((await read([workOf('projects')], { mirror: [acme], shows })).calls).toEqual([]);
  });

  it('include all projects of a customer that the run created', async () => {
    const made = workOf('customers', { id: 'c1', action: 'create' });
    const shows = { 'projects.list': [project('p1', { has_linked_project_experiences: true }), project('p2')] };
    const { calls, shown, seen } = await read([made], { mirror: [acme], shows });
    expect(calls).toEqual(['projects.list c1']);
    expect([shown('projects', 'p1')?.values.customer_id, shown('projects', 'p2')?.values.customer_id]).toEqual([
      'c1',
      'c1',
    ]);
    expect([...seen.linked]).toEqual(['p1']);
    expect((await read([made], { shows })).calls).toEqual([]);
    expect((await read([workOf('customers', { id: 'c1' })], { mirror: [acme], shows })).calls).toEqual([]);
    expect(
      (await read([workOf('countries', { id: 'c1', action: 'create' })], { mirror: [acme], shows })).calls,
    ).toEqual([]);
    expect((await read([made], { mirror: [acme] })).seen.linked.size).toBe(0);
  });

  describe('proposals', () => {
    const bid = observedOf('x1', { name: 'Old', owner_id: 'u1', collaborators: ['b@x.test'] }, { entity: 'proposals' });
    const shows = {
      'proposals.get': { id: 'x1', name: 'New', status: 'open', archived: false },
      'proposals.listCollaborators': { api_users: [], users: [{ id: 'u2', email: 'c@x.test' }] },
      'proposals.listCvs': [{ id: 'k1', user_id: 'u2', email: 'c@x.test' }],
      'proposals.listReferences': [{ id: 'r1', external_unique_id: 'P1' }],
    };

    it('are read with the kinds of content that the run changed', async () => {
      const work = workOf('proposals', { after: { cvs: ['c@x.test'] } });
      const { calls, shown, seen } = await read([work], { mirror: [bid], shows });
      expect(calls).toEqual(['proposals.get x1', 'proposals.listCvs x1']);
      expect(shown('proposals', 'x1')?.values).toMatchObject({
        name: 'New',
        owner_id: 'u1',
        cvs: ['c@x.test'],
        collaborators: ['b@x.test'],
      });
      expect(seen.copies.get('x1')).toMatchObject([{ id: 'k1' }]);
      const all = workOf('proposals', { after: { collaborators: ['c@x.test'], references: ['P1'] } });
      const two = await read([all], { mirror: [bid], shows });
      expect(two.calls).toEqual(['proposals.get x1', 'proposals.listCollaborators x1', 'proposals.listReferences x1']);
      expect(two.seen.copies.get('x1')).toMatchObject([{ id: 'r1' }]);
    });

    it('are read without their content if the run created them', async () => {
      const made = workOf('proposals', { action: 'create', after: { cvs: ['c@x.test'] } });
      expect((await read([made], { mirror: [bid], shows })).calls).toEqual(['proposals.get x1']);
    });

    it('are removed from the mirror if they are gone, and not read without an id', async () => {
      const { shown, seen } = await read([workOf('proposals')], { mirror: [bid] });
      expect([shown('proposals', 'x1'), seen.copies.size]).toEqual([null, 0]);
      expect((await read([workOf('proposals', { id: null })], { shows })).calls).toEqual([]);
    });
  });
});
