import { expect, test } from 'vitest';
import { compileExpression } from '../../src/mapping/expression.js';
import { columnOf, openScope } from './evaluate.js';

const surroundings = {
  columns: { x: columnOf('string'), may: columnOf('string?'), list: columnOf('list') },
  maps: { lands: { Østerrike: 'at' }, plain: { Austria: 'at' } },
};

test.each([
  ['lowerAscii', 'ANNA@Example.COM', 'anna@example.com'],
  ['lowerAscii', 'İLKER.IŞIK@X.TR', 'İlker.iŞik@x.tr'],
  ['lowerAscii', 'OPPHØRT', 'opphØrt'],
  ['upperAscii', 'opphørt ß', 'OPPHøRT ß'],
  ['lower', 'OPPHØRT', 'opphørt'],
  ['lower', 'İSTİFA', 'istifa'],
  ['lower', 'УВОЛЕН', 'уволен'],
  ['upper', 'opphørt', 'OPPHØRT'],
])('%s turns %s into %s', (name, text, expected) => {
  const scope = openScope(surroundings);
  const { expression } = compileExpression(scope, `record.x.${name}()`, 'text');
  scope.show('hr', { x: text });
  expect(expression?.run()).toBe(expected);
});

test.each([
  'record.x.lowerAscii() == "opphørt"',
  '"opphørt" == record.x.lowerAscii()',
  'record.x.lowerAscii().trim() != "opphørt"',
  'record.x.lowerAscii() in ["slutt", "opphørt"]',
  '"opphørt" in record.list.map(v, v.lowerAscii())',
  'record.x.upperAscii() == "OPPHØRT"',
  'record.x.lowerAscii().contains("ø")',
  'record.x.lowerAscii().startsWith("ø")',
  'record.x.lowerAscii().matches("^opphørt")',
  'record.x.lowerAscii().replace("ø", "o") == "x"',
  'record.?may.optMap(v, v.lowerAscii()).orValue("") == "opphørt"',
  'record.?may.orValue("").lowerAscii() == "уволен"',
  'maps.lands[record.x.lowerAscii()] == "at"',
  '"OPPHØRT".lowerAscii() == "opphørt"',
  '["slutt", "opphørt"].exists(word, record.status.lowerAscii() == word)',
])('rejects %s and names the function for words', (text) => {
  const { findings } = compileExpression(openScope(surroundings), text, 'bool');
  expect(findings[0]?.message).toMatch(/^`(lower|upper)Ascii` changes only the letters A to Z/);
  expect(findings[0]?.remedy).toMatch(/^Write `(lower|upper)\(\)`/);
});

test.each([
  'record.x.lowerAscii() == "left"',
  'record.x.lower() == "opphørt"',
  'record.x.lower() in ["slutt", "opphørt"]',
  'record.x.replace("Ø", "o").lowerAscii() == "x"',
  'record.x.lowerAscii() == "left" || record.x == "opphørt"',
  'lookup(maps.lands, record.x.lowerAscii(), "") == "at"',
  'maps.plain[record.x.lowerAscii()] == "at"',
  'record.x.lowerAscii() == "1–2"',
])('accepts %s', (text) => {
  expect(compileExpression(openScope(surroundings), text, 'bool').findings).toEqual([]);
});
