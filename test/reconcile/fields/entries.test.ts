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
  /** Id of the entry, or null → what is sent, or null. */
  readonly slots: readonly (readonly [string | null, Partial<EntryText> | null])[];
  /** Ids of what is ours from now on, in the order of what is wanted. */
  readonly after: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'one that says it already is kept': { wanted: [en('a')], there: [at('1', 'a')], slots: [], after: ['1'] },
  'one that says it but for blanks and the form of its letters': {
    ...{ wanted: [en('é')], there: [at('1', ' e\u0301 ')], slots: [], after: ['1'] },
  },
  'one that says it beside a language of others': {
    ...{ wanted: [en('a')], there: [entry('1', { en: 'a', no: 'b' })], slots: [], after: ['1'] },
  },
  'of two that say it, the one that is ours': {
    ...{ wanted: [en('a')], there: [at('1', 'a'), at('2', 'a')], ours: { 2: en('a') }, slots: [], after: ['2'] },
  },
  'one that we wrote for this text, changed by others': {
    ...{ wanted: [en('a')], there: [at('1', 'x')], ours: { 1: en('a') }, slots: [['1', en('a')]], after: ['1'] },
  },
  'two that we wrote, one of them for this text': {
    wanted: [en('b')],
    there: [at('1', 'x'), at('2', 'y')],
    ours: { 1: en('a'), 2: en('b') },
    slots: [
      ['2', en('b')],
      ['1', null],
    ],
    after: ['2'],
  },
  'not one that we wrote for more than this text': {
    wanted: [en('b'), { value: { en: 'b', no: 'c' } }],
    there: [at('1', 'x'), at('2', 'y')],
    ours: { 1: { value: { en: 'b', no: 'c' } }, 2: en('b') },
    slots: [
      ['2', en('b')],
      ['1', { value: { en: 'b', no: 'c' } }],
    ],
    after: ['2', '1'],
  },
  'those that we wrote for texts that are wanted no more, in order': {
    wanted: [en('c'), en('d')],
    there: [at('1', 'a'), at('2', 'b')],
    ours: { 1: en('a'), 2: en('b') },
    slots: [
      ['1', en('c')],
      ['2', en('d')],
    ],
    after: ['1', '2'],
  },
  'one without any text': { wanted: [en('a')], there: [entry('1', {})], slots: [['1', en('a')]], after: ['1'] },
  'one with blanks alone': {
    ...{ wanted: [en('a')], there: [entry('1', { en: ' ' }, { no: '' })], slots: [['1', en('a')]], after: ['1'] },
  },
  'not one with a label alone': {
    ...{ wanted: [en('a')], there: [entry('1', {}, { no: 'x' })], slots: [[null, en('a')]], after: [] },
  },
  'not one with a text alone': {
    ...{ wanted: [en('a')], there: [entry('1', { no: 'x' }, {})], slots: [[null, en('a')]], after: [] },
  },
  'a new one, beside those of others': {
    ...{ wanted: [en('a')], there: [at('1', 'x')], slots: [[null, en('a')]], after: [] },
  },
  'what is left over of ours goes, and that of others stays': {
    ...{ wanted: [], there: [at('1', 'a'), at('2', 'b')], ours: { 1: en('a') }, slots: [['1', null]], after: [] },
  },
  'one entry for each, though two are to say the same': {
    ...{ wanted: [en('a'), en('a')], there: [at('1', 'a')], slots: [[null, en('a')]], after: ['1'] },
  },
  'a label that differs goes alone': {
    wanted: [{ value: { en: 'a' }, label: { en: 'l' } }],
    there: [entry('1', { en: 'a' }, { en: 'm', no: 'n' })],
    ours: { 1: { value: { en: 'a' }, label: { en: 'm' } } },
    slots: [['1', { label: { en: 'l', no: 'n' } }]],
    after: ['1'],
  },
  'a language of ours that the source has no more goes, one of others stays': {
    wanted: [en('b')],
    there: [entry('1', { en: 'a', no: 'ours', sv: 'theirs' })],
    ours: { 1: { value: { en: 'a', no: 'ours' } } },
    slots: [['1', { value: { en: 'b', sv: 'theirs' } }]],
    after: ['1'],
  },
  'one of ours that is gone already, or blank, is no change': {
    wanted: [en('a')],
    there: [entry('1', { en: 'a', no: ' ' })],
    ours: { 1: { value: { en: 'a', no: 'ours', sv: 'ours' } } },
    ...{ slots: [], after: ['1'] },
  },
  'the last language is sent blank': {
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

  test('are those with an id; the others are texts', () => {
    expect(readEntries(mixed)).toEqual([{ id: '1', value: { en: 'a' } }]);
    expect(readTexts(mixed).map(({ value }) => value)).toEqual([{ en: 'a' }, { en: 'b' }, {}]);
    expect(readTexts([{ id: '1' }, { value: 'a' }])).toEqual([{ id: '1', value: {} }, { value: {} }]);
    for (const value of [undefined, null, 'a', { id: '1' }]) expect(readTexts(value)).toEqual([]);
  });

  test('are slots, side by side', () => {
    const before = [null, { id: '2', value: { en: 'b' } }, { id: '3', value: {} }];
    expect(readSlots(before, [en('a'), { label: { en: 'l' } }, null] as unknown as Json)).toEqual([
      { before: null, after: en('a') },
      { before: at('2', 'b'), after: { label: { en: 'l' } } },
      { before: entry('3', {}), after: null },
    ]);
    expect(readSlots(undefined, [en('a')] as unknown as Json)).toEqual([{ before: null, after: en('a') }]);
    expect(readSlots(before, undefined)).toEqual([]);
  });

  test('are ours as they were written; else those that say what was agreed on', () => {
    const there = [at('1', 'a'), at('2', 'b')];
    expect(readOurs({ 2: { value: { en: 'x' } } }, [{ value: { en: 'a' } }], there)).toEqual({ 2: en('x') });
    expect(readOurs(undefined, [{ value: { en: 'a' } }], there)).toEqual({ 1: en('a') });
    expect(readOurs(null, undefined, there)).toEqual({});
  });
});

