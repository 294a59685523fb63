import { describe, expect, it } from 'vitest';
import type { WaitingCause } from '../../src/model/waiting.js';
import { type AskedTenant, listWaiting } from '../../src/planning/holds/list-waiting.js';
import type { WaitingGroup } from '../../src/store/mirror/waiting-store.js';
import type { Stores } from '../../src/store/open-stores.js';
import type { Approval } from '../../src/store/state/history-store.js';

const NOW = '2026-11-20T12:00:00.000Z';
const ago = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();
const ACK = { who: 'ops', reason: 'known', until: null, at: ago(5) };

/** The content of the state folder; nothing is pending unless given. */
interface Kept {
  readonly groups?: readonly Partial<WaitingGroup>[];
  readonly approvals?: readonly Partial<Approval>[];
  readonly halves?: readonly Partial<Approval>[];
  /** Changes approved before the newest plan; true if it has them. */
  readonly before?: Readonly<Record<string, boolean>>;
  /** Questions of identity in the newest plan. */
  readonly asked?: readonly object[];
  readonly refused?: readonly object[];
  readonly paused?: string;
  readonly failing?: { readonly documents?: number };
  readonly outbox?: readonly object[];
  readonly channels?: readonly object[];
  readonly open?: readonly string[];
  readonly early?: readonly object[];
  readonly joiner?: { readonly leadMs: number };
  readonly pins?: number;
  readonly undo?: object;
  readonly decided?: readonly object[];
  readonly declines?: readonly object[];
  readonly acknowledged?: (id: string) => boolean;
}

const GROUP: WaitingGroup = {
  kind: 'record',
  entity: 'users',
  code: 'SYNC_MAP_VALUE',
  cause: 'email is empty',
  resolve: 'Correct it.',
  count: 1,
  rows: 1,
  ids: ['h1'],
  scope: '',
  keys: ['E1'],
  since: ago(60),
  acknowledged: null,
};

/** The only record with an account, by key. */
const LABELS: Readonly<Record<string, string>> = { E8: 'Randi Moen <randi@example.com>' };

function ask(kept: Kept): readonly WaitingCause[] {
  const given = (some: readonly Partial<Approval>[] = []) =>
    new Map(some.map((one, index) => [`c${index}`, { changeId: `c${index}`, ...one }]));
  const failure = { code: 'SYNC_SERVICE_DOWN', message: 'no answer', remedy: 'Wait.', atMs: Date.parse(ago(30)) };
  const stores = {
    history: { approvalsAt: () => given(kept.approvals), halfApprovalsAt: () => given(kept.halves) },
    mirror: {
      get: (_: string, id: string) => ({ label: LABELS[id] }),
      mark: (name: string) => {
        const marks: Readonly<Record<string, unknown>> = {
          'plan.newest': { plan: 'p1', config: '', at: ago(50) },
          'undo.open': kept.undo ?? null,
          'waiting.approved': Object.entries(kept.before ?? {}).map(([id, planned]) => ({ id, planned })),
          'waiting.asked': kept.asked ?? [],
        };
        return name in marks ? JSON.stringify(marks[name]) : null;
      },
    },
    acknowledgements: {
      inForce: () => ({ get: (id: string) => (kept.acknowledged?.(id) === true ? ACK : undefined) }),
    },
    waiting: {
      groups: () => (kept.groups ?? []).map((one) => ({ ...GROUP, ...one })),
      isPaused: (_: string, key: string) => key === kept.paused,
      early: () => kept.early ?? [],
      decided: () => kept.decided ?? [],
    },
    links: { find: (_: string, key: string) => (key in LABELS ? { serviceId: key } : null) },
    work: { recordBefore: (_: string, key: string) => (key === 'E9' ? { label: 'Ole Vik <ole@example.com>' } : null) },
    refusals: { all: () => kept.refused ?? [] },
    deliveries: {
      of: (name: string) =>
        kept.failing === undefined || name === 'fine'
          ? { failure: null, last: null }
          : { failure, last: kept.failing.documents ? { documents: { failing: kept.failing.documents } } : null },
    },
    outbox: { waitingBySource: () => kept.outbox ?? [] },
    notify: { queues: () => [{ channel: 'mail', waiting: 3 }], channels: () => kept.channels ?? [] },
    journal: { open: () => (kept.open ?? []).map((at) => ({ at })) },
    pins: {
      count: () => kept.pins ?? 0,
      firstRecords: (limit: number) =>
        Array.from({ length: Math.min(kept.pins ?? 0, limit) }, (_, at) => ({ entity: 'users', key: `E ${at + 1}` })),
    },
    declines: { inForce: () => kept.declines ?? [] },
  } as unknown as Stores;
  const config = {
    mappings: {},
    users: kept.joiner === undefined ? null : { joiner: kept.joiner },
    notify: { channels: [{ name: 'mail' }, { name: 'chat' }] },
    timezone: 'Europe/Oslo',
    reports: [{ name: 'fine' }, { name: 'seats' }],
    documents: [],
  } as unknown as AskedTenant['config'];
  return listWaiting({ config, stores }, NOW);
}

