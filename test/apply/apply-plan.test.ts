import { describe, expect, it } from 'vitest';
import { findStandStill } from '../../src/app/stand-still.js';
import { type ApplyContext, applyPlan, type ChangeResult } from '../../src/apply/apply-plan.js';
import { observeUser } from '../../src/mirror/observe.js';
import type { Change } from '../../src/model/plan.js';
import { parseQuietRange, type QuietRange } from '../../src/model/quiet-hours.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { loadSample } from '../config/sample.js';
import { changeOf, linkTo, observedOf } from '../samples.js';
import { type Fate, openScripted } from './scripted-service.js';

const CONFIG = loadSample();
const OSLO = { country: 'no', name: 'Oslo' };

function rename(key: string, more: Partial<Change> = {}): Change {
  const plain: Partial<Change> = { action: 'update', target: key.replace('E', 'u'), fields: ['name'] };
  return changeOf('users', key, { ...plain, after: { name: `New ${key}` }, ...more });
}
const created = (key: string): Change =>
  changeOf('users', key, { after: { name: key, email: `${key}@example.com`, office: OSLO }, fields: ['name'] });
const leaving = (key: string): Change =>
  rename(key, { action: 'deactivate', after: { deactivated: true }, fields: ['deactivated'] });
const untagged = (id: string): Change =>
  changeOf('tags', id, { action: 'delete', target: id, fields: [], batch: 'g1' });

const PAUSE = { at: '2026-11-20T08:00:00Z', until: '2026-11-21T08:00:00Z', by: 'jane', reason: 'payroll' };

interface Given {
  readonly changes: readonly Change[];
  readonly script?: readonly Fate[];
  readonly slots?: number;
  readonly callBudget?: number;
  readonly quiet?: string;
  readonly ignoreQuietHours?: boolean;
  /** The number of changes after which someone pauses the tenant. */
  readonly pausedAfter?: number;
  /** The number of changes after which a stop comes. */
  readonly stopAfter?: number;
  readonly wanted?: readonly string[];
  readonly usersFresh?: boolean;
}

const quietOf = (text: string): readonly QuietRange[] => {
  const range = parseQuietRange(text);
  if (range === null) throw new Error(text);
  return [range];
};

function open(given: Given) {
  const { changes, script = changes.map(() => 'done' as const), slots = 1, wanted, usersFresh = true } = given;
  const scripted = openScripted(script);
  const { stores, execution, people, writes } = scripted;
  const stop = new AbortController();
  const ends: string[] = [];
  for (const { entity, key, target } of changes) {
    if (target === null) continue;
    if (entity === 'users') {
      const person = { id: target, name: key, deactivated: false, default_cv_id: `cv-${target}` };
      people.set(target, person);
      linkTo(stores, 'users', key, observeUser(person as unknown as WireUser));
    } else {
      scripted.tags.add(target);
      linkTo(stores, entity, key, observedOf(target, { category_id: 'g1' }));
    }
  }
  for (const change of changes) stores.work.plan(change);
  stores.work.level('users');
  if (wanted !== undefined) stores.work.want(wanted);
  const service = {
    reader: execution.calls.reader,
    writer: {
      users: {
        async importCsv(file: string, { dryRun }: { readonly dryRun: boolean }) {
          writes.push(`${dryRun ? 'try ' : ''}import of ${file.trim().split('\n').length - 1}`);
          return { value: null, requestId: 'q1', status: 200, attempts: 1 };
        },
      },
    },
    get calls() {
      return { reads: { total: 0 }, writes: { total: writes.length } };
    },
  };
  const context = {
    ...{ run: 'r1', stores, service, clock: execution.clock, contextOf: execution.contextOf, usersFresh },
    config: {
      ...CONFIG,
      service: { ...CONFIG.service, rateLimit: { ...CONFIG.service.rateLimit, concurrency: slots } },
      users: { ...CONFIG.users, bulkLoad: { setting: 'daily', language: 'en', tagColumns: {}, separator: ';' } },
      callBudget: given.callBudget ?? null,
      quietHours: given.quiet === undefined ? [] : quietOf(given.quiet),
    },
    logger: { debug: () => undefined },
    signal: stop.signal,
    execution: () => execution,
    bulkLoad: { batch: 'import:daily', people: 2, singly: [], refused: null, calls: { 'POST import': 2 } },
    protectedBy: () => null,
    standsStill: () =>
      findStandStill(context.config, {
        pause: ends.length >= (given.pausedAfter ?? Number.POSITIVE_INFINITY) ? PAUSE : null,
        ignoreQuietHours: given.ignoreQuietHours === true,
        nowMs: execution.clock.now(),
      }),
    onChange({ key }: Change, result: ChangeResult) {
      ends.push(`${key} ${result}`);
      if (ends.length === given.stopAfter) stop.abort();
    },
  } as unknown as ApplyContext;
  const apply = async () => {
    const applied = await applyPlan(wanted === undefined ? 'applicable' : 'wanted', context);
    await stores.commits.now(() => undefined);
    expect(stores.journal.open()).toEqual([]);
    const failed = applied.failed.map(({ key, code }) => `${key} ${code}`);
    return { ...applied, failed, stopped: applied.stopped?.code ?? null, why: applied.stopped?.message };
  };
  return { ...scripted, apply, ends };
}

