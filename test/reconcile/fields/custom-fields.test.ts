import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { findFieldFault, isSameCustomField } from '../../../src/reconcile/fields/custom-fields.js';
import {
  alignEntries,
  areSlotsDone,
  type Entry,
  type EntryChange,
  type EntryText,
  readOurs,
  rememberEntries,
} from '../../../src/reconcile/fields/entries.js';

describe('whether a custom field holds what is wanted', () => {
  it.each<readonly [want: Json, have: Json | undefined, same: boolean]>([
    [42, '42.0', true],
    [42, { value: '42.0', sensitivity: 'confidential' }, true],
    [42, '43', false],
    ['a', ' a ', true],
    ['a', 'A', false],
    ['', null, true],
    ['', 'a', false],
    ['a', '', false],
    ['1e', '1', false],
    [null, undefined, true],
    [null, { value: 1 }, false],
    // Only the parts that are named count.
    [{ amount: 10 }, { amount: '10.00', currency: 'nok' }, true],
    [{ amount: 10, currency: 'sek' }, { amount: '10.00', currency: 'nok' }, false],
    [{ value: 1, anonymized: { en: 'some' } }, { value: 1, anonymized: { en: 'some', no: 'noe' } }, true],
    [{ value: 1, anonymized: { en: 'some' } }, { value: 1 }, false],
  ])('%j over %j: %s', (want, have, same) => {
    expect(isSameCustomField(want, have)).toBe(same);
  });
});

describe('a value that would refuse the whole request is found first', () => {
  const defined = {
    people: 'numeric',
    sum: 'currency_amount',
    size: 'quantity',
    kind: 'single_select',
    time: 'year_month_range',
  };
  const fault = (name: string, value: Json) => findFieldFault(name, value, defined)?.reason ?? null;

  it.each<readonly [name: string, value: Json, reason: string | null]>([
    ['people', 42, null],
    ['people', '4.5', null],
    ['people', { value: 42, sensitivity: 'confidential' }, null],
    ['people', { value: 42, anonymized: { en: 'some' } }, null],
    ['people', null, null],
    ['people', { value: null }, null],
    ['people', 'many', 'The custom field "people" is a numeric, and "many" is not a number.'],
    ['people', { amount: 1 }, 'The custom field "people" is a numeric, which takes value, not amount.'],
    ['sum', { amount: 10, currency: 'nok' }, null],
    ['sum', { amount: 0 }, null],
    [
      'sum',
      { amount: 1.5 },
      'The custom field "sum" is a currency_amount, and 1.5 is not a whole number that is not negative.',
    ],
    [
      'sum',
      { amount: -1 },
      'The custom field "sum" is a currency_amount, and -1 is not a whole number that is not negative.',
    ],
    [
      'sum',
      { amount: 'x' },
      'The custom field "sum" is a currency_amount, and "x" is not a whole number that is not negative.',
    ],
    ['size', { amount: -1.5, unit: 'm' }, null],
    ['size', { amount: 'x' }, 'The custom field "size" is a quantity, and "x" is not a number.'],
    [
      'size',
      { from: '2026-01', to: '2026-02' },
      'The custom field "size" is a quantity, which takes amount and unit, not from and to.',
    ],
    ['kind', 'whatever', null],
    ['time', { from: '2026-01' }, null],
    ['peopel', 1, 'The service has no custom field "peopel"; the nearest name is "people".'],
    ['zzz', 1, 'The service has no custom field "zzz"; it has people, sum, size, kind, time.'],
  ])('%s: %j', (name, value, reason) => {
    expect(fault(name, value)).toBe(reason);
  });

  it('without definitions nothing is known to be wrong; an account may have none', () => {
    expect(findFieldFault('people', 'many', null)).toBeNull();
    expect(findFieldFault('people', 1, {})?.reason).toContain('it has none');
    // The name of a method of every object is no custom field.
    expect(findFieldFault('toString', 1, {})?.reason).toContain('no custom field "toString"');
    expect(findFieldFault('people', 'many', { people: 'of a kind to come' })).toBeNull();
  });
});