/** Without the names of causes, which nobody reads. */
const shown = (kept: Kept) => ask(kept).map(({ ids, ...item }) => ({ ...item, ids: ids.length }));

describe('a cause in the newest plan', () => {
  it('is shown with the first of its keys in natural order', () => {
    const keys = ['E10', 'E2', 'E1', 'E3', 'E4', 'E5'];
    expect(ask({ groups: [{ count: 6, rows: 6, ids: ['a', 'b'], keys }] })).toEqual([
      {
        ...{ id: expect.stringMatching(/^[0-9a-f]{64}$/), ids: ['a', 'b'], kind: 'record', of: 'users', count: 6 },
        ...{ cause: 'email is empty', resolve: 'Correct it.', code: 'SYNC_MAP_VALUE', since: ago(60), until: null },
        keys: ['E1', 'E2', 'E3', 'E4', 'E5'],
      },
    ]);
    expect(ask({ groups: [{ cause: '' }] })).toMatchObject([{ id: 'h1', cause: 'SYNC_MAP_VALUE' }]);
    expect(ask({ groups: [{ cause: '', code: null }] })).toMatchObject([{ cause: '' }]);
    expect(ask({ groups: [{ kind: 'undone' }] })).toEqual([]);
  });

  const day = (text: string, more: Partial<WaitingGroup> = {}) => ({ cause: `"${text}" is no date`, ...more });
  it('includes records with different values and the same problem', () => {
    const groups = [
      day('soon', { ids: ['a'], keys: ['E1'], since: ago(20) }),
      day('later', { ids: ['b'], keys: ['E2'], since: ago(40) }),
      day('never', { ids: ['c'], keys: ['E3'], since: ago(30) }),
    ];
    expect(shown({ groups })).toMatchObject([
      { cause: '"…" is no date', count: 3, keys: ['E1', 'E2', 'E3'], since: ago(40), ids: 3 },
    ]);
  });

  const apart: readonly (readonly [string, Partial<WaitingGroup>])[] = [
    ['it has several rows', day('later', { rows: 2, count: 2 })],
    ['it is of another entity', day('later', { entity: 'customers' })],
    ['it is of another kind', day('later', { kind: 'field' })],
    ['it has another code', day('later', { code: 'SYNC_X' })],
    ['it is acknowledged', day('later', { acknowledged: ACK })],
    ['it is something else', { cause: 'email is empty' }],
  ];
  it.each(apart)('is separate: %s', (_, other) => {
    expect(ask({ groups: [day('soon'), { ids: ['h2'], ...other }] })).toHaveLength(2);
  });

  it('has an id made of its content and code if it concerns several records', () => {
    const many = (more: Partial<WaitingGroup>) =>
      ask({ groups: [{ ids: ['a', 'b'], rows: 2, count: 2, ...more }] })[0]?.id;
    const names = [
      {},
      { code: 'SYNC_X' },
      { code: null },
      { cause: 'x' },
      { entity: 'customers' },
      { kind: 'field' as const },
    ].map(many);
    expect(new Set(names).size).toBe(names.length);
    expect(many({ ids: ['c', 'd', 'e'], count: 3 })).toBe(names[0]);
  });

  it('is separate for each guard and each conflict', () => {
    const two = (kind: WaitingGroup['kind']) => ask({ groups: [day('1', { kind }), day('2', { kind, ids: ['h2'] })] });
    expect(two('guard')).toHaveLength(2);
    expect(two('conflict')).toHaveLength(2);
    expect(two('refused')).toHaveLength(1);
    expect(two('field')).toHaveLength(1);
  });

  it.each([
    ['E8', 'Randi Moen <randi@example.com>'],
    ['E9', 'Ole Vik <ole@example.com>'],
    ['E7', undefined],
  ])('has the name of its only record, from the account or the last read: %s', (key, label) => {
    expect(ask({ groups: [{ keys: [key] }] })[0]?.label).toBe(label);
    expect(ask({ groups: [{ keys: [key], count: 2, rows: 2 }] })[0]).not.toHaveProperty('label');
  });

  it('shows who has acknowledged it', () => {
    expect(ask({ groups: [{ acknowledged: ACK }] })).toMatchObject([{ acknowledged: ACK }]);
    expect(ask({ groups: [{}] })[0]).not.toHaveProperty('acknowledged');
  });
});

