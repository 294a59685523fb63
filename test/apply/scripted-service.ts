import type { Execution } from '../../src/apply/execution.js';
import type { CallContext } from '../../src/apply/step.js';
import type { Clock } from '../../src/base/clock.js';
import type { ErrorCode } from '../../src/base/errors.js';
import type { Entity } from '../../src/model/entity.js';
import type { PlannedChange } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import type { Stores } from '../../src/store/open-stores.js';
import { changeOf, directoryOf, openTestStores } from '../samples.js';

/** The fate of a call: if it was carried out, and its answer. */
export type Fate =
  | 'done'
  | 'done, with other values'
  | 'done in part, answer lost'
  | 'refused'
  | 'forbidden'
  | 'key refused'
  | 'never sent'
  | 'done, answer lost'
  | 'not done, answer lost'
  | 'gone already';

/** The fate of a look after a lost answer; by default it succeeds. */
export type LookFate = 'fails';

interface Person {
  id: string;
  deactivated: boolean;
  default_cv_id: string;
  place_of_residence?: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

export interface ScriptedService {
  readonly execution: Execution;
  readonly stores: Stores;
  readonly people: Map<string, Person>;
  /** The ids of the tags in one category. */
  readonly tags: Set<string>;
  /** Attempted writes in order: `create`, `update u1`, `delete u1`, `cv u1`. */
  readonly writes: string[];
  /** The milliseconds waited for calls that could still be running. */
  readonly waited: number[];
  /** The number of open intents when each write was sent. */
  readonly openAtSending: number[];
}

export const SETTLE_MS = 30_000;
const START_MS = Date.UTC(2026, 10, 20, 8);

export function plannedOf(action: PlannedChange['action'], more: Partial<PlannedChange> = {}): PlannedChange {
  const target = action === 'create' ? null : 'u1';
  return { ...changeOf('users', 'E1', { action, target, ...more }), stage: 1, withheld: null, approval: null, ...more };
}

/** A service of people whose calls follow the script, with the state of a worker. */
export function openScripted(script: readonly Fate[], look: LookFate | null = null): ScriptedService {
  const stores = openTestStores();
  const fates = [...script];
  const people = new Map<string, Person>();
  const tags = new Set<string>();
  const writes: string[] = [];
  const waited: number[] = [];
  const openAtSending: number[] = [];
  let nowMs = START_MS;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (ms) => {
      waited.push(ms);
      nowMs += ms;
    },
  };

  async function carryOut<T>(call: string, work: (fate: Fate) => T, twist: (value: T) => T = (value) => value) {
    openAtSending.push(stores.journal.open().length);
    writes.push(call);
    const fate = fates.shift();
    if (fate === undefined) throw new Error(`the script says nothing of ${call}`);
    if (fate === 'gone already') throw buildError(404);
    if (fate === 'refused') throw buildError(422);
    if (fate === 'forbidden') throw buildError(403, 'refused', 'SYNC_SERVICE_FORBIDDEN');
    if (fate === 'key refused') throw buildError(401, 'refused', 'SYNC_SERVICE_UNAUTHENTICATED');
    if (fate === 'never sent') throw buildError(null, 'not_sent');
    if (fate === 'not done, answer lost') throw buildError(null, 'unknown');
    const value = work(fate);
    if (fate === 'done, answer lost' || fate === 'done in part, answer lost') throw buildError(null, 'unknown');
    const answered = fate === 'done, with other values' ? twist(value) : value;
    return { value: answered, requestId: `r${writes.length}`, status: 200, attempts: 1 };
  }

  async function lookUp<T>(find: () => T): Promise<T> {
    if (look === 'fails') throw buildError(503);
    return find();
  }

  const write = (id: string, fields: object): Person => {
    const before = people.get(id) ?? { id, deactivated: false, default_cv_id: `cv-${id}` };
    const person: Person = { ...before, ...fields };
    people.set(id, person);
    return person;
  };
  const cvOf = ({ id, place_of_residence: place }: Person) => ({ id: `cv-${id}`, place_of_residence: place ?? null });
  const other = (person: Person): Person => write(person.id, { name: 'Somebody Else' });
  const service = {
    users: {
      create: (body: object) => carryOut('create', () => write(`u${people.size + 1}`, body), other),
      update: (id: string, body: object) => carryOut(`update ${id}`, () => write(id, body), other),
      delete: (id: string) => carryOut(`delete ${id}`, () => (people.delete(id) ? null : null)),
      get: (id: string) => lookUp(() => people.get(id) ?? null),
      find: ({ email }: { readonly email: string }) =>
        lookUp(() => [...people.values()].find((person) => person.email === email) ?? null),
    },
    cvs: {
      update: ({ userId }: { readonly userId: string }, fields: object) =>
        carryOut(`cv ${userId}`, () => cvOf(write(userId, fields))),
      get: ({ userId }: { readonly userId: string }) =>
        lookUp(() => {
          const person = people.get(userId);
          return person === undefined ? null : cvOf(person);
        }),
    },
    tags: {
      deleteMany: (_category: string, ids: readonly string[]) =>
        carryOut(`delete ${ids.join(' ')}`, (fate) => {
          for (const id of fate === 'done in part, answer lost' ? ids.slice(0, 1) : ids) tags.delete(id);
          return null;
        }),
      listCategories: () => lookUp(() => [{ id: 'g1', custom_tags: [...tags].map((id) => ({ id })) }]),
    },
  };
  const calls = {
    reader: service,
    writer: service,
    directory: directoryOf({ countries: ['no'], offices: ['no/oslo'] }),
    mirrored: (entity: Entity, id: string) => stores.mirror.get(entity, id),
    cvIds: new Map(),
    linkedKey: () => null,
    notify: { create: false, reactivate: false, staffing: false },
    conflicts: 'source',
  } as unknown as CallContext;
  const execution: Execution = {
    run: 'r1',
    stores,
    clock,
    calls,
    contextOf: () => 'context',
    settleMs: SETTLE_MS,
    readEverybody: async () => undefined,
    confirmWithinMs: 0,
    signal: undefined,
    withNames: stores.withNames,
  };
  return { execution, stores, people, tags, writes, waited, openAtSending };
}

function buildError(
  status: number | null,
  outcome: 'refused' | 'unknown' | 'not_sent' = 'refused',
  code: ErrorCode = status === null ? 'SYNC_SERVICE_DOWN' : 'SYNC_SERVICE_REFUSED',
): ServiceError {
  return new ServiceError({
    code,
    message: status === null ? 'no answer' : `it said ${status}`,
    method: 'PUT',
    baseUrl: 'https://acme.example.com',
    path: '/api/v1/users',
    fault: status === null ? 'network' : 'status',
    outcome,
    ...(status === null ? {} : { status }),
  });
}
