import { toAscii } from './names.js';
import { CAST, type DemoPerson } from './people.js';
import { createRandom } from './random.js';

export const COMPANIES_FILE = 'companies-2026-03-02.json';
export const DEALS_FILE = 'deals-2026-03-02.ndjson';

const PLACES = ['Havbris', 'Granskogen', 'Tindevik', 'Lövnäset', 'Brännåsen', 'Eichgrund', 'Möwenried', 'Zwölfbach'];
const TRADES = ['Energy', 'Seafood', 'Rail', 'Insurance', 'Health'];
const WORKS: readonly [string, ...string[]] = [
  'Customer portal',
  'Data platform',
  'Move to the cloud',
  'Sign-in for partners',
  'Fleet planning',
  'Sensor network',
  'Claims without paper',
  'Security review',
];
const STAGES: readonly [string, ...string[]] = ['draft', 'ready_for_review', 'live'];
const DEALS_EACH = 3;

/** The CRM's two exports: 40 companies as one JSON document, 120 deals as a line of JSON each. */
export function renderCrmStreams(people: readonly DemoPerson[]): {
  readonly companies: string;
  readonly deals: string;
} {
  const random = createRandom(40);
  const companies = PLACES.flatMap((place) => TRADES.map((trade) => `${place} ${trade}`)).map((name, index) => ({
    id: `C-${String(index + 1).padStart(2, '0')}`,
    name,
    website: `https://${toAscii(name).replaceAll(' ', '-')}.example.com`,
  }));
  const owners = pickOwners(people);
  const deals = companies.flatMap((company, index) =>
    Array.from({ length: DEALS_EACH }, (_, turn) => ({
      id: `P-${String(index * DEALS_EACH + turn + 1).padStart(3, '0')}`,
      customer_id: company.id,
      name: WORKS[(index + turn * 3) % WORKS.length] ?? WORKS[0],
      stage: random.pick(STAGES),
      owners: [...new Set(Array.from({ length: 1 + random.below(2) }, () => random.pick(owners).email))],
    })),
  );
  return {
    companies: `${JSON.stringify({ total: companies.length, results: companies }, null, 1)}\n`,
    deals: deals.map((deal) => `${JSON.stringify(deal)}\n`).join(''),
  };
}

/** People who stay as they are: a new address or a leaver among the owners would be a story of its own. */
function pickOwners(people: readonly DemoPerson[]): readonly [DemoPerson, ...DemoPerson[]] {
  const ids = new Set<string>(Object.values(CAST).map(({ id }) => id));
  const [first = CAST.adopted, ...others] = people.filter(({ id }) => !ids.has(id)).slice(0, 60);
  return [first, ...others];
}
