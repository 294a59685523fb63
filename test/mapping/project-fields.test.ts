import { describe, expect, it } from 'vitest';
import type { FieldSource } from '../../src/config/config.js';
import { buildCustomFieldsStep } from '../../src/mapping/custom-fields-step.js';
import { buildEntriesStep } from '../../src/mapping/entries-step.js';
import type { MapResult } from '../../src/mapping/map-result.js';
import { createMapper } from '../../src/mapping/mapper.js';
import type { StepKit } from '../../src/mapping/step-kit.js';
import type { Json } from '../../src/model/json.js';
import type { Cell } from '../../src/model/source.js';
import { loadSample } from '../config/sample.js';
import { TODAY, valuesOf } from './sample.js';

type Cells = Readonly<Record<string, Cell>>;

const TEXT = { type: 'string', optional: true };
const COLUMNS = {
  id: 'string',
  s: TEXT,
  t: TEXT,
  i: { type: 'int', optional: true },
  n: { type: 'number', optional: true },
  d: { type: 'date', optional: true },
  l: { type: 'list', optional: true },
  m: { type: 'map', optional: true },
};
const CUSTOMERS = { from: ['crm'], fields: { customer_name: { en: 'record.id' }, external_unique_id: 'record.id' } };
const PROJECT = { customer: 'record.id', project_name: { en: 'record.id' }, external_unique_id: 'record.id' };

function mapProject(fields: object, cells: Cells): MapResult {
  const config = loadSample(
    JSON.stringify({
      service: { base_url: 'https://acme.example.com', api_key: { env: 'TALENT_API_KEY' } },
      state: './var',
      policy: 'sync',
      timezone: 'Europe/Oslo',
      sources: { crm: { type: 'csv', drop: '.', pattern: '*.csv', key: 'id', columns: COLUMNS } },
      customers: CUSTOMERS,
      projects: { from: ['crm'], fields: { ...PROJECT, ...fields } },
    }),
  );
  const place = { source: 'crm', at: '/drop/projects.csv', line: 3 };
  return createMapper(config, 'projects').map({ key: 'P1', place, cells: { id: 'P1', ...cells } }, {}, TODAY);
}

/**
 * Reads each expression as its own text: `unknown` depends on a source that was not read completely, `none` is empty.
 */
const KIT: StepKit = {
  compile: (path, text) => ({
    path,
    expression: { text, sources: [], reads: [], saysEmpty: true, texts: new Set<string>(), run: () => text },
  }),
  timezone: 'UTC',
  read(leaf, convert) {
    const { text } = leaf.expression;
    if (text === 'unknown') return null;
    return convert(text === 'none' ? undefined : text, { path: leaf.path, expression: leaf.expression });
  },
  emptyValue: () => null,
};

/** @returns the value of the field; undefined leaves it unchanged */
function read(name: string, source: unknown, cells: Cells): Json | undefined {
  return valuesOf(mapProject({ [name]: source }, cells))[name];
}

function reasonOf(name: string, source: unknown, cells: Cells): string {
  const result = mapProject({ [name]: source }, cells);
  if (result.kind !== 'held') throw new Error(JSON.stringify(result));
  return result.hold.reason;
}

