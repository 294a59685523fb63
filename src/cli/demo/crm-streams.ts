import { writeCompanies, writeDeals } from '../../sandbox/company/source-files.js';
import { buildDemoCompany, isExtra } from './people.js';

export const COMPANIES_FILE = 'companies-2026-03-02.json';
export const DEALS_FILE = 'deals-2026-03-02.ndjson';

/** The CRM's two exports: 40 companies as one JSON document, and 120 deals as JSON lines. */
export function renderCrmStreams(): { readonly companies: string; readonly deals: string } {
  const company = buildDemoCompany();
  const deals = writeDeals(company, company.plan.projects, (index) =>
    company.engagements.listOwners(index).filter(isExtra),
  );
  return { companies: [...writeCompanies(company)].join(''), deals: [...deals].join('') };
}
