import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { SyncError } from '../../src/base/errors.js';
import { createLogger } from '../../src/base/logger.js';
import type { SourceWriter } from '../../src/connectors/source-writer.js';
import type { WriteBackMapper } from '../../src/mapping/write-back.js';
import type { SourceChange, SourceWrite, WriteOutcome } from '../../src/model/write-back.js';
import { parseRow } from '../../src/store/audit/audit-log.js';
import type { Stores } from '../../src/store/open-stores.js';
import { resumeWriteBack, type WriteBackContext, writeBackToSources } from '../../src/writeback/write-back.js';
import { linkTo, observedOf, openTestStores } from '../samples.js';

const RUN = 'r20261120T080000-0001';
const CLOCK: Clock = { now: () => Date.UTC(2026, 10, 20, 8), sleep: async () => undefined };
const APPLIED = { done: 0, counts: {}, failed: [], left: 0, stopped: null };

/** The source's answer for a record: an outcome, or none. */
type Fate = WriteOutcome['status'] | 'locked' | 'no outcome';

/** A column for the person's telephone in the service. */
const MAPPER: WriteBackMapper = {
  columns: [
    {
      ...{ source: 'hr', column: 'mobile', leaf: null, value: 'user.telephone' },
      ...{ whenEmpty: 'keep', isRead: true, isGiven: () => false },
    },
  ],
  restsOnOthers: false,
  map: ({ values }) => [values.telephone ?? null],
};

function changeTo(record: string, after: string): SourceChange {
  const cell = { column: 'mobile', before: '1', after, known: 'now', field: null, serviceHash: null } as const;
  return {
    ...{ id: `id-${record}`, source: 'hr', record, entity: 'users', key: record, label: record },
    ...{ place: `hr employees.csv:${record}`, cells: [cell], reason: 'changed in the service', needs: [] },
  };
}

/** People E1, E2 … with telephone 2 in the service and 1 in the source, and a source with these answers. */
function openCompany(fates: Readonly<Record<string, Fate>>, more: Partial<SourceWriter> = {}) {
  const stores = openTestStores();
  for (const key of Object.keys(fates)) {
    linkTo(stores, 'users', key, observedOf(`u-${key}`, { telephone: '2' }));
    stores.work.planWriteBack(changeTo(key, '2'), true);
  }
  const told: SourceWrite[] = [];
  const intents: unknown[] = [];
  const writer: SourceWriter = {
    name: 'hr',
    forecast: () => ({}),
    probe: async () => ({ at: 'hr', detail: '' }),
    close: async () => undefined,
    async write(writes, _delivery, onOutcome) {
      for (const write of writes) {
        const { record } = write;
        told.push(write);
        intents.push(stores.outbox.find('hr', record, 'mobile')?.status);
        const fate = fates[record] ?? 'done';
        if (fate === 'no outcome') continue;
        const status = fate === 'locked' ? 'refused' : fate;
        onOutcome({
          record,
          status,
          at: 'PUT /people',
          requestId: null,
          ...(status === 'done' ? {} : { message: 'no' }),
          ...(fate === 'locked' ? { mayBeRepeated: true } : {}),
        });
      }
    },
    ...more,
  };
  const context: WriteBackContext = {
    ...{ run: RUN, stores, clock: CLOCK, signal: undefined },
    logger: createLogger('silent', { write: () => undefined }),
    writers: new Map([['hr', writer]]),
    writeBackMappers: { users: MAPPER },
    repeatsAllRows: () => false,
    writesFormulas: () => false,
    standsStill: () => null,
  };
  return { stores, context, told, intents };
}

function eventsOf({ audit }: Stores): readonly string[] {
  return [...audit.rows()].flatMap((row) => {
    const event = parseRow(row);
    return event !== null && 'record' in event ? [`${event.record} ${event.result}`] : [];
  });
}

function statusOf({ outbox }: Stores, record: string): string | undefined {
  return outbox.find('hr', record, 'mobile')?.status;
}

interface End {
  readonly fate: Fate;
  readonly status: string;
  readonly counts: Readonly<Record<'done' | 'refused' | 'lost' | 'left', number>>;
  readonly code?: string;
  readonly audit: readonly string[];
}