const THREE = [rename('E1'), rename('E2'), rename('E3')];
const ALL = ['update u1', 'update u2', 'update u3'];

interface Row extends Given {
  readonly writes: readonly string[];
  readonly ends: readonly string[];
  readonly done: number;
  readonly failed?: readonly string[];
  readonly left?: number;
  readonly stopped?: string;
  readonly why?: RegExp | string;
}

const TABLE: Readonly<Record<string, Row>> = {
  'applies everything in stages, with deletions last': {
    changes: [untagged('t1'), created('E4'), rename('E1')],
    writes: ['update u1', 'create', 'delete t1'],
    ...{ ends: ['E1 done', 'E4 done', 't1 done'], done: 3 },
  },
  'does nothing for an empty plan': { changes: [], writes: [], ends: [], done: 0 },
  'continues with the others if one record is rejected': {
    ...{ changes: THREE, script: ['done', 'refused', 'done'], writes: ALL },
    ...{ ends: ['E1 done', 'E2 refused', 'E3 done'], done: 2, failed: ['E2 SYNC_SERVICE_REFUSED'] },
  },
  'skips changes that need a failed one': {
    changes: [rename('E1'), rename('E2', { needs: ['users:E1'] }), rename('E3')],
    ...{ script: ['refused', 'done'], writes: ['update u1', 'update u3'] },
    ...{ ends: ['E1 refused', 'E3 done', 'E2 blocked'], done: 1 },
    failed: ['E1 SYNC_SERVICE_REFUSED', 'E2 SYNC_CHANGE_BLOCKED'],
  },
  'stops writing an entity that the key may not change, even with an intent written ahead': {
    changes: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].map((key) => rename(key)),
    // The fourth call is sent together with the third.
    ...{ slots: 2, script: Array<Fate>(4).fill('forbidden'), writes: [...ALL, 'update u4'], done: 0 },
    ends: [...['E1', 'E2', 'E3', 'E4'].map((key) => `${key} refused`), 'E5 blocked', 'E6 blocked'],
    failed: [
      ...['E1', 'E2', 'E3', 'E4'].map((key) => `${key} SYNC_SERVICE_FORBIDDEN`),
      ...['E5', 'E6'].map((key) => `${key} SYNC_CHANGE_BLOCKED`),
    ],
  },
  'stops if the service rejects the key': {
    ...{ changes: THREE, script: ['done', 'key refused'], writes: ALL.slice(0, 2) },
    ...{ ends: ['E1 done', 'E2 refused'], done: 1, failed: ['E2 SYNC_SERVICE_UNAUTHENTICATED'], left: 1 },
    stopped: 'SYNC_SERVICE_UNAUTHENTICATED',
  },
  'stops by a signal, whatever has begun': {
    ...{ changes: THREE, slots: 1, stopAfter: 1, writes: ALL.slice(0, 1), ends: ['E1 done'], done: 1, left: 2 },
    ...{ stopped: 'SIGNAL', why: /^stopped by a signal$/ },
  },
  'ends the plan by a stop in one stage': {
    changes: [rename('E1'), rename('E2'), untagged('t1')],
    ...{ stopAfter: 1, writes: ALL.slice(0, 1), ends: ['E1 done'], done: 1, left: 2, stopped: 'SIGNAL' },
  },
  'stops when the call budget is spent': {
    ...{ changes: THREE, callBudget: 2, writes: ALL.slice(0, 2), ends: ['E1 done', 'E2 done'], done: 2, left: 1 },
    ...{ stopped: 'BUDGET', why: /^the call budget of 2 is spent$/ },
  },
  'stops if reading has spent the call budget': {
    ...{ changes: THREE, callBudget: 0, writes: [], ends: [], done: 0, left: 3, stopped: 'BUDGET' },
    why: /^the call budget of 0 is spent by the calls before the first change \(0 calls\): raise `call_budget`$/,
  },
  'completes within a sufficient call budget': {
    ...{ changes: THREE, callBudget: 3, writes: ALL, ends: ['E1 done', 'E2 done', 'E3 done'], done: 3 },
  },
  'keeps several slots within the call budget': {
    ...{ changes: THREE, slots: 3, callBudget: 2, writes: ALL.slice(0, 2), ends: ['E1 done', 'E2 done'] },
    ...{ done: 2, left: 1, stopped: 'BUDGET' },
  },
  'stops if the call budget has no room for a look at a leaver': {
    changes: [rename('E1'), leaving('E2')],
    ...{ usersFresh: false, callBudget: 2, writes: ['update u1'], ends: ['E1 done'], done: 1, left: 1 },
    stopped: 'BUDGET',
  },
  'sends nothing in quiet hours': {
    ...{ changes: THREE, quiet: '07:00-09:00', writes: [], ends: [], done: 0, left: 3 },
    ...{ stopped: 'QUIET', why: /^quiet hours \(07:00-09:00/ },
  },
  'sends everything before quiet hours begin': {
    ...{ changes: THREE, quiet: '09:00-10:00', writes: ALL, ends: ['E1 done', 'E2 done', 'E3 done'], done: 3 },
  },
  'ignores quiet hours if an operator wants that': {
    ...{ changes: THREE, quiet: '07:00-09:00', ignoreQuietHours: true },
    ...{ writes: ALL, ends: ['E1 done', 'E2 done', 'E3 done'], done: 3 },
  },
  'stops if someone pauses the tenant meanwhile': {
    ...{ changes: THREE, pausedAfter: 1, writes: ['update u1'], ends: ['E1 done'], done: 1, left: 2 },
    ...{ stopped: 'PAUSED', why: 'paused by jane until 2026-11-21 08:00 UTC: payroll' },
  },
  'applies only the changes of a saved plan': {
    ...{ changes: THREE, wanted: ['id-users-E2'], writes: ['update u2'], ends: ['E2 done'], done: 1 },
  },
  'deletes tags of one category by one call': {
    changes: [untagged('t1'), untagged('t2'), rename('E1')],
    ...{ writes: ['update u1', 'delete t1 t2'], ends: ['E1 done', 't1 done', 't2 done'], done: 3 },
  },
  'leaves a tag out of the call if it needs a failed change': {
    changes: [untagged('t1'), { ...untagged('t2'), needs: ['users:E1'] }, rename('E1')],
    ...{ script: ['refused', 'done'], writes: ['update u1', 'delete t1'], done: 1 },
    ...{ ends: ['E1 refused', 't2 blocked', 't1 done'], failed: ['E1 SYNC_SERVICE_REFUSED', 't2 SYNC_CHANGE_BLOCKED'] },
  },
  'updates nothing for a leaver whose account is inactive already': {
    changes: [leaving('E1'), rename('E2')],
    ...{ usersFresh: false, script: ['done', 'done'], writes: ['update u1', 'update u2'] },
    ...{ ends: ['E1 done', 'E2 done'], done: 2 },
  },
  'moves a link without a call': {
    changes: [
      rename('E1', {
        ...{ action: 'relink', fields: ['source_key'], before: { source_key: 'E0' }, after: { source_key: 'E1' } },
      }),
    ],
    ...{ writes: [], ends: ['E1 done'], done: 1 },
  },
};