describe('a custom field', () => {
  const clear = (value: unknown) => ({ value, when_empty: 'clear' });
  const sum = { amount: 'record.?i', currency: 'record.?s' };
  const period = { from: 'record.?s', to: 'record.?t' };
  const cases: readonly (readonly [string, unknown, Cells, unknown])[] = [
    ['a number', 'record.?i', { i: 12n }, 12],
    ['a fraction', 'record.?n', { n: 1.5 }, 1.5],
    ['an option', 'record.?s', { s: ' green ' }, 'green'],
    ['nothing', 'record.?s', { s: ' ' }, undefined],
    ['nothing, with when_empty: clear', clear('record.?s'), {}, null],
    ['an amount with its currency', sum, { i: 10n, s: 'NOK' }, { amount: 10, currency: 'nok' }],
    ['an amount of digits', { amount: 'record.?s' }, { s: ' 10.5 ' }, { amount: 10.5 }],
    ['an amount of zero', sum, { i: 0n, s: 'nok' }, { amount: 0, currency: 'nok' }],
    ['an amount without a currency', sum, { i: 10n }, { amount: 10 }],
    ['an amount without a currency, with when_empty: clear', clear(sum), { i: 10n }, { amount: 10, currency: null }],
    ['a currency without an amount', sum, { s: 'nok' }, undefined],
    ['a currency without an amount, with when_empty: clear', clear(sum), { s: 'nok' }, null],
    ['a quantity', { amount: 'record.?n', unit: '" m2 "' }, { n: 2.5 }, { amount: 2.5, unit: 'm2' }],
    ['a period', period, { s: '2026-3', t: '2026-12' }, { from: '2026-03', to: '2026-12' }],
    ['a period of days', period, { s: '2026-01-31', t: '2026-02-01T10:00' }, { from: '2026-01', to: '2026-02' }],
    ['a day in the configured zone', { from: 'record.?d' }, { d: new Date('2026-05-31T22:00Z') }, { from: '2026-06' }],
    ['a period without an end', period, { s: '2026-03' }, { from: '2026-03' }],
    [
      'a period without a start, with when_empty: clear',
      clear(period),
      { t: '2026-03' },
      { from: null, to: '2026-03' },
    ],
    ['a period without start and end', period, {}, undefined],
    [
      'a sensitive value',
      { value: 'record.?i', sensitivity: '"Confidential"' },
      { i: 1n },
      { value: 1, sensitivity: 'confidential' },
    ],
    ['a sensitivity without a value', { value: 'record.?i', sensitivity: '"anonymized"' }, {}, undefined],
    ['a sensitive period without start and end', { value: period, sensitivity: '"anonymized"' }, {}, undefined],
    [
      'a sensitive amount',
      { value: sum, sensitivity: '"anonymized"' },
      { i: 1n, s: 'eur' },
      { amount: 1, currency: 'eur', sensitivity: 'anonymized' },
    ],
    [
      'a value with an anonymized text',
      { value: 'record.?i', anonymized: { en: 'record.?s', no: 'record.?t' } },
      { i: 7n, s: 'some' },
      { value: 7, anonymized: { en: 'some' } },
    ],
    ['a value with an empty anonymized text', { value: 'record.?i', anonymized: { en: 'record.?s' } }, { i: 7n }, 7],
  ];
  it.each(cases)('is mapped from %s', (_, source, cells, value) => {
    const fields = read('custom_fields', { size: source }, cells);
    expect(fields).toEqual(value === undefined ? undefined : { size: value });
  });

  it('is left out or cleared separately from the other custom fields', () => {
    const fields = { a: 'record.?i', b: 'record.?s', c: { value: 'record.?s', when_empty: 'clear' } };
    expect(read('custom_fields', fields, { i: 1n })).toEqual({ a: 1, c: null });
  });

  const unknown: readonly (readonly [FieldSource, unknown])[] = [
    [{ a: 'unknown', b: 'x' }, { b: 'x' }],
    [
      { a: 'none', b: 'x' },
      { a: null, b: 'x' },
    ],
    [{ a: { amount: '1', unit: 'unknown' } }, undefined],
    [{ a: { amount: 'none', unit: 'unknown' } }, { a: null }],
    [{ a: { value: 'x', sensitivity: 'unknown' } }, undefined],
    [{ a: { value: 'x', anonymized: { en: 'unknown' } } }, undefined],
    [{ a: { value: 'x', anonymized: { en: 'none' } } }, { a: 'x' }],
  ];
  it.each(unknown)('for %o, leaves out values that depend on an unread source', (source, value) => {
    expect(buildCustomFieldsStep('custom_fields', source, KIT).read()).toEqual(value);
  });

  it('lists each of its expressions, so that all of them are checked', () => {
    const source = { a: { value: { amount: '1', unit: 'm2' }, sensitivity: 'anonymized', anonymized: { en: 'some' } } };
    const { leaves } = buildCustomFieldsStep('custom_fields', { ...source, b: '2' }, KIT);
    expect(leaves.map(({ path }) => path)).toEqual([
      ...['amount', 'unit', 'sensitivity', 'anonymized.en'].map((part) => `custom_fields.a.${part}`),
      'custom_fields.b',
    ]);
  });

  const wrong: readonly (readonly [unknown, Cells, string])[] = [
    [{ amount: 'record.?s' }, { s: 'ten' }, 'custom_fields.size.amount is "ten", expected a number such as 42 or 4.2'],
    [
      { amount: 'record.?i', currency: 'record.?s' },
      { i: 1n, s: 'kroner' },
      'custom_fields.size.currency is "kroner", expected a currency code',
    ],
    [{ from: 'record.?s' }, { s: '2026' }, 'custom_fields.size.from is "2026", expected a month such as 2026-11'],
    [{ from: 'record.?s' }, { s: '2026-13' }, 'custom_fields.size.from is "2026-13", expected a month'],
    [{ to: 'record.?s' }, { s: '2026-00' }, 'custom_fields.size.to is "2026-00", expected a month'],
    [{ to: 'record.?s' }, { s: 'x2026-01' }, 'expected a month'],
    [{ to: 'record.?s' }, { s: '2026-01x' }, 'expected a month'],
    [
      { value: 'record.?i', sensitivity: 'record.?s' },
      { i: 1n, s: 'secret' },
      'custom_fields.size.sensitivity is "secret", expected one of anonymized, confidential',
    ],
  ];
  it.each(wrong)('is held for %o of %o', (source, cells, reason) => {
    expect(reasonOf('custom_fields', { size: source }, cells)).toContain(reason);
  });
});

