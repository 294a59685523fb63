import type { Employee } from '../../sandbox/company/people.js';
import { renderHrRow, writeHrFile } from '../../sandbox/company/source-files.js';
import { CAST } from './people.js';

export const HR_FIRST = 'employees-2026-03-02.csv';
export const HR_SECOND = 'employees-2026-03-09.csv';
/** The two faulty deliveries: one truncated in the middle of a row, one exported with a filter. */
export const HR_TORN = 'employees-2026-03-16.csv';
export const HR_FILTERED = 'employees-2026-03-17.csv';

/** A delivery for users who continue after the story. The date is between those of the second and the filtered delivery. */
export const HR_NEXT = 'employees-2026-03-12.csv';

export function renderHrFile(people: readonly Employee[]): string {
  return [...writeHrFile(people)].join('');
}

/** The second delivery with its errors: a bare semicolon in a cell, an invalid e-mail address, and a duplicate row. */
export function renderFaultyHrFile(people: readonly Employee[]): string {
  const delivered = people.map((person) =>
    person.id === CAST.mistyped.id ? { ...person, email: person.email.replace('@', '(at)') } : person,
  );
  const text = renderHrFile([...delivered, { ...CAST.twice, office: 'Malmö' }]);
  const row = renderHrRow(CAST.broken);
  return text.replace(row, row.replace(`;${CAST.broken.unit};`, `;${CAST.broken.unit}; nights;`));
}

/** Truncates the file in the middle of a row, as a broken transfer does. */
export function tearFile(text: string): string {
  return text.slice(0, Math.floor(text.length / 2)).replace(/;[^;\r\n]*\r?\n?$/, '');
}
