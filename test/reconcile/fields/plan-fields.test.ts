import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../src/model/desired.js';
import { ENTITIES, type Entity } from '../../../src/model/entity.js';
import { FIELDS, type Field } from '../../../src/model/fields.js';
import type { Json, Values } from '../../../src/model/json.js';
import { diffValues } from '../../../src/reconcile/fields/diff.js';
import { planFields, takeAllSteps } from '../../../src/reconcile/fields/plan-fields.js';
import { type Pairing, sidesOfPair } from '../../../src/reconcile/fields/record-draft.js';
import { tries } from '../../depth.js';
import { desiredOf, observedOf } from '../../samples.js';
import { createFakePorts, type FakePorts, settingsOf } from '../fake-ports.js';

/** A few words, so that both sides are often equal or nearly equal. */
const word = fc.constantFrom('a', 'A', ' a', 'b', 'ä', 'a\u0308', '', '1', '01');
const words = fc.array(word, { maxLength: 2 });
const part = fc.constantFrom('en', 'no');
const orNull = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.option(value, { nil: null, freq: 8 });
const parts = (value: fc.Arbitrary<Json>) => fc.dictionary(part, orNull(value), { maxKeys: 2 }) as fc.Arbitrary<Json>;
const office = fc.record({ country: word, name: word }, { requiredKeys: [] }) as fc.Arbitrary<Json>;
const entry = fc.record({ id: word, value: parts(word) }) as fc.Arbitrary<Json>;

const VALUES: Readonly<Record<Field['shape'], fc.Arbitrary<Json>>> = {
  text: word,
  integer: fc.constantFrom(1, 2, '1'),
  flag: fc.boolean(),
  multilingual: parts(word),
  office,
  offices: fc.array(office, { maxLength: 2 }),
  names: words,
  tags: parts(word),
  tag_sets: parts(words),
  reference: word,
  references: words,
  industry: word,
  roles: fc.array(parts(word), { maxLength: 2 }),
  entries: fc.array(entry, { maxLength: 2 }),
  custom_fields: parts(fc.oneof(word, fc.record({ amount: word }) as fc.Arbitrary<Json>)),
};

function arbitraryValues(entity: Entity): fc.Arbitrary<Values> {
  const fields = Object.entries(FIELDS[entity]).map(([name, { shape }]) => [name, orNull(VALUES[shape])] as const);
  const values = fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true });
  return values.map((made) => JSON.parse(JSON.stringify(made)) as Values);
}

/** A pair whose sides are mostly equal, like the pairs of most runs. */
const pairs = fc.constantFrom(...ENTITIES).chain((entity) => {
  const values = arbitraryValues(entity);
  return fc.record({
    entity: fc.constant(entity),
    desired: values,
    edits: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: values }),
    base: fc.option(values),
    written: fc.option(values),
    action: fc.constantFrom('update' as const, 'update' as const, 'reactivate' as const),
    pin: fc.constantFrom(null, null, 'name', 'email'),
    conflicts: fc.constantFrom('owner' as const, 'hold' as const),
    drift: fc.constantFrom('correct' as const, 'report' as const),
  });
});

type Sample = typeof pairs extends fc.Arbitrary<infer T> ? T : never;

function pairOf({ entity, desired, edits, base, written, action }: Sample): Pairing {
  const candidate: Candidate = {
    desired: desiredOf('E1', desired, { entity }),
    desiredHash: 'd',
    linkedId: 'u1',
    sourceUnchanged: false,
    base,
    written,
  };
  const observed = observedOf('u1', { ...desired, ...edits }, { entity });
  return { candidate, observed, action, adoptedBy: null, relink: null };
}

function outcomeOf(ports: FakePorts) {
  const { holds, agreedKeys, unpinned } = ports;
  return { holds, agreedKeys, unpinned, changes: ports.changes() };
}

describe('planFields', () => {
  it('gives the same result for an equal pair as all steps together', () => {
    let equal = 0;
    fc.assert(
      fc.property(pairs, (sample) => {
        const { entity, conflicts, drift, pin } = sample;
        const pins = pin === null ? [] : [{ path: pin, value: 'undone', mapping: 'm' }];
        const world = { pins: { [`${entity}:E1`]: pins } };
        const [short, long] = [createFakePorts(world), createFakePorts(world)];
        const [pair, settings] = [pairOf(sample), settingsOf({ entity, conflicts, drift })];
        planFields(pair, settings, short);
        takeAllSteps(pair, diffValues(sidesOfPair(pair, settings, long)), settings, long);
        expect(outcomeOf(short)).toEqual(outcomeOf(long));
        equal += short.agreedKeys.length;
      }),
      { numRuns: 1_000, seed: 16 },
    );
    expect(equal).toBeGreaterThan(250);
  });
});

describe('diffValues', () => {
  /** Equal by every rule, but not letter by letter. */
  function blur(value: Json, { shape }: Field): Json {
    if (typeof value === 'string') return shape === 'text' ? blurText(value) : value;
    if (typeof value !== 'object' || value === null || (shape !== 'multilingual' && shape !== 'office')) return value;
    return Object.fromEntries(
      Object.entries(value as Values).map(([name, item]) => [name, typeof item === 'string' ? blurText(item) : item]),
    );
  }

  function blurText(text: string): string {
    return text === '' ? text : `${text} `;
  }

  it('finds the same fields for values that are equal only by the rules', () => {
    const samples = fc
      .constantFrom(...ENTITIES)
      .chain((entity) => fc.tuple(fc.constant(entity), arbitraryValues(entity), arbitraryValues(entity)));
    fc.assert(
      fc.property(samples, ([entity, desired, edits]) => {
        const observed: Values = { ...desired, ...edits };
        const blurred = Object.fromEntries(
          Object.entries(observed).map(([name, value]) => [name, blur(value, FIELDS[entity][name] as Field)]),
        );
        const fieldsOf = (shown: Values) =>
          diffValues({ entity, desired, observed: shown, written: null, rules: {} }).fields;
        expect(fieldsOf(observed)).toEqual(fieldsOf(blurred));
      }),
      { numRuns: tries(1_000), seed: 16 },
    );
  });
});