describe('challenges, solutions and value propositions', () => {
  const en = (text: string) => ({ value: { en: text } });
  const cases: readonly (readonly [string, unknown, Cells, unknown])[] = [
    ['a list of English texts', 'record.?l', { l: ['Slow ', 'Dear'] }, [en('Slow'), en('Dear')]],
    ['one text', 'record.?s', { s: 'Slow' }, [en('Slow')]],
    ['a list with blanks and repeats', 'record.?l', { l: ['Slow', ' ', 'Slow'] }, [en('Slow')]],
    ['nothing', 'record.?l', { l: [] }, undefined],
    ['nothing but blanks', 'record.?l', { l: [' '] }, undefined],
    ['nothing, with when_empty: clear', { value: 'record.?l', when_empty: 'clear' }, {}, null],
    [
      'a map of languages',
      'record.?m.?all',
      { m: { all: [{ en: 'Slow', no: ' Treg ' }] } },
      [{ value: { en: 'Slow', no: 'Treg' } }],
    ],
    ['a language without a text', 'record.?m.?all', { m: { all: [{ en: 'Slow', no: null }] } }, [en('Slow')]],
    [
      'a value and a label',
      'record.?m.?all',
      { m: { all: [{ value: { en: 'Slow' }, label: 'Pace' }] } },
      [{ value: { en: 'Slow' }, label: { en: 'Pace' } }],
    ],
    ['a value without a label', 'record.?m.?all', { m: { all: [{ value: 'Slow' }] } }, [en('Slow')]],
    [
      'a label without a value',
      'record.?m.?all',
      { m: { all: [{ value: null, label: 'Pace' }, 'Slow'] } },
      [en('Slow')],
    ],
    ['a list with an empty item', 'record.?m.?all', { m: { all: [null, 'Slow'] } }, [en('Slow')]],
    [
      'expressions per item',
      [{ en: 'record.?s', no: 'record.?t' }, 'record.?t'],
      { s: 'Slow', t: 'Treg' },
      [{ value: { en: 'Slow', no: 'Treg' } }, en('Treg')],
    ],
    [
      'expressions per item with labels',
      [{ label: { en: '"Pace"' }, value: { en: 'record.?s' } }],
      { s: 'Slow' },
      [{ value: { en: 'Slow' }, label: { en: 'Pace' } }],
    ],
    [
      'expressions per item with labels in one language',
      [{ label: 'record.?t', value: 'record.?s' }],
      { s: 'Slow' },
      [en('Slow')],
    ],
    ['expressions per item with the same value', ['record.?s', 'record.?t'], { s: 'Slow', t: 'Slow' }, [en('Slow')]],
    ['expressions per item without a value', ['record.?s', { label: '"Pace"', value: 'record.?t' }], {}, undefined],
    [
      'expressions per item without a value, with when_empty: clear',
      { value: ['record.?s'], when_empty: 'clear' },
      {},
      null,
    ],
  ];
  it.each(cases)('are mapped from %s', (_, source, cells, value) => {
    expect(read('project_challenges', source, cells)).toEqual(value);
  });

  const unknown: readonly (readonly [FieldSource, unknown])[] = [
    ['unknown', undefined],
    ['none', null],
    [['x', 'unknown'], undefined],
    [['x', { value: 'y', label: 'unknown' }], undefined],
    [['x', 'none'], [{ value: { en: 'x' } }]],
  ];
  it.each(unknown)(
    'for %o, leave out the list if one item is unknown, since a shorter list would delete',
    (source, value) => {
      expect(buildEntriesStep('project_solutions', source, KIT).read()).toEqual(value);
    },
  );

  it('list each of their expressions, so that all of them are checked', () => {
    const pathsOf = (source: FieldSource) => buildEntriesStep('e', source, KIT).leaves.map(({ path }) => path);
    expect(pathsOf('x')).toEqual(['e']);
    expect(pathsOf(['x', { value: 'y', label: { no: 'z' } }])).toEqual(['e[0].en', 'e[1].value.en', 'e[1].label.no']);
  });

  const wrong: readonly (readonly [string, Cells, string])[] = [
    ['record.?m.?all', { m: { all: ['Slow', 5n] } }, 'project_challenges[1].en is 5, expected a text'],
    ['record.?m.?all', { m: { all: [{ value: { en: 5n } }] } }, 'project_challenges[0].value.en is 5, expected a text'],
    [
      'record.?m.?all',
      { m: { all: [{ value: 'x', label: 5n }] } },
      'project_challenges[0].label.en is 5, expected a text',
    ],
    [
      'record.?m.?all',
      { m: { all: [{ text: 'Slow' }] } },
      'project_challenges[0] is "text", expected a language such as en, or value and label',
    ],
    ['record.?m.?all', { m: { all: [['Slow']] } }, 'project_challenges[0].en is a list, expected a text'],
    ['record.?m.?all', { m: { all: [new Date('2026-11-20T00:00Z')] } }, 'project_challenges[0].en is 2026-11-20'],
  ];
  it.each(wrong)('are held for %s of %o', (source, cells, reason) => {
    expect(reasonOf('project_challenges', source, cells)).toContain(reason);
  });
});
