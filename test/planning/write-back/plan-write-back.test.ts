import { describe, expect, it } from 'vitest';
import { buildWriteBackMappers } from '../../../src/mapping/write-back.js';
import { createRefusedReads } from '../../../src/mirror/refused-reads.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import type { Change } from '../../../src/model/plan.js';
import { settingsOf } from '../../../src/planning/derive-plan.js';
import { CONFIG_FACT } from '../../../src/planning/guard-facts.js';
import { describeObject } from '../../../src/planning/write-back/derive-write-back.js';
import { planWriteBacks } from '../../../src/planning/write-back/plan-write-back.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { change, loadSample } from '../../config/sample.js';
import { changeOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { NOW, personOf, rowOf } from '../world.js';

const TEXT = `${change(
  '      left: { type: bool, optional: true }\n',
  '      left: { type: bool, optional: true }\n      talent_id: { type: string, optional: true }\n      talent_name: { type: string, optional: true }\n    write_back: { drop: ./inbox, name: "t-{run}.csv" }\n',
)}  write_back: { hr: { talent_id: user.id, talent_name: user.title.en } }
guards: { sources: { hr: { overwrite: { max: 1 } } } }
`;
const config = loadSample(TEXT);

interface Backed {
  readonly shows?: Values;
  /** The account; null if there is none. */
  readonly account?: { readonly values?: Values; readonly active?: boolean; readonly label?: string } | null;
  readonly planned?: Partial<Change>;
  readonly held?: boolean;
}

function open(people: Readonly<Record<string, Backed>>): Stores {
  const stores = openTestStores();
  for (const [key, { shows = {}, account = {}, planned, held }] of Object.entries(people)) {
    const { values = { title: { en: key } }, ...more } = account ?? {};
    if (account !== null) linkTo(stores, 'users', key, observedOf(`u-${key}`, { ...personOf(key), ...values }, more));
    const writeBack = { records: { hr: { record: key, cells: shows } }, modified: null };
    stores.work.stage([{ desired: rowOf(key, {}, { writeBack }), hash: 'h' }]);
    if (planned !== undefined) stores.work.plan(changeOf('users', key, planned));
    if (held === true) stores.work.withholdRefs([`users:${key}`], 'users.create');
  }
  return stores;
}

function plan(stores: Stores, asked: Entity | null = 'users', writeBackMappers = buildWriteBackMappers(config)) {
  const derivation = {
    now: NOW,
    settingsOf: (entity: Entity) =>
      entity === asked ? settingsOf(config, entity, createRefusedReads(), new Set()) : null,
  };
  const context = {
    ...{ config, stores, writeBackMappers },
    ...{ lapseMs: () => 0, writesFormulas: () => false },
  };
  const trips = planWriteBacks(context, derivation);
  const back = [...stores.work.writeBackChanges('all')];
  const cells = back.flatMap(({ key, cells: of }) =>
    of.map(({ column, after }) => `${key} ${column} → ${String(after)}`),
  );
  return { trips, back, cells: cells.toSorted() };
}

describe('write-back for a person', () => {
  const fine = { talent_id: 'u-E1', talent_name: 'E1' };
  it.each<readonly [who: string, backed: Backed, cells: readonly string[]]>([
    ['is active', {}, ['E1 talent_id → u-E1', 'E1 talent_name → E1']],
    ['is active and shown correctly by the source', { shows: fine }, []],
    ['is inactive', { account: { active: false } }, []],
    ['has no account', { account: null }, []],
    ['is about to leave', { planned: { action: 'deactivate', target: 'u-E1' } }, []],
    ['is about to be deleted', { planned: { action: 'delete', target: 'u-E1' } }, []],
    [
      'was to leave, which a guard holds',
      { planned: { action: 'deactivate', target: 'u-E1' }, held: true },
      ['E1 talent_id → u-E1', 'E1 talent_name → E1'],
    ],
    [
      'returns',
      { account: { active: false }, planned: { action: 'reactivate', target: 'u-E1' } },
      ['E1 talent_id → u-E1', 'E1 talent_name → E1'],
    ],
    [
      'was to return, which a guard holds',
      { account: { active: false }, planned: { action: 'reactivate', target: 'u-E1' }, held: true },
      [],
    ],
    [
      'is renamed by this run',
      { shows: fine, planned: { action: 'update', target: 'u-E1', after: { title: { en: 'Eve' } } } },
      ['E1 talent_name → Eve'],
    ],
  ])('plans the cells of one who %s', (_who, backed, cells) => {
    expect(plan(open({ E1: backed })).cells).toEqual(cells);
  });

  it('uses the label in the service, or the planned one', () => {
    const label = (backed: Backed) => plan(open({ E1: backed })).back[0]?.label;
    expect(label({ account: { label: 'Eve <e1@x.test>' } })).toBe('Eve <e1@x.test>');
    expect(label({ account: null, planned: { label: 'New', after: { title: { en: 'New' } } } })).toBe('New');
  });

  it('skips a person in later runs if nothing was left to write', () => {
    const stores = open({ E1: { shows: fine }, E2: {} });
    plan(stores);
    expect([...stores.work.settledWriteBack()].map(({ key }) => key)).toEqual(['E1']);
  });

  it('checks a person in every run if the values may change without the object', () => {
    const stores = open({ E1: { shows: fine } });
    const { users } = buildWriteBackMappers(config);
    if (users !== undefined) plan(stores, 'users', { users: { ...users, restsOnOthers: true } });
    expect([...stores.work.settledWriteBack()]).toEqual([]);
  });

  it('plans nothing if people were left alone', () => {
    const stores = open({ E1: {} });
    // Nothing is written back for customers, but their row may come from a source that is written to.
    linkTo(stores, 'customers', 'C1', observedOf('k1', {}, { entity: 'customers' }));
    const writeBack = { records: { hr: { record: 'C1', cells: {} } }, modified: null };
    stores.work.stage([{ desired: rowOf('C1', {}, { entity: 'customers', writeBack }), hash: 'h' }]);
    expect(plan(stores, 'customers').cells).toEqual([]);
    expect(plan(open({ E1: {} }), null).cells).toEqual([]);
  });

  it('holds a person if an expression fails for the object', () => {
    const stores = open({ E1: { account: { values: {} } } });
    expect(plan(stores).cells).toEqual([]);
    expect([...stores.work.holds()]).toMatchObject([
      {
        ...{ entity: 'users', key: 'E1', place: 'hr employees.csv:2', code: 'SYNC_MAP_EXPRESSION' },
        reason: expect.stringContaining('write_back of hr.talent_name'),
      },
    ]);
  });
});

describe('records that would lose values', () => {
  const wrong = { shows: { talent_name: 'Older', talent_id: 'x' } };
  const people = { E1: wrong, E2: wrong, E3: {} };

  it('need approval if they exceed the guard, while the others continue', () => {
    const stores = open(people);
    const { trips } = plan(stores);
    expect(trips).toEqual([
      {
        ...{ guard: 'sources.hr.overwrite', limit: 1, found: 2, cause: 'real events' },
        held: expect.any(Number),
        detail: '2 of 3 linked records of hr would lose their values, and the configuration is unchanged',
      },
    ]);
    expect(trips[0]?.held).toBe(
      [...stores.work.writeBackChanges('all')].length - [...stores.work.writeBackChanges('applicable')].length,
    );
    expect(plan(open({ E1: wrong, E3: {} })).trips).toEqual([]);
  });

  it('report that the configuration was edited since the last run that wrote', () => {
    const cause = (digest: string) => {
      const stores = open(people);
      stores.history.setFact(CONFIG_FACT, digest);
      const [trip] = plan(stores).trips;
      return [trip?.cause, trip?.detail];
    };
    expect(cause('another')).toEqual([
      'configuration changed',
      'the configuration differs from that of the last applied run',
    ]);
    expect(cause(config.digest)[0]).toBe('real events');
  });

  it('go through once they are approved', () => {
    const stores = open(people);
    const ids = plan(stores).back.map(({ id }) => id);
    const again = open(people);
    const approval = {
      guard: 'sources.hr.overwrite',
      who: 'ops',
      reason: '',
      at: NOW,
      expiresAt: '2026-11-21T12:00:00.000Z',
    };
    again.history.approve(ids.map((changeId, at) => ({ ...approval, id: `a${at}`, changeId })));
    const { trips, back } = plan(again);
    expect(trips).toEqual([]);
    expect(back[0]?.approval).toMatch(/^a\d by ops: no reason given$/);
  });
});

describe('an object as seen by expressions', () => {
  const openMirror = () => {
    const { mirror } = openTestStores();
    mirror.save([observedOf('u1', { email: 'jane@x.test' })], 1);
    return mirror;
  };

  it('includes the planned values, language by language', () => {
    const mirror = openMirror();
    const seen = observedOf('u1', { title: { en: 'Old', no: 'Gammel' }, name: 'Jane' }, { active: false });
    expect(describeObject('users', seen, { title: { en: 'New' }, name: 'Eve' }, { mirror })).toEqual({
      ...{ id: 'u1', active: false, people: [] },
      values: { title: { en: 'New', no: 'Gammel' }, name: 'Eve' },
    });
    expect(describeObject('users', null, { name: 'Eve' }, { mirror })).toEqual({
      ...{ id: null, active: true, people: [], values: { name: 'Eve' } },
    });
  });

  it('includes the people whose CVs have the project', () => {
    const mirror = openMirror();
    const link = (id: string, userId: string) =>
      observedOf(id, { project_id: 'p1', user_id: userId }, { entity: 'staffing' });
    mirror.save(
      [
        observedOf('u2', { email: 'ann@x.test' }),
        link('l1', 'u1'),
        link('l2', 'u2'),
        link('l3', 'u2'),
        link('l4', 'u9'),
      ],
      1,
    );
    const peopleOf = (entity: Entity, id: string) =>
      describeObject(entity, observedOf(id, {}, { entity }), {}, { mirror }).people;
    expect(peopleOf('projects', 'p1')).toEqual(['ann@x.test', 'jane@x.test']);
    expect([peopleOf('projects', 'p2'), peopleOf('customers', 'p1')]).toEqual([[], []]);
    expect(describeObject('projects', null, {}, { mirror }).people).toEqual([]);
  });

  it('includes the address of the owner of a proposal', () => {
    const mirror = openMirror();
    const bid = observedOf('b1', { owner_id: 'u1' }, { entity: 'proposals' });
    const ownerOf = (entity: Entity, after: Values, values = bid.values) =>
      describeObject(entity, { ...bid, values }, after, { mirror }).values.owner;
    expect(ownerOf('proposals', {})).toBe('jane@x.test');
    expect(ownerOf('proposals', { owner: 'ann@x.test' })).toBe('ann@x.test');
    expect(ownerOf('projects', {})).toBeUndefined();
    expect(
      describeObject('proposals', { ...bid, values: { owner_id: 'u9' } }, {}, { mirror }).values,
    ).not.toHaveProperty('owner');
  });
});
