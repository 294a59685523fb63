import { describe, expect, it } from 'vitest';
import type { Copy } from '../../../src/model/copies.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Json, Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { hashLeaf } from '../../../src/reconcile/fields/leaves.js';
import { foldRun, type RunEntry } from '../../../src/reconcile/undo/run-work.js';
import { planUndo } from '../../../src/reconcile/undo/undo.js';
import { observedOf } from '../../samples.js';
import { createFakePorts, NO_PARKING, OSLO, settingsOf, type World } from '../fake-ports.js';

/** One change of the run: an entry of the audit log. */
function entry(more: Partial<RunEntry>): RunEntry {
  return {
    change: 'c1',
    entity: 'users',
    action: 'update',
    key: 'E1',
    target: 'u1',
    label: 'Jane',
    cause: { kind: 'changed' },
    before: {},
    after: {},
    result: 'done',
    ...more,
  };
}

interface Surroundings extends World {
  /** The entities that the configuration reads; all of them by default. */
  readonly read?: readonly Entity[];
  /** The people to whom other runs gave the tag. */
  readonly tagged?: readonly string[];
  /** The objects that belong to any object asked about. */
  readonly belonging?: readonly Observed[];
  readonly usersIn?: readonly Observed[];
  readonly linkedToCvs?: boolean;
  readonly copiesIn?: readonly Copy[];
  readonly untaken?: Readonly<Record<string, { readonly got: string; readonly times?: number }>>;
  /** The paths of which the audit log keeps only a pseudonym. */
  readonly lost?: readonly string[];
}

function undo(entries: readonly RunEntry[], around: Surroundings = {}) {
  const ports = createFakePorts({ links: { 'users:E1': 'u1' }, ...around });
  const links = around.links ?? { 'users:E1': 'u1' };
  planUndo({
    ...ports,
    memory: {
      ...ports.memory,
      link(entity, key) {
        const serviceId = links[`${entity}:${key}`];
        if (serviceId === undefined) return null;
        const written = around.written?.[key] ?? null;
        return { serviceId, base: around.base?.[key] ?? null, written, untaken: around.untaken ?? {} } as never;
      },
    },
    undone: { run: 'r1', reason: '', works: foldRun(entries).map((work) => ({ ...work, lost: around.lost ?? [] })) },
    managed: {
      parking: NO_PARKING,
      settings: (entity) => settingsOf({ entity }),
      isRead: (entity) => around.read?.includes(entity) !== false,
      digestMapping: (entity, path) => `${entity} ${path}`,
    },
    contents: {
      belonging: () => around.belonging ?? [],
      usersIn: () => around.usersIn ?? [],
      isLinkedToCvs: () => around.linkedToCvs === true,
      copiesIn: () => around.copiesIn ?? [],
      tagged: () => around.tagged ?? [],
    },
  });
  return {
    changes: ports.changes().map(({ action, key, target, before, after }) => ({ action, key, target, before, after })),
    whole: ports.changes(),
    holds: ports.holds.map(({ code, reason }) => [code, reason]),
    told: ports.holds.map(({ place, remedy }) => [place, remedy]),
  };
}

const here = (values: Observed['values'] = {}, more: Partial<Observed> = {}) =>
  observedOf('u1', values, { label: 'Jane', ...more });

