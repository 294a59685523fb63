import { describe, expect, test } from 'vitest';
import type { Json, Values } from '../../../src/model/json.js';
import {
  alignEntries,
  areSlotsDone,
  type Entry,
  type EntryText,
  readEntries,
  readOurs,
  readSlots,
  readTexts,
  rememberEntries,
} from '../../../src/reconcile/fields/entries.js';

const en = (value: string): EntryText => ({ value: { en: value } });
const entry = (id: string, value: Values, label?: Values): Entry => ({ id, value, ...(label && { label }) });
const at = (id: string, value: string): Entry => entry(id, { en: value });

interface Row {
  readonly wanted: readonly EntryText[];
  readonly there: readonly Entry[];
  readonly ours?: Readonly<Record<string, EntryText>>;
  /** Id of the entry, or null → the text sent, or null. */
  readonly slots: readonly (readonly [string | null, Partial<EntryText> | null])[];
  /** The ids that are ours from now on, in the wanted order. */
  readonly after: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'keeps an entry that already says it': { wanted: [en('a')], there: [at('1', 'a')], slots: [], after: ['1'] },
  'keeps an entry that differs only in blanks and letter forms': {
    ...{ wanted: [en('é')], there: [at('1', ' e\u0301 ')], slots: [], after: ['1'] },
  },
  'keeps an entry that also has a language of others': {
    ...{ wanted: [en('a')], there: [entry('1', { en: 'a', no: 'b' })], slots: [], after: ['1'] },
  },
  'keeps ours if two entries say it': {
    ...{ wanted: [en('a')], there: [at('1', 'a'), at('2', 'a')], ours: { 2: en('a') }, slots: [], after: ['2'] },
  },
  'rewrites an entry that we wrote for this text and others changed': {
    ...{ wanted: [en('a')], there: [at('1', 'x')], ours: { 1: en('a') }, slots: [['1', en('a')]], after: ['1'] },
  },
  'rewrites the one of two that we wrote for this text, and removes the other': {
    wanted: [en('b')],
    there: [at('1', 'x'), at('2', 'y')],
    ours: { 1: en('a'), 2: en('b') },
    slots: [
      ['2', en('b')],
      ['1', null],
    ],
    after: ['2'],
  },
  'does not use an entry that we wrote for more than this text': {
    wanted: [en('b'), { value: { en: 'b', no: 'c' } }],
    there: [at('1', 'x'), at('2', 'y')],
    ours: { 1: { value: { en: 'b', no: 'c' } }, 2: en('b') },
    slots: [
      ['2', en('b')],
      ['1', { value: { en: 'b', no: 'c' } }],
    ],
    after: ['2', '1'],
  },
  'reuses in order the entries of texts that are no longer wanted': {
    wanted: [en('c'), en('d')],
    there: [at('1', 'a'), at('2', 'b')],
    ours: { 1: en('a'), 2: en('b') },
    slots: [
      ['1', en('c')],
      ['2', en('d')],
    ],
    after: ['1', '2'],
  },
  'uses an entry without any text': {
    wanted: [en('a')],
    there: [entry('1', {})],
    slots: [['1', en('a')]],
    after: ['1'],
  },
  'uses an entry with only blanks': {
    ...{ wanted: [en('a')], there: [entry('1', { en: ' ' }, { no: '' })], slots: [['1', en('a')]], after: ['1'] },
  },
  'does not use an entry with only a label': {
    ...{ wanted: [en('a')], there: [entry('1', {}, { no: 'x' })], slots: [[null, en('a')]], after: [] },
  },
  'does not use an entry with only a text of others': {
    ...{ wanted: [en('a')], there: [entry('1', { no: 'x' }, {})], slots: [[null, en('a')]], after: [] },
  },
  'adds an entry next to those of others': {
    ...{ wanted: [en('a')], there: [at('1', 'x')], slots: [[null, en('a')]], after: [] },
  },
  'removes our unwanted entries and keeps those of others': {
    ...{ wanted: [], there: [at('1', 'a'), at('2', 'b')], ours: { 1: en('a') }, slots: [['1', null]], after: [] },
  },
  'uses one entry per text, even for equal texts': {
    ...{ wanted: [en('a'), en('a')], there: [at('1', 'a')], slots: [[null, en('a')]], after: ['1'] },
  },
  'sends only a label that differs': {
    wanted: [{ value: { en: 'a' }, label: { en: 'l' } }],
    there: [entry('1', { en: 'a' }, { en: 'm', no: 'n' })],
    ours: { 1: { value: { en: 'a' }, label: { en: 'm' } } },
    slots: [['1', { label: { en: 'l', no: 'n' } }]],
    after: ['1'],
  },
  'removes our language that the source lacks, and keeps one of others': {
    wanted: [en('b')],
    there: [entry('1', { en: 'a', no: 'ours', sv: 'theirs' })],
    ours: { 1: { value: { en: 'a', no: 'ours' } } },
    slots: [['1', { value: { en: 'b', sv: 'theirs' } }]],
    after: ['1'],
  },
  'ignores a language of ours that is already gone or blank': {
    wanted: [en('a')],
    there: [entry('1', { en: 'a', no: ' ' })],
    ours: { 1: { value: { en: 'a', no: 'ours', sv: 'ours' } } },
    ...{ slots: [], after: ['1'] },
  },
  'sends the last language blank': {
    wanted: [{ value: {}, label: { en: 'l' } }],
    there: [entry('1', { en: 'a' }, { en: 'l' })],
    ours: { 1: { value: { en: 'a' }, label: { en: 'l' } } },
    slots: [['1', { value: { en: '' } }]],
    after: ['1'],
  },
};

