import { describe, expect, test } from 'vitest';
import { confirmImport } from '../../src/apply/confirm-import.js';
import { SyncError } from '../../src/base/errors.js';
import { observeUser } from '../../src/mirror/observe.js';
import { IMPORT_STEP, type PlannedChange } from '../../src/model/plan.js';
import type { WireUser } from '../../src/service/wire.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { openScripted, plannedOf } from './scripted-service.js';

const MINUTE_MS = 60_000;

function personOf(key: string): PlannedChange {
  const after = { name: `Person ${key}`, email: `${key.toLowerCase()}@example.com`, external_unique_id: key };
  return { ...plannedOf('create', { after, fields: Object.keys(after) }), id: `id-${key}`, key };
}

/** The people in one full read, from key to name, or a failed read. */
type Shown = Readonly<Record<string, string>> | 'fails';

interface Row {
  /** The full reads in order. The last one repeats. */
  readonly reads: readonly Shown[];
  readonly doubt?: string;
  readonly deadlineMs?: number;
  readonly stopAfter?: number;
  readonly ends: readonly string[];
  /** Keys whose intents stay open. */
  readonly open: readonly string[];
  readonly looks: number;
}

const BOTH = { E1: 'Person E1', E2: 'Person E2' };
const TABLE: Readonly<Record<string, Row>> = {
  'finds both immediately': {
    reads: [BOTH],
    ...{ ends: ['E1 done', 'E2 done'], open: [], looks: 1 },
  },
  'finds one immediately, the other two looks later': {
    reads: [{ E1: 'Person E1' }, { E1: 'Person E1' }, BOTH],
    ...{ ends: ['E1 done', 'E2 done'], open: [], looks: 3 },
  },
  'waits until the deadline for a person with other values': {
    reads: [{ E1: 'Person E1', E2: 'Somebody Else' }],
    deadlineMs: MINUTE_MS,
    ...{ ends: ['E1 done', 'E2 not taken'], open: [], looks: 6 },
  },
  'accepts values that become right in the meantime': {
    reads: [{ E1: 'Person E1', E2: 'Somebody Else' }, BOTH],
    ...{ ends: ['E1 done', 'E2 done'], open: [], looks: 2 },
  },
  'gives up if nobody appears': {
    reads: [{}],
    deadlineMs: MINUTE_MS,
    ...{ ends: ['E1 lost', 'E2 lost'], open: [], looks: 6 },
  },
  'gives up if nobody appears and the file may not have arrived': {
    reads: [{}],
    doubt: 'no answer',
    deadlineMs: MINUTE_MS,
    ...{ ends: ['E1 lost', 'E2 lost'], open: [], looks: 6 },
  },
  'stops waiting two minutes after the last arrival': {
    reads: [{ E1: 'Person E1' }],
    deadlineMs: 600 * MINUTE_MS,
    ...{ ends: ['E1 done', 'E2 lost'], open: [], looks: 7 },
  },
  'leaves the intents open if nothing can be read': {
    reads: ['fails'],
    deadlineMs: MINUTE_MS,
    ...{ ends: [], open: ['E1', 'E2'], looks: 6 },
  },
  'continues after a failed read': {
    reads: ['fails', BOTH],
    ...{ ends: ['E1 done', 'E2 done'], open: [], looks: 2 },
  },
  'ends people who have come at a stop, and leaves the others open': {
    reads: [{ E1: 'Person E1' }],
    stopAfter: 1,
    ...{ ends: ['E1 done'], open: ['E2'], looks: 1 },
  },
};

async function run({ reads, doubt, deadlineMs = 60 * MINUTE_MS, stopAfter }: Row) {
  const { stores, execution } = openScripted([]);
  const people = [personOf('E1'), personOf('E2')];
  const intents = people.map(({ stage: _stage, withheld: _withheld, ...change }) => ({
    run: 'r1',
    change,
    step: IMPORT_STEP,
    at: '2026-11-20T08:00:00.000Z',
  }));
  const seqs = stores.journal.intend(intents);
  const open = new Map(people.map(({ id }, index) => [id, seqs[index] ?? 0]));
  const stop = new AbortController();
  const ends: string[] = [];
  const messages: string[] = [];
  let looks = 0;
  const readEverybody = async (): Promise<void> => {
    const shown = reads[Math.min(looks, reads.length - 1)] ?? {};
    looks += 1;
    if (shown === 'fails') throw new SyncError('SYNC_SERVICE_DOWN', { message: 'no answer', remedy: 'Wait.' });
    const users = Object.entries(shown).map(([key, name]) =>
      observeUser({
        id: `u-${key}`,
        name,
        email: `${key.toLowerCase()}@example.com`,
        external_unique_id: key,
      } as unknown as WireUser),
    );
    stores.mirror.save(users, looks);
  };
  const clock = {
    now: execution.clock.now,
    async sleep(ms: number): Promise<void> {
      if (looks === stopAfter) stop.abort();
      await execution.clock.sleep(ms);
    },
  };
  await confirmImport(
    {
      people: () => people.map((change) => ({ change, approval: null, run: 'r1' })),
      open,
      call: { call: 'POST /api/v1/users/import', status: 200, request_id: 'q1' },
      deadlineMs: clock.now() + deadlineMs,
      doubt: doubt ?? null,
      signal: stop.signal,
      onEnd({ key }, { result, error }) {
        ends.push(`${key} ${result}`);
        if (error !== null) messages.push(error.message);
      },
    },
    { ...execution, clock, readEverybody },
  );
  return { stores, ends, messages, looks };
}

describe('confirming an import of people', () => {
  test.each(Object.entries(TABLE))('%s', async (_, row) => {
    const { stores, ends, messages, looks } = await run(row);
    expect({ ends, looks }).toEqual({ ends: row.ends, looks: row.looks });
    expect(stores.journal.open().map(({ change }) => change.key)).toEqual(row.open);
    const entries = [...readEntries(stores.audit)].map(({ key, result }) => `${key} ${result}`);
    expect(entries).toEqual(ends);
    for (const { result, calls } of readEntries(stores.audit)) {
      expect(calls.map((call) => 'proved_by' in call)).toEqual([result === 'done']);
    }
    for (const key of ['E1', 'E2']) {
      // An existing person was created by the call, with the wanted values or others.
      const settled = row.ends.filter((end) => end.startsWith(key) && !end.endsWith('lost'));
      expect(stores.journal.settledCalls('r1', `id-${key}`)).toHaveLength(settled.length);
      const isOurs = row.ends.includes(`${key} done`) || row.ends.includes(`${key} not taken`);
      expect(stores.links.find('users', key)?.serviceId).toBe(isOurs ? `u-${key}` : undefined);
    }
    const because = row.doubt === undefined ? /^The import accepted the file, but/ : /is not known \(no answer\), and/;
    for (const message of messages) expect(message).toMatch(because);
  });
});
