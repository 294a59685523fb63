import type { Company } from './company.js';
import { buildCustomer, nameEngagement } from './customers.js';
import type { Employee } from './people.js';

/* The company's data as its source systems export it. It is written in pieces, because there may be many people. */

const HR_HEADER =
  'employee_id;name;email;status;country;office;title;title_local;unit;seniority;country_manager;birth_year;phone';
const BOM = '\ufeff';
const NEWLINE = '\r\n';

/**
 * Writes an export as HR systems on Windows do: UTF-8 with a byte order mark, semicolons, CRLF, `ja` and `nei` for yes and no.
 */
export function* writeHrFile(people: Iterable<Employee>): IterableIterator<string> {
  yield `${BOM}${HR_HEADER}${NEWLINE}`;
  for (const person of people) yield `${renderHrRow(person)}${NEWLINE}`;
}

export function renderHrRow(person: Employee): string {
  const { id, name, email, status, country, office, title, titleLocal, unit, seniority, manager, birthYear, phone } =
    person;
  const cells = [id, name, email, status, country.toUpperCase(), office, title, titleLocal, unit, seniority];
  return [...cells, manager ? 'ja' : 'nei', String(birthYear), phone ?? ''].map(quoteCell).join(';');
}

function quoteCell(cell: string): string {
  return /[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Writes the companies of a CRM as one JSON document. */
export function* writeCompanies({ plan }: Company): IterableIterator<string> {
  yield `{"total":${plan.customers},"results":[`;
  for (let index = 0; index < plan.customers; index += 1) {
    const { id, name, url } = buildCustomer(index, plan);
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ id, name, website: url })}`;
  }
  yield '\n]}\n';
}

/** Writes the deals of a CRM that become reference projects, one JSON line per deal. */
export function* writeDeals(
  { plan, engagements }: Company,
  count: number,
  listOwners: (index: number) => readonly Employee[],
): IterableIterator<string> {
  for (let index = 0; index < count; index += 1) {
    const engagement = engagements.find(index);
    const { en: name } = nameEngagement(engagement, plan.sayInAll);
    const owners = listOwners(index).map(({ email }) => email);
    const { id, customer, stage } = engagement;
    yield `${JSON.stringify({ id, customer_id: customer.id, name, stage, owners })}\n`;
  }
}
