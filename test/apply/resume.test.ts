import { describe, expect, test } from 'vitest';
import { intend } from '../../src/apply/intents.js';
import { awaitSettled, resumeJournal } from '../../src/apply/resume.js';
import { SyncError } from '../../src/base/errors.js';
import { observeUser } from '../../src/mirror/observe.js';
import { IMPORT_STEP, type PlannedChange } from '../../src/model/plan.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { linkTo } from '../samples.js';
import { openScripted, plannedOf, type ScriptedService, SETTLE_MS } from './scripted-service.js';

const PERSON = { id: 'u1', name: 'Jane', email: 'jane@example.com', deactivated: false, default_cv_id: 'cv-u1' };
const CREATE = plannedOf('create', {
  after: { name: 'Jane', email: 'jane@example.com', external_unique_id: 'E1' },
  fields: ['name', 'email', 'external_unique_id'],
});
const UPDATE = plannedOf('update', { before: { name: 'Jane' }, after: { name: 'Jane Doe' }, fields: ['name'] });
const MOVE = plannedOf('update', {
  before: { name: 'Jane', place_of_residence: { en: 'Oslo' } },
  after: { name: 'Jane Doe', place_of_residence: { en: 'Bergen' } },
  fields: ['name', 'place_of_residence'],
});
const CREATE_WITH_CV: PlannedChange = { ...CREATE, after: { ...CREATE.after, place_of_residence: { en: 'Bergen' } } };
const DELETE = plannedOf('delete');

interface Left {
  readonly change: PlannedChange;
  /** The call in flight when the process died. */
  readonly step: string;
  /** The person in the service now; null if missing. */
  readonly now: object | null;
  /** Earlier calls of the change that were answered. */
  readonly answered?: readonly string[];
}

/** The state of a process that died with a call in flight. */
function leave({ change, step, now, answered = [] }: Left): ScriptedService {
  const service = openScripted([]);
  const { stores, execution, people } = service;
  if (change.target !== null) linkTo(stores, 'users', 'E1', observeUser(PERSON as unknown as WireUser));
  if (now !== null) people.set('u1', { ...PERSON, ...now });
  for (const name of answered) {
    const [seq = 0] = intend([change], name, execution);
    const outcome = { at: '2026-11-20T08:00:00.000Z', requestId: 'r1', httpStatus: 200, provedBy: null };
    const observed = observeUser({ ...PERSON, name: 'Jane Doe' } as unknown as WireUser);
    stores.journal.settle(seq, { status: 'done', ...outcome, observed, error: null });
    stores.absorb(observed);
  }
  intend([change], step, execution);
  return service;
}

interface Row extends Left {
  readonly tally: { readonly found: number; readonly lost: number };
  readonly result: string;
  readonly linked: boolean;
  /** True if a look shows that the call happened. */
  readonly isProved: boolean;
}
const FOUND = { found: 1, lost: 0 };
const LOST = { found: 0, lost: 1 };