describe('entries of a project, which have no key', () => {
  const text = (en: string): EntryText => ({ value: { en } });
  const entry = (id: string, en: string): Entry => ({ id, ...text(en) });

  it('one that the source no longer has is taken off where we wrote it; those of others stay', () => {
    const there = [entry('e1', 'ours'), entry('e2', 'theirs')];
    expect(alignEntries([], there, { e1: text('ours') }).slots).toEqual([{ before: there[0], after: null }]);
  });

  it('a language that we wrote and the source no longer has goes, one of others stays', () => {
    const both = { id: 'e1', value: { en: 'a', no: 'b', de: 'theirs' } };
    const ours = { e1: { value: { en: 'a', no: 'b' } } };
    expect(alignEntries([text('a')], [both], ours).slots).toEqual([
      { before: both, after: { value: { en: 'a', de: 'theirs' } } },
    ]);
    // It is gone already: nothing to send.
    const gone = { id: 'e1', value: { en: 'a', no: '' } };
    expect(alignEntries([text('a')], [gone], ours).slots).toEqual([]);
  });

  const blank = (id: string): Entry => ({ id, value: { en: ' ' }, label: {} });
  it.each<
    readonly [
      what: string,
      wanted: readonly EntryText[],
      there: readonly Entry[],
      ours: Readonly<Record<string, EntryText>>,
      plan: readonly string[],
    ]
  >([
    [
      'one that says it already is kept, the one of ours first',
      [text('a')],
      [entry('e1', 'a'), entry('e2', 'a')],
      { e2: text('a') },
      ['= e2'],
    ],
    ['one of others that says it becomes ours', [text('a')], [entry('e1', 'a')], {}, ['= e1']],
    [
      'one that we wrote for the same text, and others changed, is written again',
      [text('b'), text('a')],
      [entry('e1', 'x'), entry('e2', 'y')],
      { e1: text('a'), e2: text('c') },
      ['e2 b', 'e1 a', '= e2', '= e1'],
    ],
    [
      'one for a text that is no longer wanted gets the new one, in the order of both',
      [text('c'), text('d')],
      [entry('e1', 'a'), entry('e2', 'b')],
      { e1: text('a'), e2: text('b') },
      ['e1 c', 'e2 d', '= e1', '= e2'],
    ],
    ['one without any text is filled', [text('a')], [entry('e1', 'mine'), blank('e2')], {}, ['e2 a', '= e2']],
    ['one with a label alone is not empty', [text('a')], [{ id: 'e1', value: {}, label: { en: 'l' } }], {}, ['new a']],
    ['none of these: one is made', [text('a')], [entry('e1', 'mine')], {}, ['new a']],
    [
      'left over, and ours: it goes',
      [text('a')],
      [entry('e1', 'a'), entry('e2', 'b')],
      { e1: text('a'), e2: text('b') },
      ['e2 gone', '= e1'],
    ],
  ])('%s', (_, wanted, there, ours, plan) => {
    const { slots, ours: now } = alignEntries(wanted, there, ours);
    const moves = slots.map(
      ({ before, after }) => `${before?.id ?? 'new'} ${after === null ? 'gone' : String(after.value?.en)}`,
    );
    expect([...moves, ...Object.keys(now).map((id) => `= ${id}`)].toSorted()).toEqual(plan.toSorted());
  });

  it('are remembered by their ids while they are there; other fields are left as they are', () => {
    const remember = (more: object) =>
      rememberEntries({ entity: 'projects', desired: {}, observed: {}, written: { tags: 'x' }, base: null, ...more });
    const there = [
      { id: 'e1', value: { en: 'a' } },
      { id: 'e2', value: { en: 'b' } },
    ];
    const desired = { project_challenges: [{ value: { en: 'a' } }], project_name: { en: 'Dam' } };
    const observed = { project_challenges: there, project_name: { en: 'Dam' } };
    expect(remember({ desired, observed })).toEqual({ tags: 'x', project_challenges: { e1: { value: { en: 'a' } } } });
    const written = { project_challenges: { e2: { value: { en: 'old' } }, e9: { value: { en: 'gone' } } } };
    expect(remember({ desired, observed, written })).toEqual({
      project_challenges: { e2: { value: { en: 'old' } }, e1: { value: { en: 'a' } } },
    });
    expect(remember({ desired, observed: { project_name: { en: 'Dam' } } })).toEqual({ tags: 'x' });
  });

  it('the last language is sent blank, for one is required', () => {
    const only = { id: 'e1', value: { en: 'a' } };
    expect(alignEntries([{ value: {}, label: { en: 'l' } }], [only], { e1: text('a') }).slots).toEqual([
      { before: only, after: { value: { en: '' }, label: { en: 'l' } } },
    ]);
  });

  it.each<readonly [what: string, slot: EntryChange, there: readonly Entry[], done: boolean]>([
    ['made', { before: null, after: text('a') }, [entry('e9', 'a')], true],
    ['made, and not there', { before: null, after: text('a') }, [entry('e9', 'b')], false],
    ['rewritten', { before: entry('e1', 'a'), after: text('b') }, [entry('e9', 'x'), entry('e1', 'b')], true],
    [
      'rewritten, but only another one says so',
      { before: entry('e1', 'a'), after: text('b') },
      [entry('e1', 'a'), entry('e9', 'b')],
      false,
    ],
    ['taken off', { before: entry('e1', 'a'), after: null }, [entry('e9', 'a')], true],
    [
      'taken off, and still there',
      { before: entry('e1', 'a'), after: null },
      [entry('e9', 'a'), entry('e1', 'a')],
      false,
    ],
    [
      'a language that was left out is still there',
      { before: { id: 'e1', value: { en: 'a', no: 'b' } }, after: text('a') },
      [{ id: 'e1', value: { en: 'a', no: 'b' } }],
      false,
    ],
    [
      'a language that was left out is blank',
      { before: { id: 'e1', value: { en: 'a', no: 'b' } }, after: text('a') },
      [{ id: 'e1', value: { en: 'a', no: ' ' } }],
      true,
    ],
  ])('%s', (_what, slot, there, done) => {
    expect(areSlotsDone([slot], there)).toBe(done);
  });

  it('all slots must be done', () => {
    const there = [entry('e1', 'a')];
    const [done, open] = [text('a'), text('b')].map((after) => ({ before: null, after }));
    expect(
      areSlotsDone(
        [done, open].flatMap((slot) => slot ?? []),
        there,
      ),
    ).toBe(false);
  });

  it('those that we wrote are remembered by id, while they are there', () => {
    const name = 'project_challenges';
    const sides = (desired: Json, observed: Json | undefined, written: Json) =>
      rememberEntries({
        entity: 'projects',
        desired: { [name]: desired },
        observed: observed === undefined ? {} : { [name]: observed },
        written: { [name]: written, telephone: '1' },
        base: null,
      });
    const there = [entry('e1', 'a'), entry('e2', 'theirs')] as unknown as Json;
    expect(sides([text('a')] as unknown as Json, there, {})).toEqual({ [name]: { e1: text('a') }, telephone: '1' });
    // One of ours that is gone is forgotten; one that would be taken off is kept until it is.
    const older = { e1: text('a'), e7: text('gone') } as unknown as Json;
    expect(sides([], there, older)).toEqual({ [name]: { e1: text('a') }, telephone: '1' });
    expect(sides([text('a')] as unknown as Json, undefined, older)).toEqual({ [name]: older, telephone: '1' });
  });

  it('of a base without ids, those are ours that say its texts', () => {
    const there = [entry('e1', 'a'), entry('e2', 'b')];
    expect(readOurs(undefined, [text('b')] as unknown as Json, there)).toEqual({ e2: text('b') });
    expect(readOurs({ e9: text('x') } as unknown as Json, [text('b')] as unknown as Json, there)).toEqual({
      e9: text('x'),
    });
  });
});