describe('a pending approval', () => {
  const guard = { kind: 'guard', entity: 'users.deactivate', count: 5, rows: 1, resolve: 'Approve it.' } as const;
  const yes = (name: string, who = 'ann'): Partial<Approval> => ({ guard: name, who, reason: 'closed' });

  it('leaves out changes already approved, also by an approval for two guards', () => {
    const both = 'users.create + users.deactivate';
    const approvals = [yes('users.deactivate'), yes(both), yes('users.create')];
    expect(ask({ groups: [guard], approvals }).filter(({ kind }) => kind === 'guard')).toMatchObject([{ count: 3 }]);
    const all = Array.from({ length: 5 }, () => yes('users.deactivate'));
    expect(ask({ groups: [guard], approvals: all }).map(({ kind }) => kind)).toEqual(['approved']);
  });

  it('includes changes that the plan holds in addition to those approved before', () => {
    const approvals = [yes('users.deactivate'), yes('users.deactivate')];
    const found = ask({ groups: [guard], approvals, before: { c0: true, c1: false } });
    expect(found).toMatchObject([
      { kind: 'guard', count: 5 },
      { kind: 'approved', count: 1, cause: 'Approved, but not carried out yet' },
      {
        kind: 'approved',
        count: 1,
        cause: 'Approved, but not in the newest plan',
        resolve: expect.stringMatching(/^No action needed/),
      },
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(3);
    const [first] = ask({ groups: [{ ...guard, scope: 'r1' }], approvals, before: { c0: false, c1: false } });
    expect(first).toMatchObject({ kind: 'guard', count: 3 });
    expect(ask({ groups: [guard], halves: approvals, before: { c0: false } })).toMatchObject([
      { count: 4 },
      { count: 1 },
    ]);
  });

  it('does not concern records, nor sources that cannot be read', () => {
    const approvals = [yes('hr')];
    const source = { kind: 'source', entity: 'hr', count: 1 } as const;
    expect(ask({ groups: [source], approvals })).toMatchObject([{ kind: 'source', count: 1 }, { kind: 'approved' }]);
    const held = { ...source, entity: 'hr:0123' };
    expect(ask({ groups: [held], approvals: [yes('hr:0123')] })).toMatchObject([{ kind: 'approved' }]);
  });

  const no = (changeId: string, minutes: number, guards = 'users.deactivate') => ({
    ...{ id: 'd1', scope: 'users', key: changeId, path: 'existence', mapping: '', changeId, action: 'deactivate' },
    ...{ guards, who: 'ann', reason: 'stays', at: ago(minutes), until: null },
  });
  it.each([
    ['declined since the newest plan', [no('c1', 20), no('c2', 20)], 3],
    ['declined with two values', [no('c1', 20), { ...no('c1', 20), path: 'x' }], 4],
    ['held by two guards', [no('c1', 20, 'users.create + users.deactivate')], 4],
    ['declined before that plan, which does not hold it', [no('c1', 90)], 5],
    ['held by another guard', [no('c1', 20, 'users.create')], 5],
    ['planned and not held', [no('c1', 20, '')], 5],
  ])('counts a change once: %s', (_, declines, count) => {
    expect(ask({ groups: [guard], declines }).filter(({ kind }) => kind === 'guard')).toMatchObject([{ count }]);
  });

  it('ends when all of it is approved or declined', () => {
    const approvals = Array.from({ length: 4 }, () => yes('users.deactivate'));
    const kinds = ask({ groups: [guard], approvals, declines: [no('c9', 20)] }).map(({ kind }) => kind);
    expect(kinds).not.toContain('guard');
    const declines = [no('c9', 20)];
    expect(ask({ groups: [{ ...guard, scope: 'r1' }], declines })[0]).toMatchObject({ kind: 'guard', count: 5 });
  });

  it('waits for a second person and names the first', () => {
    const halves = [yes('users.deactivate', 'ann'), yes('users.deactivate', 'bob'), yes('users.deactivate', 'ann')];
    const [open, ...second] = ask({ groups: [guard], halves: [...halves, yes('users.create')] });
    expect(open).toMatchObject({ count: 2, id: 'h1', resolve: 'Approve it.' });
    expect(second).toMatchObject([
      {
        count: 2,
        approved_by: 'ann',
        resolve: 'Approved by ann: closed. A second person must approve it: Approve it.',
      },
      {
        count: 1,
        approved_by: 'bob',
        resolve: 'Approved by bob: closed. A second person must approve it: Approve it.',
      },
    ]);
    expect(second.map(({ id, ids }) => [id === 'h1', ids[0] === id, ids.at(-1)])).toEqual([
      [false, true, 'h1'],
      [false, true, 'h1'],
    ]);
  });

  it('keeps its id if one person has approved all of it', () => {
    const groups = [{ ...guard, count: 1 }];
    expect(ask({ groups, halves: [yes('users.deactivate')] })).toMatchObject([{ id: 'h1', ids: ['h1'], count: 1 }]);
  });

  it('is listed per guard if not carried out, since the first and until the first expires', () => {
    const at = (from: number, until: number) => ({ ...yes('users.create'), at: ago(from), expiresAt: ago(-until) });
    const other = { ...yes('users.delete'), at: ago(1), expiresAt: ago(-1) };
    expect(shown({ approvals: [at(10, 50), at(20, 60), at(15, 40), other] })).toEqual([
      {
        ...{ kind: 'approved', of: 'users.create', count: 3, since: ago(20), until: ago(-40), code: null, keys: [] },
        ...{ cause: 'Approved, but not carried out yet', resolve: '`talent-sync sync`', ids: 1, id: expect.anything() },
      },
      expect.objectContaining({ of: 'users.delete', count: 1, since: ago(1), until: ago(-1) }),
    ]);
  });
});

it('lists decided conflicts until a run carries them out, together if one person said the same of several', () => {
  const given = { entity: 'users', winner: 'source', who: 'ann', reason: 'HR knows', at: ago(9) };
  const decided = [
    { ...given, id: 'q1', key: 'E10' },
    { ...given, id: 'q2', key: 'E2', at: ago(12) },
    { ...given, id: 'q3', key: 'E3', winner: 'service' },
  ];
  expect(ask({ decided })).toMatchObject([
    {
      ...{ kind: 'decided', of: 'users', count: 2, ids: ['q1', 'q2'], keys: ['E2', 'E10'], since: ago(12) },
      ...{ cause: 'ann decided that the source is right: HR knows' },
    },
    { kind: 'decided', id: 'q3', ids: ['q3'], count: 1, cause: 'ann decided that the service is right: HR knows' },
  ]);
});

describe('other pending items', () => {
  const refusal = { entity: 'users', key: 'E1', changeId: 'c1', firstAt: ago(60), nextAt: ago(-60), message: 'no' };
  const channel = (name: string, minutes: number | null, failure: string | null = 'answered 500') => ({
    ...{ channel: name, failingSince: minutes === null ? null : ago(minutes), failure },
  });
  const rows: readonly (readonly [string, Kept, readonly object[]])[] = [
    ['nothing', {}, []],
    [
      'a rejected change',
      { refused: [{ ...refusal, times: 1 }] },
      [
        {
          ...{ kind: 'refused', of: 'users', count: 1, cause: 'Rejected: no', since: ago(60), until: ago(-60) },
          ...{ keys: ['E1'], resolve: expect.stringContaining('every run tries it again') },
        },
      ],
    ],
    [
      'several changes rejected alike: one cause, since the first',
      {
        refused: [
          { ...refusal, key: 'E10', times: 1, message: 'email "a" is taken' },
          { ...refusal, key: 'E2', times: 1, message: 'email "b" is taken', changeId: 'c2', firstAt: ago(90) },
          { ...refusal, key: 'E3', times: 1, changeId: 'c3' },
        ],
      },
      [
        { kind: 'refused', count: 2, cause: 'Rejected: email "…" is taken', keys: ['E2', 'E10'], since: ago(90) },
        { kind: 'refused', count: 1, cause: 'Rejected: no', keys: ['E3'] },
      ],
    ],
    ['a change that was rejected again', { refused: [{ ...refusal, times: 2 }] }, [{ cause: 'Rejected 2 times: no' }]],
    ['a paused change, which the plan lists', { refused: [{ ...refusal, times: 2 }], paused: 'E1' }, []],
    [
      'a failed delivery',
      { failing: {} },
      [
        {
          ...{ kind: 'delivery', of: 'seats', count: 1, cause: 'no answer', resolve: 'Wait.', since: ago(30) },
          ...{ code: 'SYNC_SERVICE_DOWN', until: null },
        },
      ],
    ],
    [
      'the plan of an undo until it expires',
      { undo: { plan: 'p2', run: 'r1', changes: 3, at: ago(5), expires: ago(-60) } },
      [{ kind: 'undo', of: 'p2', count: 3, cause: expect.stringContaining('run r1'), since: ago(5), until: ago(-60) }],
    ],
    ['the expired plan of an undo', { undo: { plan: 'p2', run: 'r1', changes: 3, at: ago(90), expires: ago(30) } }, []],
    ['one failed document', { failing: { documents: 1 } }, [{ cause: 'no answer' }]],
    ['several failed documents', { failing: { documents: 2 } }, [{ cause: '2 documents, the first: no answer' }]],
    [
      'values sent to a source that does not show them',
      { outbox: [{ source: 'hr', records: 4, refused: 1, lost: 2, since: ago(9) }] },
      [
        {
          ...{ kind: 'write_back', of: 'hr', count: 4, cause: '1 rejected, 2 lost', since: ago(9) },
          ...{ code: 'SYNC_WRITE_BACK_REFUSED', resolve: expect.stringContaining('until hr shows it') },
        },
      ],
    ],
    [
      'values sent without an error',
      { outbox: [{ source: 'hr', records: 4, refused: 0, lost: 0, since: ago(9) }] },
      [{ cause: '', code: null }],
    ],
    [
      'a channel that has failed for an hour',
      { channels: [channel('mail', 60)] },
      [
        {
          ...{ kind: 'channel', of: 'mail', count: 3, cause: 'Cannot be sent: answered 500', since: ago(60) },
          resolve: expect.stringContaining('notify test --channel mail'),
        },
      ],
    ],
    [
      'a channel without a queue or an answer',
      { channels: [channel('chat', 61, null)] },
      [{ count: 0, cause: 'Cannot be sent: no answer' }],
    ],
    [
      'a channel with a hiccup, a working one, and a removed one',
      { channels: [channel('mail', 59), channel('chat', null), channel('old', 99)] },
      [],
    ],
    [
      'calls with an unknown outcome, since the first of them',
      { open: [ago(3), ago(8), ago(5)] },
      [
        {
          kind: 'call',
          of: 'service',
          count: 3,
          since: ago(8),
          cause: 'Started, but without an outcome',
          resolve: 'The next run looks them up.',
        },
      ],
    ],
    [
      'people before their first day, until the first account is due in the configured zone',
      {
        early: [
          { key: 'E2', starts: '2026-12-01T00:00:00Z' },
          { key: 'E1', starts: null },
        ],
        joiner: { leadMs: 3_600_000 },
      },
      [
        {
          kind: 'joiner',
          of: 'users',
          count: 2,
          until: '2026-12-01',
          keys: ['E1', 'E2'],
          cause: 'The first day of work is in the future',
        },
      ],
    ],
    [
      'people without a known first day',
      { early: [{ key: 'E1', starts: null }], joiner: { leadMs: 0 } },
      [{ until: null }],
    ],
    ['early people without a setting for joiners', { early: [{ key: 'E1', starts: null }] }, []],
    [
      'undone values',
      { pins: 2 },
      [
        {
          kind: 'undone',
          of: 'values',
          count: 2,
          cause: expect.stringContaining('Undone by an operator'),
          keys: ['E 1', 'E 2'],
          resolve: expect.stringContaining("`talent-sync undo --unpin 'user:E 1'`"),
        },
      ],
    ],
  ];
  it.each(rows)('are listed: %s', (_, kept, items) => {
    expect(shown(kept)).toEqual(items.map((item) => expect.objectContaining(item)));
  });

  it('can be acknowledged by their id, which stays', () => {
    const [item] = ask({ pins: 2 });
    expect(item).not.toHaveProperty('acknowledged');
    expect(ask({ pins: 3, acknowledged: (id) => id === item?.id })).toMatchObject([
      { id: item?.id, acknowledged: ACK },
    ]);
  });

  it('are sorted by urgency, then by number', () => {
    const groups: readonly Partial<WaitingGroup>[] = [
      { kind: 'record', cause: 'a' },
      { kind: 'record', cause: 'b', count: 3, rows: 3 },
      { kind: 'guard', entity: 'users.deactivate' },
    ];
    const found = ask({ groups, pins: 9, open: [NOW] }).map(({ kind, count }) => `${kind} ${count}`);
    expect(found).toEqual(['guard 1', 'record 3', 'record 1', 'call 1', 'undone 9']);
  });
});

describe('a question of identity', () => {
  const question = { entity: 'users', guard: 'users.same_person', change: 'c9', answers: ['c0', 'new c0'] };
  const groups = [
    { ids: ['h1', 'h2'], keys: ['E1', 'E2'], count: 2, rows: 2, code: 'SYNC_PROBABLE_SAME_PERSON' },
    { kind: 'guard', entity: 'users.same_person', code: null, ids: ['g1'], keys: [], count: 2 },
  ] as const;
  const open = (kept: Kept) =>
    ask({ groups, ...kept }).map(({ kind, count, keys }) => `${kind} ${count} ${keys.join()}`);

  it('is open until it is answered', () => {
    expect(open({ asked: [{ ...question, hold: 'h1' }] })).toEqual(['guard 2 ', 'record 2 E1,E2']);
  });

  it('is not listed once an answer is approved', () => {
    const kept = {
      asked: [{ ...question, hold: 'h1' }],
      approvals: [{ guard: 'users.same_person', expiresAt: ago(-60) }],
    };
    expect(open(kept)).toEqual(['guard 1 ', 'record 1 E2', 'approved 1 ']);
  });

  it('is not listed once the record is linked to the object', () => {
    const linked = { ...question, hold: 'h2', relink: { key: 'E8', id: 'E8' } };
    expect(open({ asked: [linked] })).toEqual(['guard 1 ', 'record 1 E1']);
    // The row may be about another person than its account, so the link is no answer.
    expect(open({ asked: [{ ...linked, guard: 'users.other_person' }] })).toEqual(['guard 2 ', 'record 2 E1,E2']);
  });
});