describe('applying a plan', () => {
  it.each(Object.entries(TABLE))('%s', async (_, row) => {
    const { apply, ends, writes, stores } = open(row);
    const { why, counts, ...applied } = await apply();
    const { done, failed = [], left = 0, stopped = null } = row;
    expect({ writes, ends, ...applied }).toEqual({ writes: row.writes, ends: row.ends, done, failed, left, stopped });
    const counted = Object.values(counts).flatMap((actions) => Object.values(actions));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(done);
    if (row.why !== undefined) expect(why).toMatch(row.why);
    // The audit contains each change once.
    const audited = [...readEntries(stores.audit)].map(({ key, result }) => `${key} ${result}`);
    expect(audited.toSorted()).toEqual(ends.filter((end) => !end.endsWith('blocked')).toSorted());
  });

  const imported = (key: string): Change => ({ ...created(key), batch: 'import:daily' });

  it('sends the people of an import as one file, after the others of their stage', async () => {
    const { apply, ends, writes } = open({
      changes: [imported('E1'), created('E2'), imported('E3')],
      script: ['done'],
    });
    // Nobody shows up after the import, so the next run creates each by a separate call.
    expect(await apply()).toMatchObject({
      done: 1,
      left: 0,
      failed: ['E1', 'E3'].map((key) => `${key} SYNC_IMPORT_MISSING`),
    });
    expect(writes).toEqual(['create', 'try import of 2', 'import of 2']);
    expect(ends).toEqual(['E2 done', 'E1 lost', 'E3 lost']);
  });

  it('starts no import without room in the call budget', async () => {
    const { apply, writes } = open({ changes: [imported('E1'), created('E2')], script: ['done'], callBudget: 2 });
    expect(await apply()).toMatchObject({ done: 1, left: 1, stopped: 'BUDGET' });
    expect(writes).toEqual(['create']);
  });

  it('splits many changes that share a call by the limit of the call', async () => {
    const changes = Array.from({ length: 301 }, (_, index) => untagged(`t${index + 100}`));
    const { apply, writes } = open({ changes, script: ['done', 'done'] });
    expect(await apply()).toMatchObject({ done: 301, failed: [], left: 0 });
    expect(writes.map((call) => call.split(' ').length - 1)).toEqual([300, 1]);
  });

  it('counts rejections of a record in a row, until it succeeds or the change differs', async () => {
    const fates: readonly (readonly [Fate, Partial<Change>, number | null])[] = [
      ['refused', {}, 1],
      ['refused', {}, 2],
      // A missing permission is not the record's fault.
      ['forbidden', {}, 2],
      ['refused', { id: 'other' }, 1],
      ['done', {}, null],
    ];
    const { stores, apply } = open({ changes: [], script: fates.map(([fate]) => fate) });
    const person = { id: 'u1', name: 'E1', deactivated: false, default_cv_id: 'cv-u1' };
    linkTo(stores, 'users', 'E1', observeUser(person as unknown as WireUser));
    for (const [fate, more, times] of fates) {
      stores.work.plan(rename('E1', more));
      await apply();
      const found = stores.refusals.find('users', 'E1');
      expect([fate, found?.times ?? null]).toEqual([fate, times]);
      if (found !== null) expect(found).toMatchObject({ message: 'it said 422', firstAt: expect.any(String) });
    }
  });
});