describe('undoing what a run did to a person', () => {
  const moved = entry({ before: { telephone: '1' }, after: { telephone: '2' } });

  it('restores the old value if the service still holds the written one', () => {
    expect(undo([moved], { observed: [here({ telephone: '2' })] }).changes).toEqual([
      { action: 'update', key: 'E1', target: 'u1', before: { telephone: '2' }, after: { telephone: '1' } },
    ]);
  });

  it('ignores a value that is already restored', () => {
    const { changes, holds } = undo([moved], { observed: [here({ telephone: '1' })] });
    expect([changes, holds]).toEqual([[], []]);
  });

  it('leaves alone and reports what others have changed since', () => {
    const { changes, holds } = undo([moved], { observed: [here({ telephone: '3' })] });
    expect(changes).toEqual([]);
    expect(holds).toEqual([
      [
        'SYNC_UNDO_MOVED',
        'Jane: telephone has changed since: the run wrote "2" ("1" before), and the service has "3" now.',
      ],
    ]);
  });

  it('recognises a value that came back in another form than it was sent', () => {
    const { changes } = undo([moved], { observed: [here({ telephone: '02' })], untaken: { telephone: { got: '02' } } });
    expect(changes.map(({ after }) => after)).toEqual([{ telephone: '1' }]);
    // A value that the run had to write again came from others.
    const theirs = { telephone: { got: '02', times: 3 } };
    expect(undo([moved], { observed: [here({ telephone: '02' })], untaken: theirs }).changes).toEqual([]);
    const other = undo([moved], { observed: [here({ telephone: '03' })], untaken: { telephone: { got: '02' } } });
    expect(other.changes).toEqual([]);
  });

  it('judges each language of a text separately', () => {
    const titles = entry({ before: { title: { en: 'a', no: 'b' } }, after: { title: { en: 'A', no: 'B' } } });
    const { changes, holds } = undo([titles], { observed: [here({ title: { en: 'A', no: 'mine' } })] });
    expect(changes.map(({ after }) => after)).toEqual([{ title: { en: 'a', no: 'mine' } }]);
    expect(holds.map(([code]) => code)).toEqual(['SYNC_UNDO_MOVED']);
  });

  it('restores the first old value of a field that the run wrote twice', () => {
    const first = entry({ change: 'c1', before: { telephone: '1' }, after: { telephone: '2' } });
    const second = entry({
      change: 'c2',
      before: { telephone: '2', name: 'x' },
      after: { telephone: '3', name: 'y' },
    });
    const { whole } = undo([first, second], { observed: [here({ telephone: '3', name: 'y' })] });
    expect(whole.map(({ after, undoes }) => [after, undoes?.changes])).toEqual([
      [{ telephone: '1', name: 'x' }, ['c1', 'c2']],
    ]);
  });

  it('ignores what the run did not do: rejected, lost, skipped or already so', () => {
    for (const result of ['refused', 'lost', 'already so', 'skipped'])
      expect(undo([{ ...moved, result }], { observed: [here({ telephone: '2' })] }).changes, result).toEqual([]);
    for (const result of ['done', 'not taken', 'in part'])
      expect(undo([{ ...moved, result }], { observed: [here({ telephone: '2' })] }).changes, result).toHaveLength(1);
  });

  it('deactivates a created person instead of deleting, and leaves a deactivated one alone', () => {
    const created = entry({ action: 'create', after: { email: 'a@x.test', office: OSLO } });
    expect(undo([created], { observed: [here({ email: 'a@x.test' })] }).changes).toEqual([
      {
        action: 'deactivate',
        key: 'E1',
        target: 'u1',
        before: { deactivated: false },
        after: { deactivated: true },
      },
    ]);
    expect(undo([created], { observed: [here({}, { active: false })] }).changes).toEqual([]);
    // For something that the run created, being gone is the old state.
    expect(undo([created], { observed: [] })).toMatchObject({ changes: [], holds: [] });
  });

  it('pins the record to the restored state, so that the next run does not repeat the change', () => {
    const created = entry({ action: 'create', after: { email: 'a@x.test' } });
    const paths = (entries: readonly RunEntry[], observed: Observed) =>
      undo(entries, { observed: [observed] }).whole.flatMap(({ undoes }) =>
        (undoes?.records ?? []).map(({ key, pins, restores }) => [key, pins.map(({ path }) => path), restores]),
      );
    expect(paths([created], here())).toEqual([['E1', ['existence'], {}]]);
    expect(paths([moved], here({ telephone: '2' }))).toEqual([['E1', ['telephone'], { telephone: '1' }]]);
    const text = entry({ before: { title: { en: 'a' } }, after: { title: { en: 'A' } } });
    expect(paths([text], here({ title: { en: 'A' } }))).toEqual([['E1', ['title.en'], { title: { en: 'a' } }]]);
    const off = entry({ action: 'deactivate', before: { deactivated: false }, after: { deactivated: true } });
    expect(paths([off], here({}, { active: false }))).toEqual([['E1', ['existence'], {}]]);
    const on = entry({ action: 'reactivate', before: { telephone: '1' }, after: { telephone: '2' } });
    expect(paths([on], here({ telephone: '2' }))).toEqual([['E1', ['telephone', 'existence'], { telephone: '1' }]]);
    // It never had a record of its own, so there is nothing to pin.
    expect(paths([{ ...moved, cause: { kind: 'referenced' } }], here({ telephone: '2' }))).toEqual([]);
  });

  it('reverts a deactivation and a reactivation, with the values that were sent along', () => {
    const off = entry({ action: 'deactivate', before: { deactivated: false }, after: { deactivated: true } });
    expect(undo([off], { observed: [here({}, { active: false })] }).changes.map(({ action }) => action)).toEqual([
      'reactivate',
    ]);
    expect(undo([off], { observed: [here()] }).changes).toEqual([]);
    const on = entry({
      action: 'reactivate',
      before: { deactivated: true, telephone: '1' },
      after: { deactivated: false, telephone: '2' },
    });
    expect(undo([on], { observed: [here({ telephone: '2' })] }).changes).toEqual([
      {
        action: 'deactivate',
        key: 'E1',
        target: 'u1',
        before: { deactivated: false, telephone: '2' },
        after: { deactivated: true, telephone: '1' },
      },
    ]);
    // Others have deactivated the account since, so only its fields are restored.
    const gone = here({ telephone: '2' }, { active: false });
    expect(undo([on], { observed: [gone] }).changes).toEqual([
      { action: 'update', key: 'E1', target: 'u1', before: { telephone: '2' }, after: { telephone: '1' } },
    ]);
  });

  it('does nothing if one run deactivated and reactivated the person', () => {
    const off = entry({ action: 'deactivate', before: { deactivated: false }, after: { deactivated: true } });
    const on = entry({ action: 'reactivate', before: { deactivated: true }, after: { deactivated: false } });
    expect(undo([off, on], { observed: [here()] })).toMatchObject({ changes: [], holds: [] });
  });

  it('does not restore an account that was deleted permanently', () => {
    const deleted = entry({ action: 'delete', before: { email: 'a@x.test' } });
    const { changes, holds } = undo([deleted], { links: {} });
    expect(changes).toEqual([]);
    expect(holds).toEqual([
      [
        'SYNC_UNDO_IMPOSSIBLE',
        'Jane: the account and its CV were deleted for good; no call of the service restores them.',
      ],
    ]);
  });

  it('reports an e-mail that was sent', () => {
    expect(undo([{ ...moved, mailed: true }], { observed: [here({ telephone: '2' })] })).toMatchObject({
      changes: [{ after: { telephone: '1' } }],
      holds: [['SYNC_UNDO_SENT', expect.stringContaining('an e-mail')]],
    });
  });

  it('leaves alone a person who is gone, and a record that belongs to another object by now', () => {
    expect(undo([moved], { observed: [] }).holds).toEqual([['SYNC_UNDO_MOVED', 'Jane: it is gone from the service.']]);
    const other = undo([moved], { links: { 'users:E1': 'u2' }, observed: [here({ telephone: '2' })] });
    expect(other).toMatchObject({
      changes: [],
      holds: [['SYNC_UNDO_MOVED', 'Jane: the record is now linked to another object (u2 instead of u1).']],
    });
  });

  it('reports values of which only a pseudonym is left, and restores the rest', () => {
    expect(undo([moved], { observed: [here({ telephone: '2' })], lost: ['name', 'title.en'] })).toMatchObject({
      changes: [{ after: { telephone: '1' } }],
      holds: [['SYNC_UNDO_IMPOSSIBLE', expect.stringMatching(/^Jane: name, title\.en: .* the value before,/)]],
    });
  });

  it('leaves alone an entity that the configuration no longer manages', () => {
    expect(undo([moved], { read: ['customers'], observed: [here({ telephone: '2' })] })).toMatchObject({
      changes: [],
      holds: [['SYNC_UNDO_IMPOSSIBLE', 'Jane: the configuration no longer manages any user.']],
    });
  });

  it('keeps the access of an administrator, whatever the run did', () => {
    const roles = entry({ before: { roles: ['consultant'] }, after: { roles: ['internationalmanager'] } });
    const { changes, holds, told } = undo([roles], { observed: [here({ roles: ['internationalmanager'] })] });
    expect(changes).toEqual([]);
    expect(holds.map(([code]) => code)).toEqual(['SYNC_ACCOUNT_PROTECTED']);
    expect(told.map(([place]) => place)).toEqual(['run r1']);
  });
});

