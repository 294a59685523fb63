import type { Yaml } from '../../scenarios/company.js';
import { createRandom } from '../random.js';
import { draw, OFFICE_HOURS, YEAR } from './company-year.js';

/** A company or deal of the CRM, with its contents from then on. */
export interface CrmEvent {
  readonly atMs: number;
  readonly of: 'companies' | 'deals';
  readonly row: { readonly id: string; readonly [key: string]: Yaml };
}

const STAGES = ['draft', 'ready_for_review', 'live'] as const;
/** The shares affected in a month. */
const USUAL = { newCompanies: 0.015, changedCompanies: 0.02, newDeals: 0.04, changedDeals: 0.1 } as const;

/** Customers and projects in ordinary numbers: fewer per person in a larger company. */
export function createCrmYear(people: number, seed: number): readonly CrmEvent[] {
  const random = createRandom(seed * 1000 + people + 7);
  const companies: string[] = [];
  const deals: string[] = [];
  const events: CrmEvent[] = [];
  const addCompany = (atMs: number): void => {
    const id = `K${companies.push('') + 100}`;
    companies[companies.length - 1] = id;
    events.push({
      atMs,
      of: 'companies',
      row: { id, name: `Customer ${id}`, url: `https://${id.toLowerCase()}.example.com` },
    });
  };
  const addDeal = (atMs: number, known = companies.length): void => {
    const id = `D${deals.push('') + 100}`;
    deals[deals.length - 1] = id;
    const row = { id, customer: random.pick(companies.slice(0, known)), name: `Project ${id}`, stage: STAGES[0] };
    events.push({ atMs, of: 'deals', row });
  };
  for (let count = Math.round(2 * people ** 0.5); count > 0; count -= 1) addCompany(0);
  for (let count = Math.round(3 * people ** 0.6); count > 0; count -= 1) addDeal(0);
  const latest = new Map(events.map((event) => [event.row.id, event.row]));
  const change = (id: string, atMs: number, of: CrmEvent['of'], cells: { readonly [key: string]: Yaml }): void => {
    const row = { ...latest.get(id), id, ...cells };
    latest.set(id, row);
    events.push({ atMs, of, row });
  };
  for (let month = 0; month < 12; month += 1) {
    const during = (): number => Date.UTC(YEAR, month, 1 + random.below(28), random.pick(OFFICE_HOURS));
    for (let count = draw(random, companies.length * USUAL.changedCompanies); count > 0; count -= 1) {
      const id = random.pick(companies);
      change(id, during(), 'companies', { url: `https://${id.toLowerCase()}.example.com/${month}` });
    }
    for (let count = draw(random, deals.length * USUAL.changedDeals); count > 0; count -= 1)
      change(random.pick(deals), during(), 'deals', { stage: random.pick(STAGES) });
    const known = companies.length;
    for (let count = draw(random, known * USUAL.newCompanies); count > 0; count -= 1) addCompany(during());
    for (let count = draw(random, deals.length * USUAL.newDeals); count > 0; count -= 1) addDeal(during(), known);
    for (const { row } of events) if (!latest.has(row.id)) latest.set(row.id, row);
  }
  return events.toSorted((a, b) => a.atMs - b.atMs);
}
