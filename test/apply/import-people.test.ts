import { describe, expect, it } from 'vitest';
import { buildImportFile } from '../../src/apply/build-import-file.js';
import { countImportCalls, type ImportJob, importPeople } from '../../src/apply/import-people.js';
import { type ErrorCode, SyncError } from '../../src/base/errors.js';
import { observeUser } from '../../src/mirror/observe.js';
import type { PlannedChange } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { observedOf } from '../samples.js';
import { openScripted, plannedOf } from './scripted-service.js';

const OSLO = { country: 'no', name: 'Oslo' };

function personOf(key: string): PlannedChange {
  const email = `${key.toLowerCase()}@example.com`;
  const after = { name: `Person ${key}`, email, external_unique_id: key, office: OSLO };
  return { ...plannedOf('create', { after, fields: Object.keys(after) }), id: `id-${key}`, key };
}

function failure(outcome: 'refused' | 'unknown', code: ErrorCode = 'SYNC_SERVICE_REFUSED'): ServiceError {
  return new ServiceError({
    ...{
      code,
      message: outcome === 'refused' ? 'it said 422' : 'no answer',
      method: 'POST',
      path: '/api/v1/users/import',
    },
    ...{ baseUrl: 'https://acme.example.com', fault: outcome === 'refused' ? 'status' : 'network', outcome },
    ...(outcome === 'refused' ? { status: 422 } : {}),
  });
}

interface Row {
  /** The result of the rehearsal, and of the file itself. */
  readonly rehearsal?: ServiceError;
  readonly file?: ServiceError;
  /** True if the people come with the file; null if nobody can read that. */
  readonly comes?: boolean | null;
  readonly usersFresh?: boolean;
  readonly readFails?: boolean;
  /** A person who exists before. */
  readonly there?: object;
  readonly stopped?: boolean;
  readonly sent: readonly string[];
  /** For example `E1 done`, with the error code if there is one. */
  readonly ends: readonly string[];
  /** Keys whose intents stay open. */
  readonly open: readonly string[];
  readonly reads?: number;
}

const BOTH_REFUSED = ['E1 refused SYNC_IMPORT_REFUSED', 'E2 refused SYNC_IMPORT_REFUSED'];
const TABLE: Readonly<Record<string, Row>> = {
  'imports everybody': { sent: ['dry E1,E2', 'E1,E2'], ends: ['E1 done', 'E2 done'], open: [] },
  'reads everybody first if this run has not': {
    usersFresh: false,
    ...{ sent: ['dry E1,E2', 'E1,E2'], ends: ['E1 done', 'E2 done'], open: [], reads: 2 },
  },
  'sends nothing if people cannot be read': {
    ...{ usersFresh: false, readFails: true },
    ...{ sent: [], ends: BOTH_REFUSED, open: [], reads: 1 },
  },
  'changes nothing if the rehearsal is rejected': {
    rehearsal: failure('refused'),
    ...{ sent: ['dry E1,E2'], ends: BOTH_REFUSED, open: [] },
  },
  'gives a rejected key as the reason': {
    rehearsal: failure('refused', 'SYNC_SERVICE_UNAUTHENTICATED'),
    ...{
      sent: ['dry E1,E2'],
      ends: ['E1', 'E2'].map((key) => `${key} refused SYNC_SERVICE_UNAUTHENTICATED`),
      open: [],
    },
  },
  'gives the limit of the account as the reason': {
    rehearsal: failure('refused', 'SYNC_SERVICE_LIMITED'),
    ...{ sent: ['dry E1,E2'], ends: ['E1', 'E2'].map((key) => `${key} refused SYNC_SERVICE_LIMITED`), open: [] },
  },
  'rejects everybody if the file is rejected': {
    file: failure('refused'),
    ...{ sent: ['dry E1,E2', 'E1,E2'], ends: BOTH_REFUSED, open: [] },
  },
  'finds everybody after a lost answer to the file': {
    file: failure('unknown'),
    ...{ sent: ['dry E1,E2', 'E1,E2'], ends: ['E1 done', 'E2 done'], open: [] },
  },
  'leaves the check to the next run if nobody can read who has come': {
    comes: null,
    ...{ sent: ['dry E1,E2', 'E1,E2'], open: ['E1', 'E2'] },
    ends: ['E1 lost SYNC_IMPORT_MISSING', 'E2 lost SYNC_IMPORT_MISSING'],
  },
  'reports nothing about people if the run is stopped meanwhile': {
    ...{ comes: null, stopped: true },
    ...{ sent: ['dry E1,E2', 'E1,E2'], open: ['E1', 'E2'], ends: [] },
  },
  'leaves out a person whose e-mail is taken by now': {
    there: { id: 'u9', name: 'Old', email: 'E1@example.com' },
    ...{ sent: ['dry E2', 'E2'], ends: ['E1 refused SYNC_VALUE_TAKEN', 'E2 done'], open: [] },
  },
  'leaves out a person whose external id is taken by now': {
    there: { id: 'u9', name: 'Old', email: 'x@example.com', external_unique_id: 'E2' },
    ...{ sent: ['dry E1', 'E1'], ends: ['E2 refused SYNC_VALUE_TAKEN', 'E1 done'], open: [] },
  },
};

