import { describe, expect, test } from 'vitest';
import { executeChange } from '../../src/apply/execute-change.js';
import { beginAhead, intend, renewIntent } from '../../src/apply/intents.js';
import { SyncError } from '../../src/base/errors.js';
import { observeUser } from '../../src/mirror/observe.js';
import type { PlannedChange } from '../../src/model/plan.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { linkTo, observedOf } from '../samples.js';
import {
  type Fate,
  type LookFate,
  openScripted,
  plannedOf,
  type ScriptedService,
  SETTLE_MS,
} from './scripted-service.js';

const OSLO = { country: 'no', name: 'Oslo' };
const CREATE = plannedOf('create', {
  after: { name: 'Jane', email: 'jane@example.com', office: OSLO, external_unique_id: 'E1' },
  fields: ['name', 'email', 'office', 'external_unique_id'],
});
const UPDATE = plannedOf('update', { before: { name: 'Jane' }, after: { name: 'Jane Doe' }, fields: ['name'] });
const LEAVE = plannedOf('deactivate', { after: { deactivated: true }, fields: ['deactivated'] });
const DELETE = plannedOf('delete');
/** Two calls: one on the person, one on the CV. */
const MOVE = plannedOf('update', {
  before: { name: 'Jane', place_of_residence: { en: 'Oslo' } },
  after: { name: 'Jane Doe', place_of_residence: { en: 'Bergen' } },
  fields: ['name', 'place_of_residence'],
});
const CREATE_WITH_CV: PlannedChange = { ...CREATE, after: { ...CREATE.after, place_of_residence: { en: 'Bergen' } } };

/** Applies a change until its end is on disk. */
async function carryOut(change: PlannedChange, { execution, stores }: ScriptedService): Promise<void> {
  const ends: string[] = [];
  await executeChange(change, execution, (_, { result }) => ends.push(result));
  await stores.commits.now(() => undefined);
  expect(ends).toHaveLength(1);
}

/** Everyone who is not about to be created exists and is linked. */
async function run(change: PlannedChange, script: readonly Fate[], look: LookFate | null) {
  const service = openScripted(script, look);
  if (change.target !== null) {
    const person = { id: 'u1', name: 'Jane', email: 'jane@example.com', deactivated: false, default_cv_id: 'cv-u1' };
    service.people.set('u1', { ...person, place_of_residence: { en: 'Oslo' } });
    linkTo(service.stores, 'users', 'E1', observeUser(person as unknown as WireUser));
  }
  await carryOut(change, service);
  return service;
}

function entryOf({ stores }: ScriptedService) {
  const entries = [...readEntries(stores.audit)];
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  return { result: entry?.result, proofs: entry?.calls.map(({ proved_by: proof }) => proof ?? null) };
}

const BY_MAIL = 'GET /api/v1/users/find';
const BY_ID = 'GET /api/v1/users/{user_id}';
const BY_CV = 'GET /api/v3/cvs/{user_id}/{cv_id}';

interface Row {
  readonly change: PlannedChange;
  readonly script: readonly Fate[];
  readonly look?: LookFate;
  readonly writes: readonly string[];
  /** The result in the audit. */
  readonly result: string;
  /** The proof of each call that had no answer. */
  readonly proofs: readonly (string | null)[];
  /** True if the record has its object afterwards. */
  readonly linked: boolean;
}

