import { describe, expect, it } from 'vitest';
import type { Copy } from '../../../src/model/copies.js';
import type { Json, Values } from '../../../src/model/json.js';
import { foldRun, type RunEntry, type RunWork } from '../../../src/reconcile/undo/run-work.js';
import { findRemovable } from '../../../src/reconcile/undo/undo-contents.js';
import { judgeEntries } from '../../../src/reconcile/undo/undo-entries.js';
import { findRestorable } from '../../../src/reconcile/undo/undo-fields.js';
import type { UndoPorts } from '../../../src/reconcile/undo/undo-ports.js';
import { directoryOf, observedOf } from '../../samples.js';

function workOf(more: Partial<RunEntry>) {
  const [work] = foldRun([
    {
      change: 'c1',
      entity: 'projects',
      action: 'update',
      key: 'P1',
      target: 'p1',
      label: 'Dam',
      cause: { kind: 'changed' },
      before: {},
      after: {},
      result: 'done',
      ...more,
    },
  ]);
  if (work === undefined) throw new Error('nothing was done');
  return work;
}

describe('the work of a run on one object', () => {
  const entry = (change: string, more: Partial<RunEntry>): RunEntry => ({
    ...{ change, entity: 'users', key: 'E1', target: 'u1', label: 'Jane', cause: { kind: 'changed' }, result: 'done' },
    ...{ action: 'update', before: {}, after: {}, ...more },
  });
  const fold = (...entries: readonly Partial<RunEntry>[]) =>
    foldRun(entries.map((one, index) => entry(`c${index}`, one))).map(({ changes, turn, before, after, ...work }) => ({
      ...{ changes: changes.join(), turn, before, after },
      ...(work.partial ? { partial: true } : {}),
    }));
  const made = { action: 'create', after: { name: 'Jane' } };
  const named = { before: { name: 'Jane' }, after: { name: 'Jane Doe' } };
  const none = { before: {}, after: {} };
  const rows: readonly (readonly [string, readonly Partial<RunEntry>[], readonly object[]])[] = [
    ['created and deleted, so nothing is left', [made, { action: 'delete' }], []],
    [
      'created and changed, with the last value',
      [made, named],
      [{ changes: 'c0,c1', turn: 'create', before: {}, after: { name: 'Jane Doe' } }],
    ],
    [
      'changed and deleted',
      [named, { action: 'delete' }],
      [{ changes: 'c0,c1', turn: 'delete', before: { name: 'Jane' }, after: { name: 'Jane Doe' } }],
    ],
    [
      'deactivated and reactivated, so active as before',
      [{ action: 'deactivate' }, { action: 'reactivate' }],
      [{ changes: 'c0,c1', turn: null, ...none }],
    ],
    [
      'deactivated and deleted',
      [{ action: 'deactivate' }, { action: 'delete' }],
      [{ changes: 'c0,c1', turn: 'delete', ...none }],
    ],
    [
      'changed twice, from the first value to the last one, per language',
      [
        { before: { title: { en: 'a' } }, after: { title: { en: 'b' } } },
        { before: { title: { en: 'b', no: 'x' } }, after: { title: { en: 'c', no: 'y' } } },
      ],
      [
        {
          changes: 'c0,c1',
          turn: null,
          before: { title: { en: 'a', no: 'x' } },
          after: { title: { en: 'c', no: 'y' } },
        },
      ],
    ],
    [
      'moved to another link',
      [{ action: 'relink', before: { source_key: 'E0' }, after: { source_key: 'E1' } }],
      [{ changes: 'c0', turn: null, ...none }],
    ],
    [
      'moved to another link and reactivated',
      [
        {
          action: 'relink',
          before: { source_key: 'E0', deactivated: true },
          after: { source_key: 'E1', deactivated: false },
        },
      ],
      [{ changes: 'c0', turn: 'reactivate', ...none }],
    ],
    [
      'moved to another link and deactivated',
      [
        {
          action: 'relink',
          before: { source_key: 'E0', deactivated: false },
          after: { source_key: 'E1', deactivated: true },
        },
      ],
      [{ changes: 'c0', turn: 'deactivate', ...none }],
    ],
    [
      'reactivated and changed',
      [{ action: 'reactivate' }, named],
      [{ changes: 'c0,c1', turn: 'reactivate', ...named }],
    ],
    [
      'parked for a while, which belongs to its record',
      [
        { ...named, key: 'E1~parked', target: 'u1' },
        { before: { name: 'Jane Doe' }, after: { name: 'J' } },
      ],
      [{ changes: 'c0,c1', turn: null, before: { name: 'Jane' }, after: { name: 'J' } }],
    ],
    [
      'two objects without an id',
      [
        { ...named, target: null, key: 'E1' },
        { ...named, target: null, key: 'E2' },
      ],
      [
        { changes: 'c0', turn: null, ...named },
        { changes: 'c1', turn: null, ...named },
      ],
    ],
    ['rejected, lost or already so, thus not done', [{ result: 'refused' }, { result: 'lost' }], []],
    ['taken in part', [{ ...named, result: 'in part' }], [{ changes: 'c0', turn: null, ...named, partial: true }]],
    [
      'taken in part, then completely',
      [{ ...named, result: 'in part' }, named],
      [{ changes: 'c0,c1', turn: null, ...named }],
    ],
  ];
  it.each(rows)('is folded: %s', (_, entries, works) => {
    expect(fold(...entries)).toEqual(works);
  });

  it('goes from the first key to the last if a link moves twice, with the last object', () => {
    const relink = (from: string, to: string) => ({
      action: 'relink',
      key: to,
      before: { source_key: from },
      after: { source_key: to },
    });
    const [work] = foldRun([
      entry('c0', relink('E1', 'E2')),
      entry('c1', { key: 'E2' }),
      entry('c2', relink('E2', 'E3')),
    ]);
    expect(work).toMatchObject({ key: 'E3', link: { from: 'E1', to: 'E3' }, changes: ['c0', 'c1', 'c2'], turn: null });
    const [mailed] = foldRun([
      entry('c0', { mailed: true, cause: { kind: 'referenced' } }),
      entry('c1', { pseudonymised: true }),
    ]);
    expect(mailed).toMatchObject({ key: 'E1', link: null, mailed: true, derived: true, pseudonymised: true });
    const [plain] = foldRun([entry('c0', {})]);
    expect(plain).toMatchObject({ mailed: false, derived: false, pseudonymised: false, copies: [], lost: [] });
  });
});

