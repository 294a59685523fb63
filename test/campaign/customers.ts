import { merge, type Yaml } from '../scenarios/company.js';
import type { CustomerState } from '../scenarios/documents.js';
import type { Story } from '../scenarios/kit.js';
import { MAPPED } from '../scenarios/reference-projects.js';
import { deliverToCrm, describeCrm } from './crm.js';
import type { Cells, Edit, Hand, Tables } from './history.js';
import { countDifferent, type Facts, keepText, listOf, type Part, text, toList } from './part.js';
import type { Random } from './random.js';
import { word } from './words.js';

/**
 * No call lists industries: one is in the configuration, the other is learnt from a project of a customer that has it.
 */
export const INDUSTRIES = [
  { id: '64b000000000000000000001', values: { en: 'Rivers', no: 'Elver' }, external_unique_id: 'IND2' },
  { id: '64b000000000000000000002', values: { en: 'Energy', no: 'Energi' }, external_unique_id: 'IND1' },
];
const [RIVERS, ENERGY] = INDUSTRIES.map(({ values }) => values.en);
/** A customer unknown to the source. */
export const ELDER = {
  customer_name: { en: 'Elder' },
  industry: 'IND1',
  projects: [{ project_name: { en: 'Sawmill' } }],
};
/** This customer always exists, so the first read of everything looks for the industry. */
const HARBOUR: Cells = { name: 'Harbour', industry: 'IND1' };

const VALUES = {
  industry: ['Energy', 'energi', 'IND1', 'rivers'],
  url: ['https://a.example.com', 'https://b.example.com'],
  segment: ['large', 'small', 'large+small'],
  region: ['north', 'south'],
};
const COLUMNS = Object.keys(VALUES) as readonly (keyof typeof VALUES)[];

function edit(random: Random, { companies }: Tables, fresh: () => number): Edit | null {
  const number = fresh();
  const keys = [...companies.keys()];
  const name = `Company ${word(number)}`;
  if (keys.length < 2 || random.chance(0.2)) {
    const cells = Object.fromEntries(
      COLUMNS.map((column) => [column, random.chance(0.5) ? '' : random.pick(VALUES[column])]),
    );
    return { do: 'add', table: 'companies', key: `C${number}`, cells: { ...cells, name } };
  }
  const key = random.pick(keys);
  if (random.chance(0.1)) return { do: 'remove', table: 'companies', key };
  if (random.chance(0.3)) return { do: 'set', table: 'companies', key, cells: { name } };
  const column = random.pick(COLUMNS);
  const value = random.chance(0.2) ? '' : random.pick(VALUES[column]);
  return { do: 'set', table: 'companies', key, cells: { [column]: value } };
}

function hand(random: Random, { companies }: Tables): Hand | null {
  if (companies.size === 0) return null;
  const fields = random.pick<Readonly<Record<string, Yaml>>>([
    { name: 'Renamed by hand' },
    { description: 'By hand' },
    { url: 'https://hand.example.com' },
    { industry: random.pick([null, RIVERS ?? null]) },
  ]);
  return { of: 'customer', key: random.pick([...companies.keys()]), fields };
}

async function doByHand(story: Story, { key, fields }: Hand): Promise<void> {
  const path = '/api/v2/company/cv/customers';
  const found = await story.others('GET', `${path}/find?external_unique_id=${key}`);
  const ml = (name: string): object =>
    fields[name] === undefined ? {} : { [`customer_${name}`]: { en: fields[name] } };
  await story.others('PUT', `${path}/${(found as { readonly id: string }).id}?use_legacy_codes=false`, {
    company_customer: {
      ...ml('name'),
      ...ml('description'),
      ...(fields.industry === undefined ? {} : { industry_id: fields.industry === null ? null : INDUSTRIES[0]?.id }),
      ...(fields.url === undefined ? {} : { customer_url: fields.url }),
    },
  });
}

export const CUSTOMERS: Part = {
  of: 'customer',
  table: 'companies',
  source: 'crm',
  config: (settings) =>
    merge(merge(describeCrm(settings), MAPPED), {
      customers: { industries: { [RIVERS ?? '']: INDUSTRIES[0]?.id ?? '' } },
    }) as { readonly [key: string]: Yaml },
  edit,
  hand,
  doByHand,
  select: (rows) => new Map([['C0', HARBOUR], ...rows]),
  deliver(story, rows) {
    deliverToCrm(
      story,
      'companies',
      [...rows].map(([id, cells]) => ({
        id,
        name: text(cells, 'name'),
        url: text(cells, 'url'),
        segment: toList(cells, 'segment'),
        region: text(cells, 'region'),
        industry: text(cells, 'industry'),
      })),
    );
  },
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [key, cells] of rows) {
        const now = after.get(`customer ${key}`) ?? NEW;
        next.set(`customer ${key}`, {
          ...now,
          name: text(cells, 'name'),
          url: keepText(cells, 'url', now.url),
          industry: nameIndustry(text(cells, 'industry')) ?? now.industry ?? null,
          region: keepTags(toList(cells, 'region'), now.region),
          segment: keepTags(toList(cells, 'segment'), now.segment),
        });
      }
      return next;
    },
  }),
  describe(state) {
    return (state.customers as readonly FullCustomer[]).map((customer) => [
      `customer ${customer.external_unique_id ?? customer.customer_name.en}`,
      {
        name: customer.customer_name.en ?? null,
        description: customer.customer_description.en ?? null,
        url: customer.customer_url,
        industry: customer.industry?.en ?? null,
        segment: tagsOf(customer.tags, 'segment'),
        region: tagsOf(customer.tags, 'hidden'),
      },
    ]);
  },
  countWrites: (before, after) =>
    (before === undefined || countDifferent(before, after, ['name', 'url', 'industry']) > 0 ? 1 : 0) +
    countMoves(listOf(before?.segment), listOf(after?.segment)) +
    countMoves(listOf(before?.region), listOf(after?.region)),
};

const NEW: Facts = { description: null };

/** Maps a word of the source to the English name of the industry. */
function nameIndustry(said: string): string | null {
  if (said === '') return null;
  return said.toLowerCase() === RIVERS?.toLowerCase() ? RIVERS : (ENERGY ?? null);
}

interface FullCustomer extends CustomerState {
  readonly customer_description: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

export function tagsOf(tags: readonly string[], category: string): readonly string[] {
  return tags.flatMap((tag) => (tag.startsWith(`${category}/`) ? [tag.slice(category.length + 1)] : [])).sort();
}

/** Tags that the source does not give stay. */
function keepTags(tags: readonly Yaml[], now: Yaml | undefined): readonly Yaml[] {
  return tags.length > 0 ? tags : listOf(now);
}

/** One write per added or removed tag. */
export function countMoves(had: readonly Yaml[], has: readonly Yaml[]): number {
  return had.filter((one) => !has.includes(one)).length + has.filter((one) => !had.includes(one)).length;
}
