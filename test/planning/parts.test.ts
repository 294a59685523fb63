import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { ReadEvidence } from '../../src/model/source.js';
import { holdGuarded } from '../../src/planning/holds/hold-guarded.js';
import { createLeavers } from '../../src/planning/leavers.js';
import { matchesOnly, namesSaved, notFound, parseSelector } from '../../src/planning/only.js';
import { newId } from '../../src/planning/saved/summary.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { changeOf, desiredOf, evidenceOf, linkTo, observedOf, openTestStores } from '../samples.js';
import { withCrm } from './world.js';

const NOW = '2026-11-20T12:00:00.000Z';
/** A run of everything without holds. */
const RUN = { guards: [], only: null, stopped: [] };
const later = (hours: number): string => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();

describe('--only', () => {
  it('accepts a kind in any spelling, and ignores case in the words', () => {
    expect(parseSelector('user: Jane@X.test ', '--only')).toEqual({
      entity: 'users',
      words: 'jane@x.test',
      asked: 'Jane@X.test',
    });
    expect(parseSelector('users:E1', '--only').entity).toBe('users');
    expect(parseSelector('tag_category:unit', '--only').entity).toBe('tag_categories');
    expect(parseSelector('project:a:b', '--only').words).toBe('a:b');
  });

  it('rejects a selector that names nothing', () => {
    for (const selector of ['jane@x.test', 'person:jane', 'user:', ':jane', '', 'user: ']) {
      expect(() => parseSelector(selector, '--only'), selector).toThrow(SyncError);
    }
  });

  it('finds a change by key, id, e-mail before and after, external id and label, but not by part of one', () => {
    const one = changeOf('users', 'E1', {
      target: 'u1',
      label: 'Jane Doe <old@x.test>',
      before: { email: 'older@x.test' },
      after: { email: 'new@x.test', external_unique_id: 'X1' },
    });
    for (const words of ['e1', 'U1', 'old@x.test', 'older@x.test', 'NEW@x.test', 'x1', 'jane doe <old@x.test>']) {
      expect(matchesOnly(`user:${words}`)(one), words).toBe(true);
    }
    for (const selector of ['user:E', 'user:jane', 'customer:E1'])
      expect(matchesOnly(selector)(one), selector).toBe(false);
    expect(matchesOnly('user:by another name', () => 'By another name')(one)).toBe(true);
    expect(namesSaved('user:old@x.test')(one)).toBe(true);
    expect(namesSaved('user:new@x.test')(one)).toBe(false);
  });

  it('reports if the service has an object that it does not find', () => {
    expect(notFound('user', 'jane', true, '--only')).toMatchObject({
      message:
        'The user "jane" is in the service, but no source has it and no link points to it: talent-sync does not manage it.',
      place: '--only',
    });
    expect(notFound('user', 'jane', false, '--only')).toMatchObject({
      message: '"jane" was not found in the sources, the links or the service.',
      remedy: expect.stringMatching(/^Ask by source key, e-mail, external id or exact name/),
    });
  });
});

describe('newId', () => {
  it('sorts by time and never repeats', () => {
    const at = (ms: number) => newId('p', { now: () => ms, sleep: async () => undefined });
    const ids = [
      at(Date.parse('2026-11-20T08:00:00.999Z')),
      at(Date.parse('2026-11-20T08:00:01.000Z')),
      at(Date.parse('2026-11-20T10:00:00.000Z')),
    ];
    expect(ids.toSorted()).toEqual(ids);
    expect(ids[0]).toMatch(/^p20261120T080000999Z-[0-9a-f]{6}$/);
    expect(at(0)).not.toBe(at(0));
  });
});