describe('undoing tags of people', () => {
  const names = { categories: ['unit'], tags: ['unit/north', 'unit/south'] };
  const tagged = (was: string | null) => entry({ before: { tags: { unit: was } }, after: { tags: { unit: 'south' } } });
  const world = { names, observed: [here()], written: { E1: { tags: { unit: 'south' } } } };

  it('restores another earlier tag, but removes none, since no call does that', () => {
    expect(undo([tagged('north')], world).changes.map(({ after }) => after)).toEqual([{ tags: { unit: 'north' } }]);
    const { changes, holds } = undo([tagged(null)], world);
    expect(changes).toEqual([]);
    expect(holds.map(([code, reason]) => [code, reason?.slice(0, 60)])).toEqual([
      ['SYNC_UNDO_IMPOSSIBLE', 'Jane: tags.unit: there was no tag of this category before, a'],
    ]);
  });

  it('leaves changes by others alone if the account shows the tags', () => {
    const shown = (unit: object) => undo([tagged('north')], { ...world, observed: [here({ tags: { ...unit } })] });
    const moved = (now: string) =>
      `Jane: tags.unit has changed since: the run wrote "south" ("north" before), and the service has ${now} now.`;
    expect(shown({ unit: 'south' }).changes.map(({ after }) => after)).toEqual([{ tags: { unit: 'north' } }]);
    expect(shown({ unit: 'north' })).toMatchObject({ changes: [], holds: [] });
    expect(shown({ unit: 'west' })).toMatchObject({ changes: [], holds: [['SYNC_UNDO_MOVED', moved('"west"')]] });
    expect(shown({})).toMatchObject({ changes: [], holds: [['SYNC_UNDO_MOVED', moved('null')]] });
  });

  const made = entry({
    change: 'c2',
    entity: 'tags',
    action: 'create',
    key: 'unit/south',
    target: 't1',
    label: 'south',
    after: { category: 'unit', external_unique_id: 'south' },
  });
  const tag = observedOf('t1', { category: 'unit', external_unique_id: 'south' }, { entity: 'tags', label: 'south' });
  const withTag = { ...world, links: { 'users:E1': 'u1', 'tags:unit/south': 't1' }, observed: [here(), tag] };

  it('deletes a tag that the same run created, together with its assignments', () => {
    const { whole, holds } = undo([tagged(null), made], withTag);
    expect(holds).toEqual([]);
    expect(whole.map(({ action, key }) => [action, key])).toEqual([['delete', 'unit/south']]);
    // The next run must not create it again for her.
    expect(whole[0]?.undoes?.records.map(({ key, pins }) => [key, pins.map(({ path }) => path)])).toEqual([
      ['unit/south', ['existence']],
      ['E1', ['tags.unit']],
    ]);
  });

  it('does not take another object of the run with the same words for the tag', () => {
    const others: readonly Partial<RunEntry>[] = [
      { entity: 'customers', key: 'C1', target: 'k1', after: { category: 'unit', external_unique_id: 'south' } },
      { after: { category: 'grade', external_unique_id: 'south' } },
      { after: { category: 'unit', external_unique_id: 'north' } },
      { action: 'update' },
    ];
    for (const other of others) {
      const { holds } = undo([tagged(null), { ...made, ...other }], { ...world, read: ['users'] });
      expect(holds.map(([, reason]) => reason)).toContainEqual(expect.stringContaining('tags.unit: there was no tag'));
    }
  });

  it('restores the earlier tag before it deletes the new one', () => {
    const { whole } = undo([tagged('north'), made], withTag);
    expect(whole.map(({ action, key, needs }) => [action, key, needs])).toEqual([
      ['update', 'E1', []],
      ['delete', 'unit/south', ['users:E1']],
    ]);
  });

  it('keeps a tag that other runs assigned too, and its assignment by this run', () => {
    const { changes, holds } = undo([tagged(null), made], { ...withTag, tagged: ['users:E2'] });
    expect(changes).toEqual([]);
    expect(holds.map(([, reason]) => reason)).toEqual([
      expect.stringContaining('there was no tag of this category before'),
      'south: other runs have given it to users:E2; it is not deleted.',
    ]);
    const many = undo([made], { ...withTag, tagged: ['users:E2', 'users:E3', 'users:E4', 'users:E5'] });
    expect(many.holds.map(([, reason]) => reason)).toEqual([
      'south: other runs have given it to users:E2, users:E3, users:E4 and 1 more; it is not deleted.',
    ]);
  });
});