/** The table in `judge`, with cases for a deletion and a missing reference. */
const TABLE: Readonly<Record<string, Row>> = {
  'a create that arrived': {
    ...{ change: CREATE, step: 'create', now: { name: 'Jane', external_unique_id: 'E1' } },
    ...{ tally: FOUND, result: 'done', linked: true, isProved: true },
  },
  'a create that arrived with other values': {
    ...{ change: CREATE, step: 'create', now: { name: 'Somebody Else', external_unique_id: 'E1' } },
    ...{ tally: FOUND, result: 'not taken', linked: true, isProved: true },
  },
  'a create that did not arrive': {
    ...{ change: CREATE, step: 'create', now: null },
    ...{ tally: LOST, result: 'lost', linked: false, isProved: false },
  },
  'the first of two calls of a create arrived': {
    ...{ change: CREATE_WITH_CV, step: 'create', now: { name: 'Jane', external_unique_id: 'E1' } },
    ...{ tally: FOUND, result: 'in part', linked: true, isProved: true },
  },
  'the second of two calls of a create did not arrive': {
    ...{
      change: CREATE_WITH_CV,
      step: 'cv',
      answered: ['create'],
      now: { name: 'Jane Doe', place_of_residence: { en: 'Oslo' } },
    },
    ...{ tally: FOUND, result: 'in part', linked: true, isProved: false },
  },
  'an update that arrived': {
    ...{ change: UPDATE, step: 'update', now: { name: 'Jane Doe' } },
    ...{ tally: FOUND, result: 'done', linked: true, isProved: true },
  },
  'an update that did not arrive': {
    ...{ change: UPDATE, step: 'update', now: { name: 'Jane' } },
    ...{ tally: LOST, result: 'lost', linked: true, isProved: false },
  },
  'the first of two calls arrived': {
    ...{ change: MOVE, step: 'update', now: { name: 'Jane Doe', place_of_residence: { en: 'Oslo' } } },
    ...{ tally: FOUND, result: 'in part', linked: true, isProved: true },
  },
  'the second of two calls arrived': {
    ...{
      change: MOVE,
      step: 'cv',
      answered: ['update'],
      now: { name: 'Jane Doe', place_of_residence: { en: 'Bergen' } },
    },
    ...{ tally: FOUND, result: 'done', linked: true, isProved: true },
  },
  'the second of two calls did not arrive': {
    ...{
      change: MOVE,
      step: 'cv',
      answered: ['update'],
      now: { name: 'Jane Doe', place_of_residence: { en: 'Oslo' } },
    },
    ...{ tally: FOUND, result: 'in part', linked: true, isProved: false },
  },
  'a deletion that arrived': {
    ...{ change: DELETE, step: 'delete', now: null },
    ...{ tally: FOUND, result: 'done', linked: false, isProved: true },
  },
  'a deletion that did not arrive': {
    ...{ change: DELETE, step: 'delete', now: {} },
    ...{ tally: LOST, result: 'lost', linked: true, isProved: false },
  },
  'a call that this version does not know': {
    ...{ change: UPDATE, step: 'rename', now: { name: 'Jane Doe' } },
    ...{ tally: LOST, result: 'lost', linked: true, isProved: false },
  },
};