describe('holdGuarded', () => {
  const config = loadSample(`${SAMPLE}guards: { users: { deactivate: { max: 1 } } }\n`);
  const calm = {
    evidenceOf: () => ({ configurationChanged: false, rowsBefore: 3, rowsNow: 3 }),
    leavers: { toAsk: () => [] },
    staged: [],
    contextOf: () => '',
  };

  function plan() {
    const stores = openTestStores();
    for (const key of ['a', 'b', 'c']) {
      linkTo(stores, 'users', key, observedOf(`u-${key}`));
      stores.work.plan(changeOf('users', key, { action: 'deactivate', target: `u-${key}` }));
    }
    stores.work.plan(changeOf('users', 'taker', { needs: ['users:a'] }));
    stores.work.plan(changeOf('users', 'new'));
    return stores;
  }
  const free = (stores: ReturnType<typeof plan>) =>
    [...stores.work.inOrder('applicable')].map(({ key }) => key).toSorted();

  it('holds every change of a tripped guard, every change that needs one of them, and nothing else', async () => {
    const stores = plan();
    const trips = await holdGuarded({ config, stores, now: NOW }, calm);
    expect(trips.map(({ guard, limit, found, held, cause }) => [guard, limit, found, held, cause])).toEqual([
      ['users.deactivate', 1, 3, 3, 'real events'],
    ]);
    expect(free(stores)).toEqual(['new']);
  });

  it('releases approved changes without counting them, and ignores an expired approval', async () => {
    const approval = { id: 'a1', guard: 'users.deactivate', who: 'ops', reason: 'closed', at: NOW };
    const stores = plan();
    stores.history.approve([
      { ...approval, changeId: 'id-users-a', expiresAt: later(1) },
      { ...approval, changeId: 'id-users-b', expiresAt: later(1) },
    ]);
    expect(await holdGuarded({ config, stores, now: NOW }, calm)).toEqual([]);
    expect(free(stores)).toEqual(['a', 'b', 'c', 'new', 'taker']);
    expect([...stores.work.inOrder('all')].find(({ key }) => key === 'a')?.approval).toBe('a1 by ops: closed');
    const late = plan();
    late.history.approve([{ ...approval, changeId: 'id-users-a', expiresAt: NOW }]);
    expect((await holdGuarded({ config, stores: late, now: NOW }, calm)).map(({ found }) => found)).toEqual([3]);
  });

  it('holds a change of two guarded fields for both, and releases one that touches neither', async () => {
    const fields = loadSample(`${SAMPLE}guards: { users: { fields: { title: { max: 1 }, telephone: { max: 0 } } } }\n`);
    const stores = openTestStores();
    const touching = { E1: ['title'], E2: ['telephone', 'title'], E3: ['email'], E4: ['telephone'] };
    for (const [key, names] of Object.entries(touching)) {
      linkTo(stores, 'users', key, observedOf(`u-${key}`));
      stores.work.plan(changeOf('users', key, { action: 'update', target: `u-${key}`, fields: names }));
    }
    // A create sets every field and does not rewrite one.
    stores.work.plan(changeOf('users', 'E5', { fields: ['title', 'telephone'] }));
    const trips = await holdGuarded({ config: fields, stores, now: NOW }, calm);
    expect(trips.map(({ guard, limit, found, held }) => [guard, limit, found, held])).toEqual([
      ['users.fields.telephone', 0, 2, 2],
      ['users.fields.title', 1, 2, 2],
    ]);
    expect([...stores.work.inOrder('all')].map(({ key, withheld }) => [key, withheld?.name ?? null])).toEqual([
      ['E1', 'users.fields.title'],
      ['E2', 'users.fields.telephone + users.fields.title'],
      ['E3', null],
      ['E4', 'users.fields.telephone'],
      ['E5', null],
    ]);
  });
});

