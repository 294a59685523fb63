import type { FixtureInput } from '../fixture/fixture.js';
import type { Say } from './company-data.js';
import type { CompanyPlan } from './company-plan.js';
import { DOMAIN, type Employee, KINDS } from './people.js';
import { at, createRandom } from './random.js';
import { SKILLS } from './skills.js';

export type CustomerInput = NonNullable<FixtureInput['customers']>[number];
type ProjectInput = NonNullable<CustomerInput['projects']>[number];

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  /** Index in the list of industries in the phrases. */
  readonly industry: number;
  readonly url: string;
}

/** Work for a customer. The first engagements become reference projects; all engagements appear in CVs. */
export interface Engagement {
  readonly index: number;
  /** External id of the reference project. */
  readonly id: string;
  readonly customer: Customer;
  /** Index in the list of works in the phrases, and the number of earlier engagements of this customer with the same work. */
  readonly work: number;
  readonly round: number;
  readonly stage: 'draft' | 'ready_for_review' | 'live';
  /** Months since the year 0; null if the engagement continues. */
  readonly from: number;
  readonly to: number | null;
}

export const INDUSTRIES = ['energy', 'seafood', 'rail', 'insurance', 'health', 'public'] as const;
const TRADES = ['Energy', 'Seafood', 'Rail', 'Insurance', 'Health', 'Region'];
const PLACES = ['Hav', 'Gran', 'Tinde', 'Löv', 'Bränn', 'Eich', 'Möwen', 'Zwölf', 'Sten', 'Elve', 'Høg', 'Birken'];
const ENDS = ['bris', 'skogen', 'vik', 'näset', 'åsen', 'grund', 'ried', 'bach', 'sund', 'dal', 'feld', 'mark', 'holm'];
const MORE = ['', ' Nord', ' Group', ' Partner', ' Sør', ' Invest', ' West', ' Drift'];
/** Has no common factor with the number of places, so that neighbouring customers get different names. */
const STEP = 59;

/** Builds a customer with a unique name. It consists of a place and a trade, plus a suffix once all pairs are used. */
export function buildCustomer(index: number, { countries }: CompanyPlan): Customer {
  const country = at([...countries.keys()], index);
  const industry = index % INDUSTRIES.length;
  const places = PLACES.length * ENDS.length;
  const turn = Math.floor(index / places);
  const place = (index * STEP + turn) % places;
  const round = Math.floor(turn / INDUSTRIES.length);
  const where = `${at(PLACES, place)}${at(ENDS, Math.floor(place / PLACES.length))}`;
  const more = round < MORE.length ? at(MORE, round) : ` ${round}`;
  const legal = INDUSTRIES[industry] === 'public' ? '' : ` ${countries.get(country)?.legal}`;
  return {
    id: `C-${String(index + 1).padStart(3, '0')}`,
    name: `${where} ${at(TRADES, industry)}${more}${legal}`,
    country,
    industry,
    url: `https://customer-${index + 1}.${DOMAIN}`,
  };
}

export function describeIndustry(industry: number, say: Say) {
  return {
    name: say((phrases) => at(phrases.industries, industry)[0]),
    text: say((phrases) => at(phrases.industries, industry)[1]),
  };
}

export function renderCustomer(customer: Customer, projects: readonly ProjectInput[], say: Say): CustomerInput {
  return {
    external_unique_id: customer.id,
    customer_name: { en: customer.name },
    customer_description: describeIndustry(customer.industry, say).text,
    customer_url: customer.url,
    industry: at(INDUSTRIES, customer.industry),
    projects: [...projects],
  };
}

/** Renders a reference project, which is an engagement that colleagues have described. */
export function renderProject(engagement: Engagement, owners: readonly Employee[], plan: CompanyPlan): ProjectInput {
  const { index, work, from, to, customer, stage } = engagement;
  const random = createRandom(plan.seed, KINDS.engagement, index, 1);
  const say = plan.sayFor(customer.country);
  const hours = 400 + 50 * random.below(120);
  return {
    external_unique_id: engagement.id,
    project_name: nameEngagement(engagement, say),
    project_description: say(({ works }) => at(works, work)[1]),
    ...renderPeriod(from, to),
    workflow_stage: stage,
    location_country_code: customer.country,
    extent_amt: String(hours * 140),
    extent_currency: 'eur',
    total_extent_hours: String(hours),
    owners: owners.map(({ email }) => email),
    offices: owners.slice(0, 1).map(({ country, office }) => ({ country, name: office })),
    customer_value_propositions: [{ value: say(({ works }) => at(works, work)[2]) }],
    company_project_skills: [0, 1, 2].map((turn) => ({ tags: { en: at(SKILLS.flat(), work * 5 + turn * 9) } })),
  };
}

export function nameEngagement({ work, round }: Engagement, say: Say) {
  return say(({ works }) => `${at(works, work)[0]}${round === 0 ? '' : ` ${round + 1}`}`);
}

/** Converts months since the year 0 to month and year fields. */
export function renderPeriod(from: number, to: number | null) {
  const split = (month: number | null, name: string): Record<string, string> =>
    month === null
      ? {}
      : { [`month_${name}`]: String((month % 12) + 1), [`year_${name}`]: String(Math.floor(month / 12)) };
  return { ...split(from, 'from'), ...split(to, 'to') };
}