describe('work left by a process that died', () => {
  test.each(Object.entries(TABLE))('%s: ends without a second call', async (_, row) => {
    const { stores, execution, writes } = leave(row);
    const tally = await resumeJournal(stores.journal.open(), execution);
    const entries = [...readEntries(stores.audit)];
    const linked = stores.links.find('users', 'E1') !== null;
    expect({ tally, results: entries.map(({ result }) => result), linked }).toEqual({
      tally: row.tally,
      results: [row.result],
      linked: row.linked,
    });
    expect(stores.journal.wasLost(row.change.id, row.step)).toBe(!row.isProved);
    expect(entries[0]?.calls).toHaveLength(1 + (row.answered?.length ?? 0));
    expect(stores.journal.open()).toEqual([]);
    expect(writes).toEqual([]);
    // A second start has nothing left to finish.
    expect(await resumeJournal(stores.journal.open(), execution)).toEqual({ found: 0, lost: 0 });
  });

  const noted: readonly (readonly [string, object])[] = [
    ['an update that arrived', { error: null, proved: 'GET /api/v1/users/{user_id}', name: 'Jane Doe' }],
    [
      'an update that did not arrive',
      { error: expect.stringContaining('no read shows that the call was carried out'), proved: null, name: 'Jane' },
    ],
    [
      'the first of two calls arrived',
      { error: expect.stringMatching(/^The process ended before everything was sent: place_of_residence/) },
    ],
    [
      'a call that this version does not know',
      { call: 'rename', error: expect.stringContaining('no read shows'), proved: null },
    ],
    ['a deletion that arrived', { error: null, name: null }],
    ['a deletion that did not arrive', { proved: null, name: 'Jane' }],
  ];
  test.each(noted)('%s: records its outcome', async (name, expected) => {
    const row = TABLE[name];
    if (row === undefined) throw new Error(name);
    const { stores, execution } = leave(row);
    await resumeJournal(stores.journal.open(), execution);
    const [entry] = [...readEntries(stores.audit)];
    const [call] = entry?.calls ?? [];
    const shown = stores.mirror.get('users', 'u1')?.values.name ?? null;
    expect({ call: call?.call, error: entry?.error, proved: call?.proved_by ?? null, name: shown }).toMatchObject(
      expected,
    );
    expect(call).toMatchObject({ status: null, request_id: null });
  });

  test.each([true, false])('records the e-mail of a create that arrived if one was configured: %s', async (create) => {
    const { stores, execution } = leave({ change: CREATE, step: 'create', now: { name: 'Jane' } });
    const notify = { create, reactivate: false, staffing: false };
    await resumeJournal(stores.journal.open(), { ...execution, calls: { ...execution.calls, notify } });
    expect([...readEntries(stores.audit)].map(({ mailed }) => mailed === true)).toEqual([create]);
  });

  test('looks for the people of an import first, and ends them as found or lost', async () => {
    const { stores, execution } = openScripted([]);
    const personOf = (key: string): PlannedChange => {
      const after = { name: `Person ${key}`, email: `${key.toLowerCase()}@example.com`, external_unique_id: key };
      return {
        ...plannedOf('create', { after, fields: Object.keys(after) }),
        id: `id-${key}`,
        key,
        approval: 'a1 by ops',
      };
    };
    for (const key of ['E1', 'E2']) intend([personOf(key)], IMPORT_STEP, execution);
    const here = { ...PERSON, id: 'u-E1', name: 'Person E1', email: 'e1@example.com', external_unique_id: 'E1' };
    const readEverybody = async (): Promise<void> => stores.mirror.save([observeUser(here as unknown as WireUser)], 1);
    expect(await resumeJournal(stores.journal.open(), { ...execution, readEverybody })).toEqual({ found: 1, lost: 1 });
    expect(
      [...readEntries(stores.audit)].map(({ key, result, approval, calls }) => [key, result, approval, calls.length]),
    ).toEqual([
      ['E1', 'done', 'a1 by ops', 1],
      ['E2', 'lost', 'a1 by ops', 1],
    ]);
  });

  test('leaves people of an import to the next run if they cannot be read', async () => {
    const { stores, execution } = openScripted([]);
    intend([CREATE], IMPORT_STEP, execution);
    const readEverybody = async (): Promise<void> => {
      throw new SyncError('SYNC_SERVICE_DOWN', { message: 'no answer', remedy: 'Wait.' });
    };
    const resumed = resumeJournal(stores.journal.open(), { ...execution, readEverybody });
    await expect(resumed).rejects.toThrow('The outcome of the import of 1 person is not known yet.');
    expect(stores.journal.open()).toHaveLength(1);
  });

  test('spends the approval of a change that arrived', async () => {
    const { stores, execution } = leave({
      change: { ...UPDATE, approval: 'ops: ticket 7' },
      step: 'update',
      now: { name: 'Jane Doe' },
    });
    const at = '2026-11-20T08:00:00.000Z';
    const until = { at, expiresAt: '2026-11-21T08:00:00.000Z' };
    const approval = { id: 'a1', changeId: UPDATE.id, guard: 'users.update', who: 'ops', reason: 'ticket 7', ...until };
    stores.history.approve([approval]);
    await resumeJournal(stores.journal.open(), execution);
    expect(stores.history.approvalsAt(at).size).toBe(0);
  });

  test.each([
    [0, SETTLE_MS],
    [10_000, SETTLE_MS - 10_000],
    [SETTLE_MS, 0],
    // If a clock was set back, the wait is no longer than a call can run.
    [-3_600_000, SETTLE_MS],
  ])('%i ms after a call, waits %i ms more', async (passedMs, waitMs) => {
    const { stores, execution, waited } = leave({ change: UPDATE, step: 'update', now: {} });
    const clock = { ...execution.clock, now: () => Date.UTC(2026, 10, 20, 8) + passedMs };
    await awaitSettled(stores.journal.open(), { clock, settleMs: SETTLE_MS });
    expect(waited).toEqual(waitMs === 0 ? [] : [waitMs]);
  });
});