describe('entries of a project that a run created, rewrote or removed', () => {
  const text = (en: string) => ({ value: { en } });
  const old = { id: 'e1', ...text('before') };
  const others = { id: 'e9', ...text('mine') };
  const ours = (id: string, en: string) => ({ [id]: text(en) });
  interface Row {
    readonly name: string;
    readonly was: readonly (object | null)[];
    readonly wrote: readonly (object | null)[];
    readonly holds: readonly object[];
    readonly written?: object;
    readonly verdict: 'as before' | 'moved' | { readonly value: readonly object[] };
  }
  const rows: readonly Row[] = [
    {
      name: 'created and unchanged since, next to those of others',
      was: [null],
      wrote: [text('new')],
      holds: [{ id: 'e2', ...text('new') }, others],
      written: ours('e2', 'new'),
      verdict: { value: [] },
    },
    {
      name: 'created, and already gone',
      was: [null],
      wrote: [text('new')],
      holds: [others],
      written: ours('e2', 'new'),
      verdict: 'as before',
    },
    {
      name: 'created, and rewritten by others since',
      was: [null],
      wrote: [text('new')],
      holds: [{ id: 'e2', ...text('theirs') }],
      written: ours('e2', 'new'),
      verdict: 'moved',
    },
    {
      name: 'rewritten, and unchanged since',
      was: [old],
      wrote: [text('after')],
      holds: [{ id: 'e1', ...text('after') }, others],
      written: ours('e1', 'after'),
      verdict: { value: [text('before')] },
    },
    {
      name: 'rewritten, and already restored',
      was: [old],
      wrote: [text('after')],
      holds: [old],
      written: ours('e1', 'after'),
      verdict: 'as before',
    },
    {
      name: 'rewritten, and rewritten by others since',
      was: [old],
      wrote: [text('after')],
      holds: [{ id: 'e1', ...text('theirs') }],
      written: ours('e1', 'after'),
      verdict: 'moved',
    },
    {
      name: 'rewritten, and deleted by others since',
      was: [old],
      wrote: [text('after')],
      holds: [others],
      written: ours('e1', 'after'),
      verdict: 'moved',
    },
    {
      name: 'removed, so created again',
      was: [old],
      wrote: [null],
      holds: [others],
      written: {},
      verdict: { value: [text('before')] },
    },
    {
      name: 'removed, and back under any id',
      was: [old],
      wrote: [null],
      holds: [{ id: 'e5', ...text('before') }],
      written: {},
      verdict: 'as before',
    },
    {
      name: 'another entry of ours, which stays unchanged',
      was: [null],
      wrote: [text('new')],
      holds: [
        { id: 'e2', ...text('new') },
        { id: 'e3', ...text('kept'), label: {} },
      ],
      written: { ...ours('e2', 'new'), ...ours('e3', 'kept') },
      verdict: { value: [{ id: 'e3', ...text('kept') }].map(({ value }) => ({ value })) },
    },
    {
      name: 'with a label, which goes with its text',
      was: [{ ...old, label: { en: 'head' } }],
      wrote: [{ label: { en: 'Head' } }],
      holds: [{ ...old, label: { en: 'Head' } }],
      written: { e1: { ...text('before'), label: { en: 'Head' } } },
      verdict: { value: [{ ...text('before'), label: { en: 'head' } }] },
    },
  ];
  it.each(rows)('are undone: $name', ({ was, wrote, holds, written, verdict }) => {
    expect(
      judgeEntries(was as unknown as Json, wrote as unknown as Json, holds as unknown as Json, written as Json),
    ).toEqual(verdict);
  });
});