describe('undoing a creation', () => {
  const customer = entry({
    entity: 'customers',
    action: 'create',
    key: 'C1',
    target: 'k1',
    label: 'Acme',
    after: { external_unique_id: 'C1', customer_name: { en: 'Acme' } },
  });
  const acme = (values: Observed['values'] = {}) =>
    observedOf(
      'k1',
      { external_unique_id: 'C1', customer_name: { en: 'Acme' }, ...values },
      { entity: 'customers', label: 'Acme' },
    );
  const links = { 'customers:C1': 'k1' };
  const dam = observedOf('p1', {}, { entity: 'projects', label: 'Dam' });

  it('deletes the object, and keeps all its values for an undo of the undo', () => {
    expect(undo([customer], { links, observed: [acme()] }).changes).toEqual([
      {
        action: 'delete',
        key: 'C1',
        target: 'k1',
        before: { external_unique_id: 'C1', customer_name: { en: 'Acme' } },
        after: {},
      },
    ]);
  });

  it('does not delete an object in which others have changed or filled in anything', () => {
    const renamed = undo([customer], { links, observed: [acme({ customer_name: { en: 'Acme Ltd' } })] });
    const filled = undo([customer], { links, observed: [acme({ customer_url: 'https://acme.test' })] });
    expect([renamed, filled].map(({ changes, holds }) => [changes, holds])).toEqual([
      [[], [['SYNC_UNDO_MOVED', 'Acme: others have changed customer_name since; it is not deleted.']]],
      [[], [['SYNC_UNDO_MOVED', 'Acme: others have changed customer_url since; it is not deleted.']]],
    ]);
  });

  it('does not delete an object while others that stay depend on it', () => {
    const { changes, holds } = undo([customer], { links, observed: [acme()], belonging: [dam] });
    expect(changes).toEqual([]);
    expect(holds).toEqual([['SYNC_UNDO_IMPOSSIBLE', 'Acme: it has 1 project (Dam); it is not deleted.']]);
    const two = undo([customer], { links, observed: [acme()], belonging: [dam, { ...dam, id: 'p2', label: 'Road' }] });
    expect(two.holds.map(([, reason]) => reason)).toEqual(['Acme: it has 2 projects (Dam, Road); it is not deleted.']);
  });

  it('deletes an object after its dependents if the same undo deletes those', () => {
    const project = entry({
      change: 'c2',
      entity: 'projects',
      action: 'create',
      key: 'P1',
      target: 'p1',
      label: 'Dam',
      after: { customer: 'C1' },
    });
    const world = { links: { ...links, 'projects:P1': 'p1' }, observed: [acme(), dam], belonging: [dam] };
    expect(undo([customer, project], world).whole.map(({ action, key, needs }) => [action, key, needs])).toEqual([
      ['delete', 'P1', []],
      ['delete', 'C1', ['projects:P1']],
    ]);
    const link = entry({
      ...{ change: 'c3', entity: 'staffing', action: 'create', key: 'P1/E1', target: 's1', label: 'Jane on Dam' },
      after: { project: 'P1', user: 'E1' },
    });
    const unlinked = undo([customer, project, link], {
      ...{ ...world, linkedToCvs: true, links: { ...world.links, 'staffing:P1/E1': 's1' } },
      observed: [...world.observed, observedOf('s1', {}, { entity: 'staffing' })],
    });
    expect(unlinked.holds).toEqual([]);
    expect(unlinked.whole.map(({ key, needs }) => [key, needs])).toEqual([
      ['P1/E1', []],
      ['P1', ['staffing:P1/E1']],
      ['C1', ['projects:P1']],
    ]);
    const linked = undo([customer, project], { ...world, linkedToCvs: true });
    expect(linked.holds.map(([, reason]) => reason)).toEqual([
      'Dam: CVs are linked to it; it is not deleted.',
      'Acme: it has 1 project (Dam); it is not deleted.',
    ]);
  });

  it('does not delete an office while people stay in it', () => {
    const office = entry({
      entity: 'offices',
      action: 'create',
      key: 'no/oslo',
      target: 'o1',
      label: 'Oslo',
      after: OSLO,
    });
    const oslo = observedOf('o1', OSLO, { entity: 'offices', label: 'Oslo' });
    const world = { links: { 'offices:no/oslo': 'o1' }, observed: [oslo] };
    expect(undo([office], world).changes.map(({ action }) => action)).toEqual(['delete']);
    expect(undo([office], { ...world, usersIn: [here()] }).holds.map(([, reason]) => reason)).toEqual([
      'Oslo: it has 1 user (Jane); it is not deleted.',
    ]);
  });

  it('cannot delete a country, and archives a proposal instead', () => {
    const country = entry({ entity: 'countries', action: 'create', key: 'no', target: 'c1', label: 'no' });
    expect(undo([country], { links: {} }).holds).toEqual([
      ['SYNC_UNDO_IMPOSSIBLE', 'no: the service has no call that deletes a country.'],
    ]);
    const proposal = entry({ entity: 'proposals', action: 'create', key: 'B1', target: 'b1', label: 'Bid' });
    const bid = (archived: boolean) => observedOf('b1', { archived }, { entity: 'proposals', label: 'Bid' });
    const of = (archived: boolean) => undo([proposal], { links: { 'proposals:B1': 'b1' }, observed: [bid(archived)] });
    expect(of(false).changes).toEqual([
      { action: 'update', key: 'B1', target: 'b1', before: { archived: false }, after: { archived: true } },
    ]);
    expect(of(true).changes).toEqual([]);
  });

  it('keeps an object that the configuration no longer manages', () => {
    expect(undo([customer], { links, observed: [acme()], read: ['users'] }).holds).toEqual([
      ['SYNC_UNDO_IMPOSSIBLE', 'Acme: the configuration no longer manages any customer.'],
    ]);
  });

  it('does nothing for an object that the same run created and deleted', () => {
    const deleted = { ...customer, change: 'c2', action: 'delete', before: customer.after, after: {} };
    expect(undo([customer, deleted], { links: {} })).toMatchObject({ changes: [], holds: [] });
  });
});