describe('alignEntries', () => {
  test.each(Object.entries(ROWS))('%s', (_, { wanted, there, ours = {}, slots, after }) => {
    const found = alignEntries(wanted, there, ours);
    expect(found.slots.map((slot) => [slot.before?.id ?? null, slot.after])).toEqual(slots);
    expect(Object.keys(found.ours).sort()).toEqual([...after].sort());
    for (const text of Object.values(found.ours)) expect(wanted).toContainEqual(text);
  });
});

describe('entries of a value', () => {
  const mixed: Json = [{ id: '1', value: { en: 'a' } }, { value: { en: 'b' } }, { id: 3, value: {} }, 'c', null];

  test('are those with an id; all others are texts', () => {
    expect(readEntries(mixed)).toEqual([{ id: '1', value: { en: 'a' } }]);
    expect(readTexts(mixed).map(({ value }) => value)).toEqual([{ en: 'a' }, { en: 'b' }, {}]);
    expect(readTexts([{ id: '1' }, { value: 'a' }])).toEqual([{ id: '1', value: {} }, { value: {} }]);
    for (const value of [undefined, null, 'a', { id: '1' }]) expect(readTexts(value)).toEqual([]);
  });

  test('become slots of both sides', () => {
    const before = [null, { id: '2', value: { en: 'b' } }, { id: '3', value: {} }];
    expect(readSlots(before, [en('a'), { label: { en: 'l' } }, null] as unknown as Json)).toEqual([
      { before: null, after: en('a') },
      { before: at('2', 'b'), after: { label: { en: 'l' } } },
      { before: entry('3', {}), after: null },
    ]);
    expect(readSlots(undefined, [en('a')] as unknown as Json)).toEqual([{ before: null, after: en('a') }]);
    expect(readSlots(before, undefined)).toEqual([]);
  });

  test('are ours as written, else those that say what was agreed on', () => {
    const there = [at('1', 'a'), at('2', 'b')];
    expect(readOurs({ 2: { value: { en: 'x' } } }, [{ value: { en: 'a' } }], there)).toEqual({ 2: en('x') });
    expect(readOurs(undefined, [{ value: { en: 'a' } }], there)).toEqual({ 1: en('a') });
    expect(readOurs(null, undefined, there)).toEqual({});
  });
});

describe('areSlotsDone', () => {
  const there = [entry('1', { en: 'a', no: 'b' }, { en: 'l' }), at('2', 'c'), entry('3', { en: 'd', no: ' ' })];
  const rows: Readonly<Record<string, readonly [Entry | null, Partial<EntryText> | null, boolean]>> = {
    'finds a created entry': [null, en('c'), true],
    'does not find a missing entry': [null, en('x'), false],
    'finds an entry that says all of it': [entry('1', { en: 'x' }), { value: { en: 'a', no: 'b' } }, true],
    'does not find a text in another entry': [at('2', 'c'), { value: { en: 'a', no: 'b' } }, false],
    'does not accept a left-out language that still exists': [entry('1', { en: 'a', no: 'b' }), en('a'), false],
    'accepts a left-out language that is gone': [entry('2', { en: 'a', no: 'b' }), en('c'), true],
    'accepts a left-out language that is blank': [entry('3', { en: 'a', no: 'b' }), en('d'), true],
    'ignores a language that others have added since': [entry('1', { en: 'x' }), en('a'), true],
    'ignores a part that was not sent': [entry('1', { no: 'z' }, { en: 'm', sv: 'n' }), { label: { en: 'l' } }, true],
    'accepts a removed entry': [at('4', 'd'), null, true],
    'does not accept an entry that still exists': [at('2', 'c'), null, false],
    'accepts a slot without an entry to remove': [null, null, true],
  };
  test.each(Object.entries(rows))('%s', (_, [before, after, isDone]) => {
    expect(areSlotsDone([{ before, after }], there)).toBe(isDone);
  });

  test('requires every slot to be done', () => {
    const done = { before: null, after: en('c') };
    expect(areSlotsDone([done, { before: null, after: en('x') }], there)).toBe(false);
    expect(areSlotsDone([], [])).toBe(true);
  });
});

describe('the entries that are remembered', () => {
  const sides = { entity: 'projects', written: { tags: { unit: 'a' } }, base: null } as const;
  const wants = (...texts: readonly string[]): Values => ({
    project_challenges: texts.map((text) => ({ value: { en: text } })),
  });
  const shows = (...list: readonly Entry[]): Values => ({ project_challenges: list as unknown as Json });

  test('are those that say what is wanted, and written ones that still exist', () => {
    const written = {
      ...sides.written,
      project_challenges: { 2: { value: { en: 'old' } }, 9: { value: { en: 'gone' } } },
    };
    const observed = shows(at('1', 'a'), at('2', 'old'), at('3', 'theirs'));
    expect(rememberEntries({ ...sides, written, desired: wants('a'), observed })).toEqual({
      ...sides.written,
      project_challenges: { 1: en('a'), 2: en('old') },
    });
  });

  test('keep the written text of one that is to be changed', () => {
    const written = { project_challenges: { 1: { value: { en: 'old' } } } };
    const observed = shows(at('1', 'old'));
    expect(rememberEntries({ ...sides, written, desired: wants('new'), observed })).toEqual(written);
  });

  test('include none of a hidden field or of other fields', () => {
    const desired = { ...wants('a'), project_name: { en: 'P' }, tags: { unit: ['a'] } };
    expect(rememberEntries({ ...sides, desired, observed: { project_name: { en: 'P' } } })).toBe(sides.written);
    expect(rememberEntries({ ...sides, desired, observed: { ...desired, ...shows(at('1', 'a')) } })).toEqual({
      ...sides.written,
      project_challenges: { 1: en('a') },
    });
  });
});