async function run(row: Row) {
  const { comes = true, usersFresh = true, readFails = false } = row;
  const { stores, execution } = openScripted([]);
  const people = [personOf('E1'), personOf('E2')];
  const sent: string[] = [];
  const ends: string[] = [];
  const messages: string[] = [];
  let reads = 0;
  let arrived: readonly string[] = [];
  const show = (users: readonly object[]): void =>
    stores.mirror.save(
      users.map((user) => observeUser(user as unknown as WireUser)),
      1,
    );
  if (row.there !== undefined) show([row.there]);
  const readEverybody = async (): Promise<void> => {
    reads += 1;
    if (readFails || (comes === null && sent.length > 1))
      throw new SyncError('SYNC_SERVICE_DOWN', { message: 'no answer', remedy: 'Wait.' });
    show(
      people
        .filter(({ key }) => arrived.includes(key))
        .map(({ key, after }) => ({ id: `u-${key}`, ...after, office_name: 'Oslo', country_code: 'no' })),
    );
  };
  const job: ImportJob = {
    bulk: {
      setting: 'daily',
      missing: 'keep',
      from: 1,
      language: 'en',
      tagColumns: {},
    } as unknown as ImportJob['bulk'],
    people: () => people,
    async deliver(file, isDry) {
      const keys = people.filter(({ after }) => file.includes(String(after.email))).map(({ key }) => key);
      sent.push(`${isDry ? 'dry ' : ''}${keys.join()}`);
      // Nothing is on disk before the rehearsal, and everything is before the file.
      expect(stores.journal.open()).toHaveLength(isDry ? 0 : keys.length);
      const error = isDry ? row.rehearsal : row.file;
      if (!isDry && comes === true) arrived = keys;
      if (error !== undefined) throw error;
      return { requestId: 'q1', status: 200 };
    },
    usersFresh,
    signal: row.stopped === true ? AbortSignal.abort() : undefined,
    onEnd({ key }, { result, error }) {
      ends.push(error === null ? `${key} ${result}` : `${key} ${result} ${error.code}`);
      if (error !== null) messages.push(error.message);
    },
  };
  await importPeople(job, { ...execution, readEverybody });
  return { stores, sent, ends, messages, reads };
}

describe('people of an import', () => {
  it.each(Object.entries(TABLE))('%s', async (_, row) => {
    const { stores, sent, ends, reads } = await run(row);
    expect({ sent, ends }).toEqual({ sent: row.sent, ends: row.ends });
    expect(stores.journal.open().map(({ change }) => change.key)).toEqual(row.open);
    if (row.reads !== undefined) expect(reads).toBe(row.reads);
    const ended = row.ends
      .filter((end) => !end.includes('SYNC_IMPORT_MISSING'))
      .map((end) => end.split(' ').slice(0, 2).join(' '));
    expect([...readEntries(stores.audit)].map(({ key, result }) => `${key} ${result}`)).toEqual(ended);
  });

  it('are rejected with one reason and remedy, and the audit has the call', async () => {
    const asked = await run({ rehearsal: failure('refused'), sent: [], ends: [], open: [] });
    expect(asked.messages).toEqual(
      Array(2).fill(expect.stringMatching(/^The import was not carried out: it said 422/)),
    );
    expect([...readEntries(asked.stores.audit)].map(({ calls }) => calls)).toEqual([[], []]);
    const sent = await run({ file: failure('refused'), sent: [], ends: [], open: [] });
    const call = { call: expect.stringMatching(/^POST .*import/), status: 422, request_id: null };
    expect([...readEntries(sent.stores.audit)].map(({ calls }) => calls)).toEqual([[call], [call]]);
  });

  it('name the person who has the value by now', async () => {
    const { stores, messages } = await run({
      there: { id: 'u9', name: 'Old', email: 'e1@example.com' },
      sent: [],
      ends: [],
      open: [],
    });
    expect(messages).toEqual([expect.stringMatching(/^Old.* now has the same e-mail or external id\.$/)]);
    expect([...readEntries(stores.audit)].map(({ key, calls }) => [key, calls.length])).toEqual([
      ['E1', 0],
      ['E2', 1],
    ]);
  });

  it("fill a file with the columns that have values, according to the import's settings", async () => {
    const { stores } = openScripted([]);
    stores.mirror.save([observedOf('c1', { code: 'no', native_language_code: 'no' }, { entity: 'countries' })], 1);
    const bulk = { language: 'native', tagColumns: { unit: 'Unit', grade: 'Grade' }, separator: ';' };
    const people = [
      plannedOf('create', { after: { email: 'e1@example.com', office: OSLO, title: { no: 'Leder', en: 'Lead' } } }),
      plannedOf('create', { after: { email: 'e2@example.com', office: OSLO, tags: { unit: 'north' } } }),
    ];
    const write = (list: readonly PlannedChange[]) =>
      buildImportFile(bulk as unknown as ImportJob['bulk'], () => list, { stores });
    expect((await write(people))?.trim().split('\n')).toEqual([
      'email;country_code;office_name;title;Unit',
      'e1@example.com;no;Oslo;Leder;',
      'e2@example.com;no;Oslo;;north',
    ]);
    expect(await write([])).toBeNull();
  });

  it('take as many calls from the budget as the plan says', () => {
    const plan = { batch: 'b', people: 2, singly: [], refused: null };
    expect(countImportCalls({ ...plan, calls: { 'POST a': 2, 'GET b': 3 } })).toBe(5);
    expect(countImportCalls(null)).toBe(0);
  });
});