describe('undoing a deletion', () => {
  const deleted = entry({
    entity: 'customers',
    action: 'delete',
    key: 'C1',
    target: 'k1',
    label: 'Acme',
    before: { external_unique_id: 'C1', customer_name: { en: 'Acme' }, customer_url: '' },
  });

  it('creates the object from its old values, without the empty ones', () => {
    expect(undo([deleted], { links: {} }).changes).toEqual([
      {
        action: 'create',
        key: 'C1',
        target: null,
        before: {},
        after: { external_unique_id: 'C1', customer_name: { en: 'Acme' } },
      },
    ]);
  });

  it('does not create it from pseudonyms, unless they replace people', () => {
    expect(undo([deleted], { links: {}, lost: ['customer_name.en'] }).changes).toEqual([]);
    const project = entry({
      ...{ entity: 'projects', action: 'delete', key: 'P1', target: 'p1', label: 'Dam' },
      before: { customer: 'C1', project_name: { en: 'Dam' } },
    });
    const world = { links: {}, names: { customers: ['C1'] } };
    expect(undo([project], { ...world, lost: ['owners.a@x.test'] }).changes.map(({ action }) => action)).toEqual([
      'create',
    ]);
    expect(undo([project], { ...world, lost: ['architect'] }).changes).toEqual([]);
  });

  it('does not create it if the record has another object, or if the object exists', () => {
    expect(undo([deleted], { links: { 'customers:C1': 'k9' } }).changes).toEqual([]);
    expect(undo([deleted], { links: {}, observed: [observedOf('k1', {}, { entity: 'customers' })] }).changes).toEqual(
      [],
    );
  });

  it('does not create it without a required value', () => {
    const { changes, holds } = undo([{ ...deleted, before: { external_unique_id: 'C1' } }], { links: {} });
    expect(changes).toEqual([]);
    expect(holds).toEqual([['SYNC_UNDO_IMPOSSIBLE', 'Acme: its stored values lack customer_name.']]);
  });
});

describe('undoing a moved link', () => {
  const relinked = entry({
    action: 'relink',
    key: 'E2',
    before: { source_key: 'E1', telephone: '1' },
    after: { source_key: 'E2', telephone: '2' },
  });

  it('moves it back to its old record with the old values, and pins it', () => {
    const { whole } = undo([relinked], { links: { 'users:E2': 'u1' }, observed: [here({ telephone: '2' })] });
    expect(
      whole.map(({ action, key, before, after, undoes }) => [
        action,
        key,
        before,
        after,
        undoes?.records.map((record) => [record.key, record.pins.map(({ path }) => path)]),
      ]),
    ).toEqual([
      [
        'relink',
        'E1',
        { source_key: 'E2', telephone: '2' },
        { source_key: 'E1', telephone: '1' },
        [
          ['E1', ['telephone']],
          ['E2', ['link']],
        ],
      ],
    ]);
  });

  it('restores a removed link without touching another record', () => {
    const unlinked = entry({ action: 'relink', before: { source_key: 'E1' }, after: { source_key: null } });
    const { whole } = undo([unlinked], { links: {}, observed: [here()] });
    expect(whole.map(({ action, key, after, undoes }) => [action, key, after, undoes?.records])).toEqual([
      ['relink', 'E1', { source_key: 'E1' }, [{ entity: 'users', key: 'E1', pins: [], restores: {} }]],
    ]);
  });

  it('does not move it if either record has another object by now', () => {
    const stands = undo([relinked], {
      links: { 'users:E2': 'u1', 'users:E1': 'u7' },
      observed: [here({ telephone: '2' })],
    });
    expect(stands).toMatchObject({
      changes: [],
      holds: [['SYNC_UNDO_MOVED', 'Jane: record E1 is now linked to another object.']],
    });
    const held = undo([relinked], { links: { 'users:E3': 'u1' }, observed: [here({ telephone: '2' })] });
    expect(held).toMatchObject({
      changes: [],
      holds: [['SYNC_UNDO_MOVED', 'Jane: it is now linked to record E3.']],
    });
  });
});

