import { expect, test } from 'vitest';
import { compileExpression } from '../../src/mapping/expression.js';
import { wantOf } from '../../src/mapping/field-steps.js';
import { chooseConvert } from '../../src/mapping/values.js';
import { FIELDS, type Field } from '../../src/model/fields.js';
import { columnOf, openScope } from './evaluate.js';

const COLUMNS = { year: columnOf('int?'), share: columnOf('number'), word: columnOf('string') };

function write(field: Field | undefined, expression: string, value: unknown): unknown {
  if (field === undefined) throw new Error('there is no such field');
  const { findings } = compileExpression(openScope({ columns: COLUMNS }), expression, wantOf(field));
  if (findings.length > 0) return findings[0]?.message;
  return chooseConvert(field)(value, { path: 'x', expression: { text: expression } });
}

test.each([
  ['projects', 'year_from', 'record.?year', 2019n, '2019'],
  ['projects', 'month_to', 'record.?year', 9n, '9'],
  ['educations', 'year_to', 'record.?year', 2006n, '2006'],
  ['projects', 'year_from', 'record.word', '2019', '2019'],
] as const)('%s.%s takes a number from %s and writes it as text', (entity, name, text, value, written) => {
  expect(write(FIELDS[entity][name], text, value)).toBe(written);
});

test('rejects a number for any other text field', () => {
  expect(write(FIELDS.users.telephone, 'record.?year', 22n)).toBe('this yields the type int, but a text is needed');
});
