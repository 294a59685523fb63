import type { Employee } from '../../sandbox/company/people.js';
import { renderHrRow, writeHrFile } from '../../sandbox/company/source-files.js';
import { CAST } from './people.js';

export const HR_FIRST = 'employees-2026-03-02.csv';
export const HR_SECOND = 'employees-2026-03-09.csv';
/** The two deliveries that went wrong: broken off in a row, and exported with a filter. */
export const HR_TORN = 'employees-2026-03-16.csv';
export const HR_FILTERED = 'employees-2026-03-17.csv';

/** What HR delivers after the story, for those who go on: between the second delivery and the filtered one. */
export const HR_NEXT = 'employees-2026-03-12.csv';

export function renderHrFile(people: readonly Employee[]): string {
  return [...writeHrFile(people)].join('');
}

/** The second delivery, with what went wrong in it: a bare semicolon in a cell, an address that is none, a row twice. */
export function renderFaultyHrFile(people: readonly Employee[]): string {
  const delivered = people.map((person) =>
    person.id === CAST.mistyped.id ? { ...person, email: person.email.replace('@', '(at)') } : person,
  );
  const text = renderHrFile([...delivered, { ...CAST.twice, office: 'Malmö' }]);
  const row = renderHrRow(CAST.broken);
  return text.replace(row, row.replace(`;${CAST.broken.unit};`, `;${CAST.broken.unit}; nights;`));
}

/** The transfer broke off in the middle of a row. */
export function tearFile(text: string): string {
  return text.slice(0, Math.floor(text.length / 2)).replace(/;[^;\r\n]*\r?\n?$/, '');
}