describe('undoing what was put into proposals and CVs', () => {
  const bid = (values: Observed['values'] = {}) =>
    observedOf('b1', { name: 'Bid', archived: false, status: 'won', ...values }, { entity: 'proposals', label: 'Bid' });
  const filled = entry({
    entity: 'proposals',
    key: 'B1',
    target: 'b1',
    label: 'Bid',
    before: { status: 'initial', collaborators: [], cvs: ['e9@x.test'] },
    after: { status: 'won', collaborators: ['e1@x.test'], cvs: ['e1@x.test', 'e2@x.test'] },
    copies: [
      { field: 'cvs', of: 'u:e1@x.test', id: 'copy1', mark: 'v1' },
      { field: 'cvs', of: 'u:e2@x.test', id: 'copy2', mark: 'v1' },
    ],
  });
  const names = { emails: ['e1@x.test', 'e2@x.test', 'e9@x.test'] };
  const links = { 'proposals:B1': 'b1' };
  const people = names.emails.map((email) => observedOf(`u:${email}`, { email }, { label: email }));
  const inside = bid({ collaborators_ids: { 'e1@x.test': 'u:e1@x.test' } });
  const world = { names, links, observed: [inside, ...people], copiesIn: filled.copies ?? [] };

  it('removes the items one by one by their ids, and pins them', () => {
    const { whole, holds } = undo([filled], world);
    expect(holds).toEqual([]);
    expect(whole).toMatchObject([
      {
        ...{ action: 'update', key: 'B1', target: 'b1', place: 'run r1', reason: { text: 'undoes run r1' } },
        fields: ['collaborators', 'cvs', 'status'],
        before: { collaborators: ['e1@x.test'], cvs: ['e1@x.test', 'e2@x.test'], status: 'won' },
        after: { collaborators: [], cvs: [], status: 'initial' },
        takesOut: [
          { field: 'collaborators', word: 'e1@x.test', id: 'u:e1@x.test', of: 'u:e1@x.test' },
          { field: 'cvs', word: 'e1@x.test', id: 'copy1', of: 'u:e1@x.test' },
          { field: 'cvs', word: 'e2@x.test', id: 'copy2', of: 'u:e2@x.test' },
        ],
        undoes: {
          records: [
            {
              key: 'B1',
              pins: [
                { path: 'status' },
                { path: 'collaborators.e1@x.test' },
                { path: 'cvs.e1@x.test' },
                { path: 'cvs.e2@x.test' },
              ],
              restores: { status: 'initial' },
            },
          ],
        },
      },
    ]);
  });

  it('keeps items that others have worked in, and reports them', () => {
    const copiesIn = (filled.copies ?? []).map((copy) => ({ ...copy, mark: copy.id === 'copy1' ? 'v2' : null }));
    const { whole, holds, told } = undo([filled], { ...world, copiesIn });
    expect(whole.map(({ takesOut, after }) => [takesOut?.length, after])).toEqual([
      [1, { collaborators: [], status: 'initial' }],
    ]);
    expect(holds).toEqual([
      ['SYNC_UNDO_MOVED', 'Bid: cvs e1@x.test: others have edited the copy since; it stays.'],
      [
        'SYNC_UNDO_IMPOSSIBLE',
        'Bid: cvs e2@x.test: the service shows no version that would reveal edits by others; it stays.',
      ],
    ]);
    const remedy = 'If nobody needs it, remove it from the proposal in the service by hand.';
    expect(told).toEqual([
      ['run r1', remedy],
      ['run r1', remedy],
    ]);
  });

  it('puts back only those people that an undo removed and that are missing', () => {
    const out = { ...filled, before: { cvs: ['e1@x.test', 'e2@x.test'] }, after: { cvs: [] }, copies: [] };
    const there = bid({ cvs: ['e2@x.test'], cvs_ids: { 'e2@x.test': 'u:e2@x.test' } });
    const { whole, holds } = undo([out], { ...world, observed: [there, ...people], copiesIn: [] });
    expect(holds).toEqual([]);
    expect(whole).toMatchObject([
      {
        before: { cvs: ['e2@x.test'] },
        after: { cvs: ['e1@x.test'] },
        undoes: {
          records: [{ pins: [{ path: 'cvs.e1@x.test' }, { path: 'cvs.e2@x.test' }], restores: {} }],
        },
      },
    ]);
    expect(whole[0]).not.toHaveProperty('takesOut');
  });

  it('puts back nobody who is inactive or unknown, but all the others', () => {
    const out = {
      ...filled,
      before: { cvs: ['e1@x.test', 'e2@x.test', 'who@x.test'] },
      after: { cvs: [] },
      copies: [],
    };
    const observed = [bid(), ...people.map((one) => ({ ...one, active: one.id !== 'u:e1@x.test' }))];
    const { changes, holds, told } = undo([out], { ...world, observed, copiesIn: [] });
    expect(changes.map(({ after }) => after)).toEqual([{ cvs: ['e2@x.test'] }]);
    expect(holds).toEqual([
      [
        'SYNC_UNDO_IMPOSSIBLE',
        expect.stringMatching(/^Bid: cvs: e1@x\.test .*in the service and is not put into a proposal\.$/),
      ],
      ['SYNC_UNDO_IMPOSSIBLE', expect.stringMatching(/^Bid: cvs: The service has no user "who@x\.test"/)],
    ]);
    expect(told[0]).toEqual([
      'run r1',
      'Create it in the service again and repeat the undo, or change this there by hand.',
    ]);
  });

  const link = { entity: 'staffing', key: 'P1/E1', target: 's1', label: 'Jane on Dam' } as const;
  const staffed = { names: { ...names, projects: ['P1'] }, links: { 'staffing:P1/E1': 's1' } };
  const staffing = observedOf('s1', { role: [{ en: 'Lead' }, { en: 'Chief' }] }, { entity: 'staffing', label: 'Link' });

  it('keeps a role that the run added, since no call removes it', () => {
    const roles = entry({ ...link, before: { role: [{ en: 'Lead' }] }, after: { role: [{ en: 'Chief' }] } });
    const { changes, holds, told } = undo([roles], { ...staffed, observed: [staffing] });
    expect(changes).toEqual([]);
    expect(holds).toEqual([
      ['SYNC_UNDO_IMPOSSIBLE', 'Jane on Dam: role: no call of the service removes a role from an experience.'],
    ]);
    expect(told).toEqual([['run r1', 'Change it in the service by hand.']]);
    // Others have removed it, so it is as before.
    const { holds: none } = undo([roles], {
      ...staffed,
      observed: [{ ...staffing, values: { role: [{ en: 'Lead' }] } }],
    });
    expect(none).toEqual([]);
  });

  it('creates a deleted link again in one call with others of its project', () => {
    const before = { project: 'P1', user: 'e1@x.test', link: true };
    const gone = entry({ ...link, action: 'delete', before });
    expect(undo([gone], { ...staffed, links: {} }).whole).toMatchObject([
      { action: 'create', after: before, batch: 'p1: hard link', fields: ['link', 'project', 'user'] },
    ]);
    const project = entry({
      ...{ entity: 'projects', action: 'delete', key: 'P9', target: 'p9', label: 'Dam' },
      before: { customer: 'C1', project_name: { en: 'Dam' } },
    });
    const [made] = undo([project], { links: {}, names: { customers: ['C1'] } }).whole;
    expect(made).toMatchObject({ action: 'create' });
    expect(made).not.toHaveProperty('batch');
  });
});