describe('undoing a list of words', () => {
  const restored = (
    entity: 'projects' | 'customers',
    before: Values,
    after: Values,
    values: Values,
    written: Values | null = null,
  ) =>
    findRestorable(workOf({ entity, before, after }), {
      entity,
      values,
      written,
      base: null,
      untaken: {},
      idOf: () => null,
    });

  it('removes added words, restores removed ones, and keeps the words of others', () => {
    const tags = (...sector: readonly string[]): Values => ({ tags: { sector } });
    const found = restored('customers', tags('a', 'b'), tags('b', 'c'), tags('b', 'c', 'theirs'));
    expect(found.wanted).toEqual({ tags: { sector: ['b', 'theirs', 'a'] } });
    expect(found.undone).toEqual([{ path: 'tags.sector', value: ['b', 'c'] }]);
    expect(restored('customers', tags('a'), tags('a', 'c'), tags('a', 'c')).wanted).toEqual({
      tags: { sector: ['a'] },
    });
    expect(restored('customers', tags('a', 'b'), tags('a'), tags('a')).wanted).toEqual({
      tags: { sector: ['a', 'b'] },
    });
  });

  it('compares tags exactly, and uses the written tags of a hidden category', () => {
    const tags = (...sector: readonly string[]): Values => ({ tags: { sector } });
    expect(restored('customers', tags(), tags('a'), tags('A', 'a')).wanted).toEqual({ tags: { sector: ['A'] } });
    const hidden = { tags: { other: ['x'] } };
    expect(restored('customers', tags('a'), tags('a', 'b'), hidden, tags('a', 'b')).wanted).toEqual({
      tags: { sector: ['a'] },
    });
    expect(restored('customers', tags('a'), tags('a', 'b'), {}, tags('a', 'b')).wanted).toEqual({
      tags: { sector: ['a'] },
    });
    expect(restored('customers', tags('a'), tags('a', 'b'), tags('a'), tags('a', 'b')).wanted).toEqual({});
  });

  it('does nothing if others have already restored or removed the word', () => {
    const owners = (...words: readonly string[]): Values => ({ owners: words });
    expect(restored('projects', owners('a@x.test'), owners('b@x.test'), owners('a@x.test')).wanted).toEqual({});
    expect(restored('projects', owners(), owners('b@x.test'), owners('c@x.test')).wanted).toEqual({});
  });

  it('treats two words for one person as one if the object shows who it is', () => {
    const shown = { owners: ['JANE'], owners_ids: { jane: 'u1', 'a@x.test': 'u1' } };
    const found = restored('projects', { owners: ['a@x.test'] }, { owners: ['b@x.test'] }, shown);
    expect(found.wanted).toEqual({});
  });

  it('never restores a create-only field', () => {
    expect(restored('projects', { customer: 'C1' }, { customer: 'C2' }, { customer: 'C2' })).toMatchObject({
      wanted: {},
      moved: [],
    });
  });
});