/** The arrows of the diagram in `executeChange`. */
const TABLE: Readonly<Record<string, Row>> = {
  'a create is answered': {
    ...{ change: CREATE, script: ['done'], writes: ['create'] },
    ...{ result: 'done', proofs: [null], linked: true },
  },
  'a create is answered with other values': {
    ...{ change: CREATE, script: ['done, with other values'], writes: ['create'] },
    ...{ result: 'not taken', proofs: [null], linked: true },
  },
  'a create is rejected': {
    ...{ change: CREATE, script: ['refused'], writes: ['create'] },
    ...{ result: 'refused', proofs: [null], linked: false },
  },
  'a create never reaches the service': {
    ...{ change: CREATE, script: ['never sent'], writes: ['create'] },
    ...{ result: 'refused', proofs: [null], linked: false },
  },
  'the answer to a create is lost, and the person is found': {
    ...{ change: CREATE, script: ['done, answer lost'], writes: ['create'] },
    ...{ result: 'done', proofs: [BY_MAIL], linked: true },
  },
  'a create is lost before its work, and sent again': {
    ...{ change: CREATE, script: ['not done, answer lost', 'done'], writes: ['create', 'create'] },
    ...{ result: 'done', proofs: [null], linked: true },
  },
  'a create is lost twice': {
    ...{ change: CREATE, script: ['not done, answer lost', 'not done, answer lost'], writes: ['create', 'create'] },
    ...{ result: 'lost', proofs: [null], linked: false },
  },
  'a create is lost the second time after its work': {
    ...{ change: CREATE, script: ['not done, answer lost', 'done, answer lost'], writes: ['create', 'create'] },
    ...{ result: 'done', proofs: [BY_MAIL], linked: true },
  },
  'the answer to a create is lost, and nobody can look': {
    ...{ change: CREATE, script: ['done, answer lost'], look: 'fails', writes: ['create'] },
    ...{ result: 'lost', proofs: [null], linked: false },
  },
  'an update is answered': {
    ...{ change: UPDATE, script: ['done'], writes: ['update u1'] },
    ...{ result: 'done', proofs: [null], linked: true },
  },
  'an update is answered with other values': {
    ...{ change: UPDATE, script: ['done, with other values'], writes: ['update u1'] },
    ...{ result: 'not taken', proofs: [null], linked: true },
  },
  'an update is rejected': {
    ...{ change: UPDATE, script: ['refused'], writes: ['update u1'] },
    ...{ result: 'refused', proofs: [null], linked: true },
  },
  'the answer to an update is lost, and its values are there': {
    ...{ change: UPDATE, script: ['done, answer lost'], writes: ['update u1'] },
    ...{ result: 'done', proofs: [BY_ID], linked: true },
  },
  'an update is lost before its work; the client has retried it, so it is not sent again': {
    ...{ change: UPDATE, script: ['not done, answer lost'], writes: ['update u1'] },
    ...{ result: 'lost', proofs: [null], linked: true },
  },
  'a leaver is deactivated': {
    ...{ change: LEAVE, script: ['done'], writes: ['update u1'] },
    ...{ result: 'done', proofs: [null], linked: true },
  },
  'the answer to a leaver is lost, and the account is inactive': {
    ...{ change: LEAVE, script: ['done, answer lost'], writes: ['update u1'] },
    ...{ result: 'done', proofs: [BY_ID], linked: true },
  },
  'the answer to a leaver is lost, and the account is active': {
    ...{ change: LEAVE, script: ['not done, answer lost'], writes: ['update u1'] },
    ...{ result: 'lost', proofs: [null], linked: true },
  },
  'an account is deleted': {
    ...{ change: DELETE, script: ['done'], writes: ['delete u1'] },
    ...{ result: 'done', proofs: [null], linked: false },
  },
  'an account no longer exists when it is deleted': {
    ...{ change: DELETE, script: ['gone already'], writes: ['delete u1'] },
    ...{ result: 'done', proofs: [null], linked: false },
  },
  'the answer to a deletion is lost, and nobody is found': {
    ...{ change: DELETE, script: ['done, answer lost'], writes: ['delete u1'] },
    ...{ result: 'done', proofs: [BY_ID], linked: false },
  },
  'the answer to a deletion is lost, and the account exists': {
    ...{ change: DELETE, script: ['not done, answer lost'], writes: ['delete u1'] },
    ...{ result: 'lost', proofs: [null], linked: true },
  },
  'two calls are answered': {
    ...{ change: MOVE, script: ['done', 'done'], writes: ['update u1', 'cv u1'] },
    ...{ result: 'done', proofs: [null, null], linked: true },
  },
  'the first of two calls is rejected, so the second is not sent': {
    ...{ change: MOVE, script: ['refused'], writes: ['update u1'] },
    ...{ result: 'refused', proofs: [null], linked: true },
  },
  'the second of two calls is rejected': {
    ...{ change: MOVE, script: ['done', 'refused'], writes: ['update u1', 'cv u1'] },
    ...{ result: 'in part', proofs: [null, null], linked: true },
  },
  'the answer to the second of two calls is lost, and the CV shows it': {
    ...{ change: MOVE, script: ['done', 'done, answer lost'], writes: ['update u1', 'cv u1'] },
    ...{ result: 'done', proofs: [null, BY_CV], linked: true },
  },
  'the second of two calls is lost before its work': {
    ...{ change: MOVE, script: ['done', 'not done, answer lost'], writes: ['update u1', 'cv u1'] },
    ...{ result: 'in part', proofs: [null, null], linked: true },
  },
  'the answer to the first of two calls is lost and found, so the second follows': {
    ...{ change: MOVE, script: ['done, answer lost', 'done'], writes: ['update u1', 'cv u1'] },
    ...{ result: 'done', proofs: [BY_ID, null], linked: true },
  },
  'a create succeeds but its second call is rejected, so the person is linked': {
    ...{ change: CREATE_WITH_CV, script: ['done', 'refused'], writes: ['create', 'cv u1'] },
    ...{ result: 'in part', proofs: [null, null], linked: true },
  },
};