describe('areSlotsDone', () => {
  const there = [entry('1', { en: 'a', no: 'b' }, { en: 'l' }), at('2', 'c'), entry('3', { en: 'd', no: ' ' })];
  const rows: Readonly<Record<string, readonly [Entry | null, Partial<EntryText> | null, boolean]>> = {
    'one is made': [null, en('c'), true],
    'none says it': [null, en('x'), false],
    'it says all of it': [entry('1', { en: 'x' }), { value: { en: 'a', no: 'b' } }, true],
    'another one says it': [at('2', 'c'), { value: { en: 'a', no: 'b' } }, false],
    'a language that was left out is there still': [entry('1', { en: 'a', no: 'b' }), en('a'), false],
    'a language that was left out has gone': [entry('2', { en: 'a', no: 'b' }), en('c'), true],
    'a language that was left out is blank': [entry('3', { en: 'a', no: 'b' }), en('d'), true],
    'a language that others have put in since is no matter': [entry('1', { en: 'x' }), en('a'), true],
    'a part that was not sent is no matter': [
      entry('1', { no: 'z' }, { en: 'm', sv: 'n' }),
      { label: { en: 'l' } },
      true,
    ],
    'it is gone': [at('4', 'd'), null, true],
    'it is there still': [at('2', 'c'), null, false],
    'there was none to take away': [null, null, true],
  };
  test.each(Object.entries(rows))('%s', (_, [before, after, isDone]) => {
    expect(areSlotsDone([{ before, after }], there)).toBe(isDone);
  });

  test('all of them are', () => {
    const done = { before: null, after: en('c') };
    expect(areSlotsDone([done, { before: null, after: en('x') }], there)).toBe(false);
    expect(areSlotsDone([], [])).toBe(true);
  });
});

describe('what is remembered of entries', () => {
  const sides = { entity: 'projects', written: { tags: { unit: 'a' } }, base: null } as const;
  const wants = (...texts: readonly string[]): Values => ({
    project_challenges: texts.map((text) => ({ value: { en: text } })),
  });
  const shows = (...list: readonly Entry[]): Values => ({ project_challenges: list as unknown as Json });

  test('those that say what is wanted, and of those written before what is still there', () => {
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

  test('one that is to be changed is remembered as it was written', () => {
    const written = { project_challenges: { 1: { value: { en: 'old' } } } };
    const observed = shows(at('1', 'old'));
    expect(rememberEntries({ ...sides, written, desired: wants('new'), observed })).toEqual(written);
  });

  test('nothing of a field that is not shown, nor of fields that are no entries', () => {
    const desired = { ...wants('a'), project_name: { en: 'P' }, tags: { unit: ['a'] } };
    expect(rememberEntries({ ...sides, desired, observed: { project_name: { en: 'P' } } })).toBe(sides.written);
    expect(rememberEntries({ ...sides, desired, observed: { ...desired, ...shows(at('1', 'a')) } })).toEqual({
      ...sides.written,
      project_challenges: { 1: en('a') },
    });
  });
});