describe('contents that a run put into a proposal', () => {
  const directory = directoryOf({ emails: ['jane@x.test'] });
  const ID = 'u:jane@x.test';
  const made: Copy = { field: 'cvs', of: ID, id: 'copy1', mark: 'v1' };

  interface Judged {
    readonly values?: Values;
    readonly word?: string;
    readonly works?: readonly RunWork[];
  }

  function judge(
    field: 'cvs' | 'collaborators',
    inside: readonly Copy[],
    copies: readonly Copy[],
    { values = {}, word = 'jane@x.test', works = [] }: Judged = {},
  ) {
    const work = workOf({ entity: 'proposals', before: { [field]: [] }, after: { [field]: [word] }, copies });
    // The ports use only a directory, the copies and the work of the run.
    const ports = {
      service: { directory },
      contents: { copiesIn: () => inside },
      undone: { works },
    } as unknown as UndoPorts;
    const { takesOut, stays } = findRemovable(work, observedOf('b1', values, { entity: 'proposals' }), ports);
    return [takesOut.map(({ id }) => id), stays.map(({ because, moved }) => [because, moved])];
  }

  it.each<
    readonly [string, readonly Copy[], readonly Copy[], readonly string[], readonly (readonly [RegExp, boolean])[]]
  >([
    ['the same copy, saved by nobody since', [made], [made], ['copy1'], []],
    [
      'a copy saved by others since, whose work would be lost',
      [{ ...made, mark: 'v2' }],
      [made],
      [],
      [[/others have edited/, true]],
    ],
    ['a copy without a version', [{ ...made, mark: null }], [made], [], [[/shows no version/, false]]],
    ['a copy created without a known version', [made], [{ ...made, mark: null }], [], [[/shows no version/, false]]],
    [
      'another copy of the same person',
      [{ ...made, id: 'copy2' }],
      [made],
      [],
      [[/others have added another one/, false]],
    ],
    [
      'a copy that does not show its owner',
      [{ ...made, id: 'copy2', of: null }],
      [made],
      [],
      [[/others have added/, false]],
    ],
    ['an unknown copy', [made], [], [], [[/is not known/, false]]],
    ['no copy of the person, as before', [{ ...made, id: 'copy2', of: 'u:else' }], [made], [], []],
    ['a copy of a project instead of a CV', [{ ...made, field: 'references' }], [made], [], []],
    [
      'a project that the run put in instead of a CV',
      [made],
      [{ ...made, field: 'references' }],
      [],
      [[/is not known/, false]],
    ],
  ])('are removed or stay: %s', (_name, inside, copies, out, stays) => {
    const [takesOut, staying] = judge('cvs', inside, copies);
    expect(takesOut).toEqual(out);
    expect(staying).toEqual(stays.map(([because, moved]) => [expect.stringMatching(because), moved]));
  });

  it('include a collaborator only while the person is one', () => {
    expect(judge('collaborators', [], [], { values: { collaborators_ids: { 'jane@x.test': ID } } })).toEqual([
      [ID],
      [],
    ]);
    expect(judge('collaborators', [], [], { values: { collaborators_ids: { jane: ID } } })).toEqual([[ID], []]);
    expect(judge('collaborators', [], [], { values: { collaborators_ids: {} } })).toEqual([[], []]);
  });

  it('belong to the person whom the run gave the word, even if it was lost since', () => {
    const renamed = (after: Values, entity = 'users') => workOf({ entity, key: 'E7', target: ID, after });
    const rows: readonly (readonly [string, Values, string, readonly string[]])[] = [
      ['an external id', { external_unique_id: 'E7' }, 'users', ['copy1']],
      ['an address, however it is spelt', { email: 'E7' }, 'users', ['copy1']],
      ['another field', { name: 'e7' }, 'users', []],
      ['another id', { external_unique_id: 'E8' }, 'users', []],
      ['the id of a customer', { external_unique_id: 'E7' }, 'customers', []],
    ];
    for (const [name, after, entity, out] of rows) {
      const works = [renamed(after, entity)];
      expect(judge('cvs', [made], [made], { word: 'e7', works }), name).toEqual([out, []]);
      const values = { collaborators_ids: { 'other@x.test': ID } };
      expect(judge('collaborators', [], [], { word: 'e7', works, values })[0], name).toEqual(out.map(() => ID));
    }
  });
});
