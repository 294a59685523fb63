import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { findFieldFault, isSameCustomField } from '../../../src/reconcile/fields/custom-fields.js';

describe('comparing a custom field', () => {
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
    [null, { value: 0 }, false],
    [null, { from: '2026-01' }, false],
    // Attributes that the service keeps for a removed value do not count.
    [null, { sensitivity: 'anonymized' }, true],
    [null, { value: null, sensitivity: 'anonymized', anonymized: { en: 'some' } }, true],
    [null, { amount: '', unit: 'm2', currency: 'nok' }, true],
    [{ amount: null, currency: null }, { currency: 'nok', sensitivity: 'anonymized' }, true],
    [{ value: null, sensitivity: 'anonymized' }, null, true],
    [{ value: null }, { value: 1 }, false],
    [{ value: 1, sensitivity: null }, { value: 1, sensitivity: 'anonymized' }, false],
    [{ sensitivity: 'anonymized' }, { value: 1 }, false],
    // Only the named parts count.
    [{ amount: 10 }, { amount: '10.00', currency: 'nok' }, true],
    [{ amount: 10, currency: 'sek' }, { amount: '10.00', currency: 'nok' }, false],
    [{ value: 1, anonymized: { en: 'some' } }, { value: 1, anonymized: { en: 'some', no: 'noe' } }, true],
    [{ value: 1, anonymized: { en: 'some' } }, { value: 1 }, false],
  ])('compares %j with %j: %s', (want, have, same) => {
    expect(isSameCustomField(want, have)).toBe(same);
  });
});

describe('a value that would make the service reject the request', () => {
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
  ])('is found: %s: %j', (name, value, reason) => {
    expect(fault(name, value)).toBe(reason);
  });

  it('is reported with the right mapping for one part or several', () => {
    const remedy = (name: string) => findFieldFault(name, { other: 1 }, defined)?.remedy;
    expect(remedy('people')).toBe('Map it as `people: record.x`.');
    expect(remedy('sum')).toBe('Map it as `sum: { amount: record.amount, currency: record.currency }`.');
  });

  it('is unknown without definitions, and is any value if the account has no custom fields', () => {
    expect(findFieldFault('people', 'many', null)).toBeNull();
    expect(findFieldFault('people', 1, {})?.reason).toContain('it has none');
    // A method name of every object is not a custom field.
    expect(findFieldFault('toString', 1, {})?.reason).toContain('no custom field "toString"');
    expect(findFieldFault('people', 'many', { people: 'of a kind to come' })).toBeNull();
  });
});
