import { expect, it } from 'vitest';
import { findFreeColumns } from '../../src/mapping/free-columns.js';
import { createScope } from '../../src/mapping/scope.js';

const column = (type: 'string' | 'list' | 'bool' | 'int') => ({
  ...{ type, optional: true, format: null, trueWords: null, separator: ';' },
});
const columns = { role: column('string'), roles: column('list'), chief: column('bool'), grade: column('int') };
const scope = createScope([{ name: 'hr', columns, enriching: false }], 'record', 'Europe/Oslo', {
  ranks: { '1': 'consultant', '2': 'bidmanager' },
});

it.each<readonly [expression: string, free: readonly string[]]>([
  ['["consultant"]', []],
  ['hr.?chief.orValue(false) ? ["consultant", "departmentmanager"] : ["consultant"]', []],
  ['hr.?role.orValue("") == "lead" ? ["consultant", "bidmanager"] : ["consultant"]', []],
  ['"lead" in hr.?roles.orValue([]) ? ["internationalmanager"] : ["consultant"]', []],
  ['has(hr.role) ? ["consultant", "bidmanager"] : ["consultant"]', []],
  ['[maps.ranks[string(hr.?grade.orValue(1))]]', []],
  ['[hr.?role.orValue("consultant")]', ['hr.role']],
  ['["consultant"] + hr.?roles.orValue([])', ['hr.roles']],
  ['hr.?chief.orValue(false) ? [hr.?role.orValue("")] : ["consultant"]', ['hr.role']],
  ['hr.?roles.orValue([]).filter(r, r != "internationalmanager")', ['hr.roles']],
  ['hr.?role.orValue("").split(" ")', ['hr.role']],
])('finds the columns whose cells can become part of `%s`', (expression, free) => {
  expect(findFreeColumns(scope, expression)).toEqual(free);
});
