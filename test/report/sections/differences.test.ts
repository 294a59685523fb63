import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { listDifferences } from '../../../src/report/sections/differences.js';

function differences(before: Values, after: Values, entity?: string) {
  const moved = { fields: Object.keys(after), before, after, ...(entity === undefined ? {} : { entity }) };
  return listDifferences(moved).map(({ field, before: old, after: now }) => `${field}: ${old ?? '-'} → ${now ?? '-'}`);
}

describe('listDifferences', () => {
  const cases: readonly (readonly [string, Values, Values, readonly string[]])[] = [
    ['a text', { name: 'A' }, { name: 'B' }, ['name: A → B']],
    ['a number and a boolean', { n: 1, t: false }, { n: 0, t: true }, ['n: 1 → 0', 't: false → true']],
    ['a cleared text', { name: 'A' }, { name: null }, ['name: A → -']],
    [
      'only differing languages that are named',
      { title: { en: 'A', no: 'B', sv: 'C' } },
      { title: { en: 'A', no: 'D' } },
      ['title.no: B → D'],
    ],
    [
      'languages of a new object',
      { title: null },
      { title: { en: 'A', no: 'B' } },
      ['title.en: - → A', 'title.no: - → B'],
    ],
    ['all languages cleared', { title: { en: 'A' } }, { title: null }, ['title.en: A → -']],
    [
      'an office by its name',
      { office: { country: 'se', name: 'Malmö' } },
      { office: { country: 'no', name: 'Oslo' } },
      ['office: se/Malmö → no/Oslo'],
    ],
    ['a list', { roles: ['a'] }, { roles: ['a', 'b'] }, ['roles: a → a, b']],
    [
      'a list of offices',
      { in: [] },
      { in: [{ country: 'no', name: 'Oslo' }, { country: 'se' }] },
      ['in: - → no/Oslo, se'],
    ],
    [
      'entries by their position',
      { entries: [{ en: 'A' }, { en: 'B', no: 'C' }, { en: 'D' }] },
      { entries: [{ en: 'A' }, { en: 'X', no: 'C' }] },
      ['entries[2].en: B → X', 'entries[3].en: D → -'],
    ],
    [
      'custom fields, each part separately',
      { custom_fields: { value: { amount: 1, currency: 'NOK' }, heads: 3 } },
      { custom_fields: { value: { amount: 2, currency: 'NOK' } } },
      ['custom_fields.value.amount: 1 → 2'],
    ],
    [
      'no number that differs only as a text',
      { custom_fields: { value: { amount: '1', sensitivity: 'confidential' } } },
      { custom_fields: { value: { amount: 1, sensitivity: null } } },
      ['custom_fields.value.sensitivity: confidential → -'],
    ],
    ['another kind of space', { name: 'Åse Bø' }, { name: 'Åse\u00a0Bø' }, ['name: Åse Bø → Åse␣Bø']],
    ['additional spaces', { name: 'Åse Bø' }, { name: 'Åse  Bø ' }, ['name: Åse Bø → Åse␣␣Bø␣']],
    ['a zero-width character', { name: 'Åse' }, { name: 'Åse\u200b' }, ['name: Åse → Åse␣']],
    ['odd spaces in another text', { name: 'Åse' }, { name: 'Åse\u00a0Bø' }, ['name: Åse → Åse\u00a0Bø']],
    ['a field without a difference', { name: 'A' }, { name: 'A' }, ['name: A → A']],
  ];
  for (const [what, before, after, expected] of cases) {
    it(what, () => expect(differences(before, after)).toEqual(expected));
  }

  it.each([
    [{ cvs: ['E1', 'E2'] }, { cvs: ['E3'] }, ['cvs: E1, E2 → E1, E2, E3']],
    [{ cvs: null }, { cvs: ['E3'] }, ['cvs: - → E3']],
    [{ cvs: ['E1'] }, { cvs: [] }, ['cvs: E1 → -']],
  ])('keeps the content of a list that only grows: %j %j', (before, after, expected) => {
    expect(differences(before, after, 'proposals')).toEqual(expected);
  });

  it('counts the roles of an experience from the existing ones', () => {
    const roles = differences({ role: [{ en: 'Dev' }] }, { role: [{ en: 'Lead' }] }, 'staffing');
    expect(roles).toEqual(['role[2].en: - → Lead']);
  });
});