describe('the texts of a change that undoes something', () => {
  const textsOf = (one: Partial<RunEntry>, around: Surroundings) =>
    undo([entry(one)], around).whole.map(({ reason }) => `${reason.kind}: ${reason.text}`);
  const customer = { entity: 'customers', key: 'C1', target: 'k1', label: 'Acme' } as const;
  const named = { external_unique_id: 'C1', customer_name: { en: 'Acme' } };
  const acme = observedOf('k1', named, { entity: 'customers', label: 'Acme' });
  const proposal = { entity: 'proposals', key: 'B1', target: 'b1', action: 'create' } as const;
  it.each<readonly [string, Partial<RunEntry>, Surroundings]>([
    ['', { before: { telephone: '1' }, after: { telephone: '2' } }, { observed: [here({ telephone: '2' })] }],
    ['created by it, and a person is never deleted', { action: 'create' }, { observed: [here()] }],
    [
      'created by it',
      { ...customer, action: 'create', after: named },
      { links: { 'customers:C1': 'k1' }, observed: [acme] },
    ],
    ['deleted by it; it gets a new id', { ...customer, action: 'delete', before: named }, { links: {} }],
    [
      'created by it; the service cannot delete a proposal, so it is archived',
      proposal,
      { links: { 'proposals:B1': 'b1' }, observed: [observedOf('b1', {}, { entity: 'proposals' })] },
    ],
    [
      'E2 → E1',
      { action: 'relink', key: 'E2', before: { source_key: 'E1' }, after: { source_key: 'E2' } },
      { links: { 'users:E2': 'u1' }, observed: [here()] },
    ],
    [
      'E2 → no record',
      { action: 'relink', key: 'E2', before: { source_key: null }, after: { source_key: 'E2' } },
      { links: { 'users:E2': 'u1' }, observed: [here()] },
    ],
    [
      'no record → E1',
      { action: 'relink', before: { source_key: 'E1' }, after: { source_key: null } },
      { links: {}, observed: [here()] },
    ],
  ])('give the reason: %s', (why, one, around) => {
    expect(textsOf(one, around)).toEqual([`undone: ${['undoes run r1', ...(why === '' ? [] : [why])].join(': ')}`]);
  });

  it('list fields in their own order, whatever that of the run was', () => {
    const two = entry({ before: { telephone: '1', name: 'a' }, after: { telephone: '2', name: 'b' } });
    const [change] = undo([two], { observed: [here({ telephone: '2', name: 'b' })] }).whole;
    expect(change?.fields).toEqual(['name', 'telephone']);
  });

  it.each<readonly [string, Partial<RunEntry>, Surroundings]>([
    ['If it matters to the person, write to them.', { mailed: true }, { observed: [here()] }],
    [
      'If the person has returned, deliver the row: the next run creates a new account.',
      { action: 'delete', before: { email: 'a@x.test' } },
      { links: {} },
    ],
    ['If anyone knows it, enter it in the service by hand.', {}, { observed: [here()], lost: ['name'] }],
    [
      'Nothing is left to restore. If a run deleted it, undo that run.',
      { before: { telephone: '1' }, after: { telephone: '2' } },
      { observed: [] },
    ],
    [
      'Look at both in the service, and change them there by hand.',
      { before: { telephone: '1' }, after: { telephone: '2' } },
      { links: { 'users:E1': 'u2' }, observed: [here()] },
    ],
    [
      'If the newer value is wrong, change it in the service or in the source. If a later run wrote it, undo that run first.',
      { before: { telephone: '1' }, after: { telephone: '2' } },
      { observed: [here({ telephone: '3' })] },
    ],
    [
      'Add the entity to the configuration again, and repeat the undo.',
      {},
      { read: ['customers'], observed: [here()] },
    ],
    [
      'Add it to the configuration again, and repeat the undo.',
      { ...customer, action: 'create', after: named },
      { read: ['users'], links: { 'customers:C1': 'k1' }, observed: [acme] },
    ],
    [
      'Delete the customer in the service by hand, if nobody needs it.',
      { ...customer, action: 'create', after: { external_unique_id: 'C1' } },
      { links: { 'customers:C1': 'k1' }, observed: [acme] },
    ],
    [
      'Empty the customer first, then repeat the undo.',
      { ...customer, action: 'create', after: named },
      {
        links: { 'customers:C1': 'k1' },
        observed: [acme],
        belonging: [observedOf('p1', {}, { entity: 'projects' })],
      },
    ],
    [
      'Create it again in the service by hand.',
      { ...customer, action: 'delete', before: { external_unique_id: 'C1' } },
      { links: {} },
    ],
    [
      'Look at both, and link them by hand: `talent-sync link`.',
      { action: 'relink', key: 'E2', before: { source_key: 'E1' }, after: { source_key: 'E2' } },
      { links: { 'users:E2': 'u1', 'users:E1': 'u7' }, observed: [here()] },
    ],
    ['Leave it unchanged.', { entity: 'countries', action: 'create', key: 'no', target: 'c1' }, { links: {} }],
  ])('give the remedy: %s', (remedy, one, around) => {
    expect(undo([entry(one)], around).told).toEqual([['run r1', remedy]]);
  });
});

