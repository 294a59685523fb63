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
    ['a number and a truth', { n: 1, t: false }, { n: 0, t: true }, ['n: 1 → 0', 't: false → true']],
    ['a text that is cleared', { name: 'A' }, { name: null }, ['name: A → -']],
    [
      'only the languages that differ, and none that is not named',
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
    ['languages that are cleared as a whole', { title: { en: 'A' } }, { title: null }, ['title.en: A → -']],
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
      'entries, each by its place',
      { entries: [{ en: 'A' }, { en: 'B', no: 'C' }, { en: 'D' }] },
      { entries: [{ en: 'A' }, { en: 'X', no: 'C' }] },
      ['entries[2].en: B → X', 'entries[3].en: D → -'],
    ],
    [
      'custom fields down to the amount',
      { custom_fields: { value: { amount: 1, currency: 'NOK' }, heads: 3 } },
      { custom_fields: { value: { amount: 2, currency: 'NOK' } } },
      ['custom_fields.value.amount: 1 → 2'],
    ],
    [
      'no number that is written as a text on one side',
      { custom_fields: { value: { amount: '1', sensitivity: 'confidential' } } },
      { custom_fields: { value: { amount: 1, sensitivity: null } } },
      ['custom_fields.value.sensitivity: confidential → -'],
    ],
    ['a space that is another sign', { name: 'Åse Bø' }, { name: 'Åse\u00a0Bø' }, ['name: Åse Bø → Åse␣Bø']],
    ['spaces that are too many', { name: 'Åse Bø' }, { name: 'Åse  Bø ' }, ['name: Åse Bø → Åse␣␣Bø␣']],
    ['a sign without a width', { name: 'Åse' }, { name: 'Åse\u200b' }, ['name: Åse → Åse␣']],
    ['odd spaces of a text that is another one', { name: 'Åse' }, { name: 'Åse\u00a0Bø' }, ['name: Åse → Åse\u00a0Bø']],
    ['a field without a difference all the same', { name: 'A' }, { name: 'A' }, ['name: A → A']],
  ];
  for (const [what, before, after, expected] of cases) {
    it(what, () => expect(differences(before, after)).toEqual(expected));
  }

  it.each([
    [{ cvs: ['E1', 'E2'] }, { cvs: ['E3'] }, ['cvs: E1, E2 → E1, E2, E3']],
    [{ cvs: null }, { cvs: ['E3'] }, ['cvs: - → E3']],
    [{ cvs: ['E1'] }, { cvs: [] }, ['cvs: E1 → -']],
  ])('what a list that only grows has keeps its place: %j %j', (before, after, expected) => {
    expect(differences(before, after, 'proposals')).toEqual(expected);
  });

  it('so do the roles of an experience', () => {
    const roles = differences({ role: [{ en: 'Dev' }] }, { role: [{ en: 'Lead' }] }, 'staffing');
    expect(roles).toEqual(['role[2].en: - → Lead']);
  });
});