describe('executing one change', () => {
  test.each(Object.entries(TABLE))('%s', async (_, { change, script, look = null, ...expected }) => {
    const ran = await run(change, script, look);
    const { stores, writes, openAtSending, waited } = ran;
    const { result, proofs } = entryOf(ran);
    const linked = stores.links.find('users', 'E1') !== null;
    expect({ writes, result, proofs, linked }).toEqual(expected);
    // Each call is sent with its intent on disk, and no intent stays open.
    expect(openAtSending).toEqual(writes.map(() => 1));
    expect(stores.journal.open()).toEqual([]);
    // A look waits until the call can no longer be running.
    expect(waited).toEqual(script.filter((fate) => fate.endsWith('answer lost')).map(() => SETTLE_MS));
  });

  test('saves the answer in the mirror, and removes a deleted person', async () => {
    const updated = await run(UPDATE, ['done'], null);
    expect(updated.stores.mirror.get('users', 'u1')?.values.name).toBe('Jane Doe');
    const lost = await run(UPDATE, ['not done, answer lost'], null);
    expect(lost.stores.mirror.get('users', 'u1')?.values.name).toBe('Jane');
    const deleted = await run(DELETE, ['done'], null);
    expect(deleted.stores.mirror.get('users', 'u1')).toBeNull();
  });

  test.each([
    ['done', 'done', 0],
    ['done, with other values', 'not taken', 1],
    ['refused', 'refused', 1],
    ['not done, answer lost', 'lost', 1],
  ] as const)('spends an approval only if the change is done: %s', async (fate, result, left) => {
    const service = openScripted([fate]);
    service.people.set('u1', { id: 'u1', name: 'Jane', deactivated: false, default_cv_id: 'cv-u1' });
    const { history } = service.stores;
    const at = '2026-11-20T08:00:00.000Z';
    const expiresAt = '2026-11-21T08:00:00.000Z';
    history.approve([
      { id: 'a1', changeId: UPDATE.id, guard: 'users.update', who: 'ops', reason: 'ticket 7', at, expiresAt },
    ]);
    await carryOut({ ...UPDATE, approval: 'ops: ticket 7' }, service);
    expect([entryOf(service).result, history.approvalsAt(at).size]).toEqual([result, left]);
  });

  /** An outcome that a look would find again may be lost with the process. */
  test.each([
    ['the answer contains everything sent', UPDATE, 'done', 'gathered'],
    ['an account is deleted', DELETE, 'done', 'gathered'],
    ['the answer contains other values', UPDATE, 'done, with other values', 'on disk'],
    ['the answer shows none of the sent values', { ...UPDATE, after: { tags: {} } }, 'done', 'on disk'],
    ['the call is rejected', UPDATE, 'refused', 'on disk'],
  ] as const)('writes the outcome before or after the slot is free: %s', async (_, change, fate, expected) => {
    const service = openScripted([fate]);
    service.people.set('u1', { id: 'u1', name: 'Jane', deactivated: false, default_cv_id: 'cv-u1' });
    const { execution, stores } = service;
    await executeChange(change, execution, () => undefined);
    expect(stores.journal.open()).toHaveLength(expected === 'gathered' ? 1 : 0);
  });

  test.each([true, false])('notes in the audit if a common call sent e-mails: %s', async (mailed) => {
    const { execution, stores } = openScripted([]);
    const sent = { observed: observedOf('u1', { name: 'Jane Doe' }), requestId: 'q1', status: 200 };
    const call = { call: 'PUT /api/x', status: 200, request_id: 'q1' };
    const [seq = 0] = intend([UPDATE], 'common', execution);
    await executeChange(UPDATE, execution, () => undefined, { seq, sent, call, mailed });
    await stores.commits.now(() => undefined);
    expect([...readEntries(stores.audit)].map((entry) => entry.mailed === true)).toEqual([mailed]);
  });

  test('records an end as not done if it cannot be recorded otherwise, and nothing if the state is unwritable', async () => {
    const endWith = async (error: Error) => {
      const { execution, stores, people } = openScripted(['done']);
      people.set('u1', { id: 'u1', name: 'Jane', deactivated: false, default_cv_id: 'cv-u1' });
      const contextOf = (): string => {
        throw error;
      };
      const ended = executeChange(UPDATE, { ...execution, contextOf }, () => undefined).then(() =>
        stores.commits.now(() => undefined),
      );
      const thrown = await ended.then(
        () => null,
        (reason: unknown) => reason,
      );
      const results = [...readEntries(stores.audit)].map(({ result }) => result);
      return { thrown, results, open: stores.journal.open().length };
    };
    expect(await endWith(new Error('broken'))).toEqual({ thrown: null, results: ['in part'], open: 0 });
    const full = new SyncError('SYNC_STATE_DAMAGED', { message: 'no space', remedy: 'Make some.' });
    expect(await endWith(full)).toEqual({ thrown: full, results: [], open: 1 });
  });

  test('gives an intent written ahead the time of its call, from which a later process waits', async () => {
    const { execution, stores } = openScripted([]);
    const begun = beginAhead(UPDATE, execution);
    if (begun === null) throw new Error('nothing was begun');
    const times: string[] = [];
    for (const waitMs of [100, 400]) {
      await execution.clock.sleep(waitMs);
      await renewIntent(begun, execution);
      times.push(...stores.journal.open().map(({ at }) => at));
    }
    expect(times).toEqual(['2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.500Z']);
  });
});