describe('leavers', () => {
  const sample = change(
    'leaver: { when: record.?left.orValue(false) }',
    'leaver: { when: record.?left.orValue(false), after_missing_reads: 2 }',
  );
  const config = loadSample(sample);
  const LATER = new Date(Date.parse(NOW) + 43_200_000).toISOString();
  const read = (delivery: string, more: Partial<ReadEvidence> = {}) => evidenceOf({ delivery, ...more });

  it('are not counted by a dry run, and are counted over saved deliveries', () => {
    const stores = openTestStores();
    const dry = createLeavers(config, stores, () => read('d1'), NOW);
    expect(dry.absent('users', 'E1').due).toBe(false);
    expect(createLeavers(config, stores, () => read('d2'), LATER).absent('users', 'E1').due).toBe(false);
    dry.save(RUN);
    expect(createLeavers(config, stores, () => read('d1'), NOW).absent('users', 'E1').due).toBe(false);
    expect(createLeavers(config, stores, () => read('d2'), LATER).absent('users', 'E1').due).toBe(true);
    expect(createLeavers(config, stores, () => read('d2', { complete: false }), NOW).absent('users', 'E1').due).toBe(
      false,
    );
    expect(createLeavers(config, stores, () => null, NOW).absent('users', 'E1')).toEqual({
      due: false,
      text: 'the source was not read',
    });
  });

  it('lose their count when they are back, and keep it while unknown', () => {
    const stores = openTestStores();
    const first = createLeavers(config, stores, () => read('d1'), NOW);
    for (const key of ['back', 'away']) first.absent('users', key);
    first.save(RUN);
    stores.work.stage([{ desired: desiredOf('back'), hash: 'h' }]);
    createLeavers(config, stores, () => null, NOW).save(RUN);
    expect(stores.history.absentKeys('users')).toEqual(['away']);
  });

  it('are counted from the start under another filter, scope or join, but not for a moved folder', () => {
    const stores = openTestStores();
    const first = createLeavers(config, stores, () => read('d1'), NOW);
    first.absent('users', 'E1');
    first.save(RUN);
    const due = (text: string) =>
      createLeavers(loadSample(text), stores, () => read('d2'), LATER).absent('users', 'E1').due;
    expect(due(change('drop: ./drop', 'drop: ./elsewhere', sample))).toBe(true);
    expect(due(change('pattern: "*.csv"', 'pattern: "staff-*.csv"', sample))).toBe(false);
    expect(due(change('scope: record.dept != "x"', 'scope: record.dept != "y"', sample))).toBe(false);
    expect(due(change('idp.externalId == hr.id', 'idp.userName == hr.email', sample))).toBe(false);
  });

  it('are counted from the start under another filter of their own source only', () => {
    const fields = '    fields: { user: record.id';
    const mapped = change(fields, `    remove: { after_missing_reads: 2 }\n${fields}`, withCrm(['certifications']));
    const stores = openTestStores();
    const first = createLeavers(loadSample(mapped), stores, () => read('d1'), NOW);
    first.absent('certifications', 'S1');
    first.save(RUN);
    const due = (text: string) =>
      createLeavers(loadSample(text), stores, () => read('d2'), LATER).absent('certifications', 'S1').due;
    expect(due(change('pattern: "*.csv"', 'pattern: "staff-*.csv"', mapped))).toBe(true);
    expect(due(change('pattern: "certificates*.csv"', 'pattern: "others-*.csv"', mapped))).toBe(false);
  });

  it('are asked about if they are out of scope since an edit', () => {
    const stores = openTestStores();
    const asks = (text: string) => {
      const leavers = createLeavers(loadSample(text), stores, () => read('d1'), NOW);
      const asked = leavers.toAsk().includes('out_of_scope');
      leavers.save(RUN);
      return asked;
    };
    const leaving = change('  scope:', '  out_of_scope: deactivate\n  scope:', sample);
    expect([asks(sample), asks(sample), asks(leaving), asks(leaving), asks(sample)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(asks(change('record.dept != "x"', 'record.dept != "y"', leaving))).toBe(true);
  });

  it('report the setting or source that decided', () => {
    const leavers = createLeavers(config, openTestStores(), () => read('d1'), NOW);
    expect(leavers.outOfScope('users', 'E1').text).toBe('in hr, but not in scope: record.dept != "x"');
    expect(leavers.outOfScope('offices', 'O1').text).toBe('in hr, but not in scope: ');
    expect(leavers.gone('users', 'E1', 'idp')).toEqual({ due: true, text: 'deleted in idp', since: NOW });
    const unread = createLeavers(config, openTestStores(), () => null, NOW);
    expect(unread.outOfScope('users', 'E1')).toEqual({ due: false, text: 'the source was not read' });
  });

  it('are not missing if an unusable row names them', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', { email: 'jane@x.test' }));
    stores.work.keepUnusable({ of: 'users', place: 'hr.csv:7', raw: ['jane@x.test', 'Jane'], kind: 'keyed' });
    const { due, text } = createLeavers(config, stores, () => read('d1'), NOW).absent('users', 'E1');
    expect([due, text]).toEqual([
      false,
      expect.stringMatching(/^not proven: the row at hr\.csv:7 names it, but could not be used$/),
    ]);
  });

  it('are due immediately if they are explicit and there is no grace period', () => {
    const leavers = createLeavers(config, openTestStores(), () => read('d1'), NOW);
    expect(leavers.explicit('users', 'E1')).toEqual({
      due: true,
      text: 'hr says so: record.?left.orValue(false)',
      since: NOW,
    });
  });
});
