import { ACCOUNT, CRM, merge, person, type Yaml } from './company.js';
import type { ProjectState } from './documents.js';
import { openStory, type Story } from './kit.js';

const CUSTOMERS = '/api/v2/company/cv/customers';
const PROJECT = `${CUSTOMERS}/:customer_id/projects/:project_id`;
export const CREATE_CUSTOMER = `POST ${CUSTOMERS}`;
export const UPDATE_CUSTOMER = `PUT ${CUSTOMERS}/:customer_id`;
export const TAG_CUSTOMER = `POST ${CUSTOMERS}/:customer_id/custom_tags`;
export const UNTAG_CUSTOMER = `DELETE ${CUSTOMERS}/:customer_id/custom_tags/:tag_id`;
export const CREATE_PROJECT = `POST ${CUSTOMERS}/:customer_id/projects`;
export const UPDATE_PROJECT = `PUT ${PROJECT}`;
export const OWNERS = `PUT ${PROJECT}/project_owners/sync_by_email`;
export const TAG_PROJECT = `POST ${PROJECT}/custom_tags`;
export const UNTAG_PROJECT = `DELETE ${PROJECT}/custom_tags/:tag_id`;
export const ADD = (kind: string): string => `POST ${PROJECT}/${kind}`;
export const FILL = (kind: string): string => `PUT ${PROJECT}/${kind}/:entry_id`;
export const DROP = (kind: string): string => `DELETE ${PROJECT}/${kind}/:entry_id`;
/** `searchProjects` is a POST that only reads. */
export const SEARCH = 'POST /api/v4/references/search';

const optional = (type: string): Yaml => ({ type, optional: true });

/** The project data of the CRM and its mapping: every kind of field. */
export const MAPPED: { readonly [key: string]: Yaml } = {
  sources: {
    crm: {
      streams: {
        companies: { columns: { segment: optional('list'), region: optional('string'), industry: optional('string') } },
        deals: {
          columns: {
            text: optional('string'),
            text_no: optional('string'),
            problems: optional('list'),
            answers: optional('list'),
            heads: optional('int'),
            value: optional('int'),
            currency: optional('string'),
            area: optional('number'),
            start: optional('date'),
            end: optional('string'),
            model: optional('string'),
            sector: optional('list'),
            hours: optional('string'),
            extra: optional('string'),
          },
        },
      },
    },
  },
  customers: {
    fields: { tags: { segment: 'record.?segment', hidden: 'record.?region' }, industry: 'record.?industry' },
  },
  projects: {
    fields: {
      project_description: { en: 'record.?text', no: 'record.?text_no' },
      extent_hours_new: 'record.?hours',
      project_challenges: { value: 'record.?problems', when_empty: 'clear' },
      project_solutions: 'record.?answers',
      customer_value_propositions: [{ label: { en: '"Short"' }, value: { en: 'record.?text', no: 'record.?text_no' } }],
      custom_fields: {
        heads: 'record.?heads',
        worth: { value: { amount: 'record.?value', currency: 'record.?currency' }, when_empty: 'clear' },
        size: { amount: 'record.?area', unit: '"m2"' },
        period: { from: 'record.?start', to: 'record.?end' },
        model: { value: 'record.?model', when_empty: 'clear' },
      },
      tags: { sector: 'record.?sector' },
    },
  },
};

const option = (name: string) => ({ external_unique_id: name, name: { en: name } });

/** An account with five custom fields, an industry, and tags in three categories, one of which appears nowhere. */
export const RICH = {
  industries: [{ values: { en: 'Energy', no: 'Energi' }, external_unique_id: 'IND1' }],
  custom_fields: [
    { field_name: 'heads', field_type: 'numeric' as const },
    { field_name: 'worth', field_type: 'currency_amount' as const },
    { field_name: 'size', field_type: 'quantity' as const },
    { field_name: 'period', field_type: 'year_month_range' as const },
    { field_name: 'model', field_type: 'single_select' as const, options: [option('fixed'), option('hourly')] },
  ],
  tag_categories: [
    ...(ACCOUNT.tag_categories ?? []),
    category('segment', ['large', 'small'], { can_be_used_for_customers: true }),
    category('hidden', ['north', 'south'], {}),
    category('sector', ['power', 'water', 'roads'], { can_be_used_for_references: true }),
  ],
};

function category(name: string, tags: readonly string[], flags: object) {
  const custom_tags = tags.map((tag) => ({ values: { en: tag }, external_unique_id: tag }));
  return { values: { en: name }, external_unique_id: name, ...flags, custom_tags };
}

export const FJORD = { id: 'C1', name: 'Fjord Power' };
export const DAM = {
  id: 'P1',
  customer: 'C1',
  name: 'Dam',
  stage: 'live',
  owners: ['e1@example.com'],
  text: 'A dam',
  text_no: 'En demning',
  problems: ['Noise', 'Rock'],
  answers: ['Walls'],
  heads: 42,
  value: 1000,
  currency: 'NOK',
  area: 12.5,
  start: '2025-03-10',
  end: '2026-11',
  model: 'fixed',
  sector: ['power', 'water'],
  hours: '42',
};
/** One project, three texts (two of them additional entries), owners, two tags. */
export const DAM_WRITES = [
  CREATE_PROJECT,
  FILL('project_challenges'),
  ADD('project_challenges'),
  FILL('project_solutions'),
  FILL('customer_value_propositions'),
  OWNERS,
  TAG_PROJECT,
  TAG_PROJECT,
];

export async function openRich(content: Parameters<typeof openStory>[0] = {}): Promise<Story> {
  const story = await openStory({ ...RICH, ...content });
  story.configure(merge(CRM, MAPPED) as { readonly [key: string]: Yaml });
  story.deliver([person('E1'), person('E2')]);
  story.deliverCompanies([FJORD]);
  story.deliverDeals([]);
  await story.sync();
  story.takeWrites();
  return story;
}

/** The account with the project `dam`, as in the CRM. */
export async function openDam(content: Parameters<typeof openStory>[0] = {}): Promise<Story> {
  const story = await openRich(content);
  story.deliverDeals([DAM]);
  await story.sync();
  story.takeWrites();
  return story;
}

/** A project as the sandbox shows it. */
export type Dam = ProjectState & Readonly<Record<string, unknown>>;

export function damOf(story: Story): Dam {
  const [dam] = story.customers().flatMap(({ projects }) => projects);
  if (dam === undefined) throw new Error('there is no project');
  return dam as Dam;
}

/** Texts of one kind of entry, in English. */
export function textsOf(story: Story, kind: string): readonly (string | undefined)[] {
  const entries = damOf(story)[kind] as readonly { readonly value: Readonly<Record<string, string>> }[];
  return entries.map(({ value }) => value.en);
}

/** The path of the project in calls by others. */
export async function pathOf(story: Story): Promise<string> {
  const found = (await story.others('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1')) as {
    readonly id: string;
    readonly company_customer_id: string;
  };
  return `${CUSTOMERS}/${found.company_customer_id}/projects/${found.id}`;
}
