import { CAST, type DemoPerson } from './people.js';

export const HR_FIRST = 'employees-2026-03-02.csv';
export const HR_SECOND = 'employees-2026-03-09.csv';
/** The two deliveries that went wrong: broken off in a row, and exported with a filter. */
export const HR_TORN = 'employees-2026-03-16.csv';
export const HR_FILTERED = 'employees-2026-03-17.csv';

const HEADER =
  'employee_id;name;email;status;country;office;title;title_local;unit;seniority;country_manager;birth_year;phone';
const BOM = '\ufeff';
const NEWLINE = '\r\n';

/** As HR systems on Windows export: UTF-8 with a byte order mark, semicolons, CRLF, `ja` and `nei` for yes and no. */
export function renderHrFile(people: readonly DemoPerson[]): string {
  return joinRows(people.map(renderRow));
}

/** The second delivery, with what went wrong in it: a bare semicolon in a cell, an address that is none, a row twice. */
export function renderFaultyHrFile(people: readonly DemoPerson[]): string {
  const rows = people.map((person) => {
    if (person.id === CAST.broken.id) return renderRow(person).replace(`;${person.unit};`, `;${person.unit}; nights;`);
    if (person.id === CAST.mistyped.id) return renderRow({ ...person, email: person.email.replace('@', '(at)') });
    return renderRow(person);
  });
  return joinRows([...rows, renderRow({ ...CAST.twice, office: 'Malmö' })]);
}

/** The transfer broke off in the middle of a row. */
export function tearFile(text: string): string {
  return text.slice(0, Math.floor(text.length / 2)).replace(/;[^;\r\n]*\r?\n?$/, '');
}

function joinRows(rows: readonly string[]): string {
  return `${BOM}${[HEADER, ...rows].join(NEWLINE)}${NEWLINE}`;
}

function renderRow(person: DemoPerson): string {
  const { id, name, email, status, country, office, title, titleLocal, unit, seniority, manager, birthYear, phone } =
    person;
  const cells = [id, name, email, status, country.toUpperCase(), office, title, titleLocal, unit, seniority];
  return [...cells, manager ? 'ja' : 'nei', String(birthYear), phone ?? ''].map(quoteCell).join(';');
}

function quoteCell(cell: string): string {
  return /[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