describe('changes by others to an object that the run created', () => {
  const made = (entity: Entity, after: Observed['values'], values: Observed['values']) =>
    undo([entry({ entity, action: 'create', key: 'X', target: 'x', label: 'X', after })], {
      links: { [`${entity}:X`]: 'x' },
      observed: [observedOf('x', values, { entity, label: 'X' })],
    });
  const blank = [{ value: {}, label: {} }];
  const category = { external_unique_id: 'unit', values: { en: 'Unit' } };
  const dam = { external_unique_id: 'P1', project_name: { en: 'Dam' } };
  it.each<readonly [string, Entity, Observed['values'], Observed['values'], string]>([
    ['a flag', 'tag_categories', category, { ...category, can_be_used_for_cvs: true }, ''],
    [
      'the defaults of every project',
      'projects',
      dam,
      { ...dam, project_challenges: blank, workflow_stage: 'draft' },
      '',
    ],
    ['a stage', 'projects', dam, { ...dam, workflow_stage: 'live' }, 'workflow_stage'],
    ['a text', 'projects', dam, { ...dam, project_challenges: [{ value: { en: 'Long' } }] }, 'project_challenges'],
    ['a name and a text', 'projects', dam, { project_name: { en: 'Weir' }, architect: 'A' }, 'project_name, architect'],
    ['a hidden customer', 'projects', { ...dam, customer: 'C1' }, dam, ''],
    ['a value filled in on a section', 'courses', { name: { en: 'a' } }, { name: { en: 'a' }, year: '1' }, ''],
    ['a section with another text', 'courses', { name: { en: 'a' } }, { name: { en: 'b' } }, 'name'],
  ])('are found or ignored: %s', (_, entity, after, values, changed) => {
    const { changes, holds } = made(entity, after, values);
    expect(changes.map(({ action }) => action)).toEqual(changed === '' ? ['delete'] : []);
    expect(holds).toEqual(
      changed === '' ? [] : [['SYNC_UNDO_MOVED', `X: others have changed ${changed} since; it is not deleted.`]],
    );
  });
});

describe('pinned texts of a project', () => {
  const [one, two] = [{ value: { en: 'One' } }, { value: { en: 'Two' } }];
  const removed = entry({
    ...{ entity: 'projects', key: 'P1', target: 'p1', label: 'Dam' },
    before: { project_challenges: [{ id: 'x1', ...one }] },
    after: { project_challenges: [null] },
  });
  const dam = observedOf('p1', { project_challenges: [{ id: 'x2', ...two }] }, { entity: 'projects', label: 'Dam' });
  const world = {
    links: { 'projects:P1': 'p1' },
    written: { P1: { project_challenges: { x2: two } } },
    observed: [dam],
  };

  it.each<readonly [what: string, more: Partial<RunEntry>, base: Values | undefined, pinned: Json]>([
    ['the complete list that both sides agreed on', {}, { project_challenges: [two] }, [two]],
    ['an emptied list', {}, { project_challenges: null }, null],
    ['the sent texts if nothing was agreed on', {}, undefined, [null]],
    ['the sent texts if only another field was agreed on', {}, { project_name: { en: 'Dam' } }, [null]],
    ['the sent texts if they were taken in part', { result: 'in part' }, { project_challenges: [one, two] }, [null]],
  ])('are those that the source asks for: %s', (_, more, base, pinned) => {
    const { whole } = undo([{ ...removed, ...more }], {
      ...world,
      ...(base === undefined ? {} : { base: { P1: base } }),
    });
    expect(whole.flatMap(({ undoes }) => undoes?.records)).toEqual([
      {
        ...{ entity: 'projects', key: 'P1' },
        pins: [{ path: 'project_challenges', value: hashLeaf(pinned), mapping: 'projects project_challenges' }],
        restores: { project_challenges: [two, one] },
      },
    ]);
  });
});