const ENDS: readonly End[] = [
  { fate: 'done', status: 'sent', counts: { done: 1, refused: 0, lost: 0, left: 0 }, audit: ['E1 done'] },
  {
    ...{ fate: 'refused', status: 'refused', counts: { done: 0, refused: 1, lost: 0, left: 0 } },
    ...{ code: 'SYNC_WRITE_BACK_REFUSED', audit: ['E1 refused'] },
  },
  {
    ...{ fate: 'locked', status: 'again', counts: { done: 0, refused: 1, lost: 0, left: 0 } },
    ...{ code: 'SYNC_WRITE_BACK_REFUSED', audit: ['E1 refused'] },
  },
  {
    ...{ fate: 'lost', status: 'lost', counts: { done: 0, refused: 0, lost: 1, left: 0 } },
    ...{ code: 'SYNC_WRITE_BACK_LOST', audit: ['E1 lost'] },
  },
  // Begun without an outcome: it may have arrived.
  { fate: 'no outcome', status: 'lost', counts: { done: 0, refused: 0, lost: 0, left: 1 }, audit: [] },
];

describe('records written back to a source', () => {
  test.each(ENDS)('$fate', async ({ fate, status, counts, code, audit }) => {
    const { stores, context, told, intents } = openCompany({ E1: fate });
    const end = await writeBackToSources(APPLIED, 'applicable', context);
    expect(told).toEqual([{ record: 'E1', cells: { mobile: '2' }, row: { mobile: '2' } }]);
    // An intent is on disk before a record is sent.
    expect(intents).toEqual(['sending']);
    expect(end.bySource).toMatchObject([{ source: 'hr', ...counts }]);
    expect(end.failed.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect([statusOf(stores, 'E1'), eventsOf(stores)]).toEqual([status, audit]);
  });

  test('gives each record its own end, and one bad record stops no others', async () => {
    const { stores, context } = openCompany({ E1: 'done', E2: 'refused', E3: 'done', E4: 'lost' });
    const end = await writeBackToSources(APPLIED, 'applicable', context);
    expect(end.bySource).toEqual([
      { source: 'hr', done: 2, refused: 1, lost: 1, left: 0, at: 'PUT /people', examples: ['E2 refused', 'E4 lost'] },
    ]);
    expect(eventsOf(stores)).toEqual(['E1 done', 'E2 refused', 'E3 done', 'E4 lost']);
  });

  test('fails only the source that cannot be written to, and leaves its records', async () => {
    const { stores, context } = openCompany(
      { E1: 'done' },
      {
        async write() {
          throw new SyncError('SYNC_SOURCE_DOWN', { message: 'no such folder', remedy: 'Make it.' });
        },
      },
    );
    const end = await writeBackToSources(APPLIED, 'applicable', context);
    expect(end.failed).toMatchObject([{ entity: 'hr', key: '*', code: 'SYNC_SOURCE_DOWN' }]);
    expect(end.bySource).toMatchObject([{ done: 0, left: 1 }]);
    expect([statusOf(stores, 'E1'), eventsOf(stores)]).toEqual([undefined, []]);
  });

  test('leaves a value that changed in the service since the plan to the next run', async () => {
    const { stores, context, told } = openCompany({ E1: 'done', E2: 'done' });
    stores.mirror.save([observedOf('u-E1', { telephone: '3' }, { hash: 'moved' })], 2);
    const end = await writeBackToSources(APPLIED, 'applicable', context);
    expect(told.map(({ record }) => record)).toEqual(['E2']);
    expect(end.bySource).toMatchObject([{ done: 1, left: 1, examples: ['E1 left'] }]);
  });

  test('fills in a value that is known after apply, but not one that a spreadsheet would execute', async () => {
    const given: readonly (readonly [string, string])[] = [
      ['E1', '+47 12'],
      ['E2', '=cmd()'],
    ];
    const { stores, context, told } = openCompany({});
    for (const [key, telephone] of given) {
      linkTo(stores, 'users', key, observedOf(`u-${key}`, { telephone }));
      const change = changeTo(key, '');
      stores.work.planWriteBack(
        { ...change, cells: change.cells.map((cell) => ({ ...cell, known: 'after apply' })) },
        true,
      );
    }
    await writeBackToSources(APPLIED, 'applicable', context);
    expect(told).toMatchObject([{ record: 'E1', cells: { mobile: '+47 12' } }]);
  });

  test('spends an approval only for completed records', async () => {
    const { stores, context } = openCompany({ E1: 'done', E2: 'refused' });
    const at = '2026-11-20T08:00:00.000Z';
    const expiresAt = '2026-11-21T08:00:00.000Z';
    for (const key of ['E1', 'E2']) {
      const approval = { id: 'a1', changeId: `id-${key}`, guard: 'write_back.hr', who: 'ops', reason: 'ticket 7' };
      stores.history.approve([{ ...approval, at, expiresAt }]);
      stores.work.approveWriteBack(`id-${key}`, 'ops: ticket 7');
    }
    await writeBackToSources(APPLIED, 'applicable', context);
    expect([...stores.history.approvalsAt(at).keys()]).toEqual(['id-E2']);
  });

  test.each([
    [
      'the run was stopped at the service',
      { ...APPLIED, stopped: { code: 'SIGNAL', message: 'stopped' } as const },
      null,
    ],
    ['quiet hours begin', APPLIED, { code: 'QUIET', message: 'quiet until 06:00' } as const],
  ])('writes nothing if %s', async (_, applied, still) => {
    const { stores, context, told } = openCompany({ E1: 'done', E2: 'done' });
    const end = await writeBackToSources(applied, 'applicable', { ...context, standsStill: () => still });
    expect(told).toEqual([]);
    expect(end).toMatchObject({ left: 2, bySource: [{ source: 'hr', done: 0, left: 2 }] });
    expect(end.stopped?.message).toBe(still?.message ?? 'stopped');
    expect(statusOf(stores, 'E1')).toBeUndefined();
  });
});

type WasDelivered = NonNullable<SourceWriter['wasDelivered']>;

const DELIVERIES: readonly (readonly [string, WasDelivered, string, string])[] = [
  ['arrived', async () => true, 'sent', 'E1 done'],
  ['did not arrive', async () => false, 'lost', 'E1 lost'],
  ['cannot be checked', async () => null, 'lost', 'E1 lost'],
  ['cannot be asked about', () => Promise.reject(new Error('down')), 'lost', 'E1 lost'],
];

describe('work that a dead process had begun', () => {
  test.each(DELIVERIES)('ends a delivery that %s', async (_, wasDelivered, status, audit) => {
    const { stores, context, told } = openCompany({ E1: 'done' }, { wasDelivered });
    const cell = { source: 'hr', record: 'E1', column: 'mobile', entity: 'users', key: 'E1' } as const;
    stores.outbox.intend([
      { ...cell, value: '2', shown: '1', serviceHash: null, run: RUN, at: '2026-11-20T07:00:00.000Z' },
    ]);
    await resumeWriteBack(context);
    expect([statusOf(stores, 'E1'), eventsOf(stores), told]).toEqual([status, [audit], []]);
    expect(stores.outbox.open()).toEqual([]);
  });
});

test('sends six of many identically rejected records, and gives one cause', async () => {
  const keys = Array.from({ length: 300 }, (_, at) => `E${at + 100}`);
  const { stores, context, told } = openCompany(Object.fromEntries(keys.map((key) => [key, 'refused'])));
  const { failed, left } = await writeBackToSources(APPLIED, 'applicable', context);
  expect([told.length, left]).toEqual([6, 294]);
  expect(failed.filter(({ key }) => key === '*')).toMatchObject([{ code: 'SYNC_WRITE_BACK_REFUSED', of_all: true }]);
  expect([statusOf(stores, told[0]?.record ?? ''), statusOf(stores, 'E399')]).toEqual(['refused', undefined]);
});

test('continues with others if single records are rejected', async () => {
  const fates = Array.from({ length: 40 }, (_, at) => [`E${at + 10}`, at % 4 === 3 ? 'done' : 'refused'] as const);
  const { context, told } = openCompany(Object.fromEntries(fates));
  await writeBackToSources(APPLIED, 'applicable', context);
  expect(told).toHaveLength(40);
});

test('keeps records for the next run that no writer took after many equal rejections', async () => {
  const keys = Array.from({ length: 30 }, (_, at) => `E${String(at + 10)}`);
  const { stores, context, told } = openCompany(Object.fromEntries(keys.map((key) => [key, 'refused'])));
  await writeBackToSources(APPLIED, 'applicable', context);
  const sent = new Set(told.map(({ record }) => record));
  expect(sent.size).toBeLessThan(keys.length);
  const statuses = keys.map((key) => [sent.has(key), statusOf(stores, key)]);
  expect(statuses).toEqual(keys.map((key) => [sent.has(key), sent.has(key) ? 'refused' : 'again']));
});
