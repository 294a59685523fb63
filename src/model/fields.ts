import type { SourcedEntity } from './entity.js';

/**
 * What a field's value looks like in the model and how two values are compared:
 * `text`, `integer` plain · `multilingual` `{ en: 'x' }`, only the languages named are managed · `office` `{ country, name }` ·
 * `offices` a set of those · `names` a set of strings · `tags` `{ category: tag }` by external ids, only the categories named are managed ·
 * `customer` the customer's external id.
 */
export type FieldShape = 'text' | 'integer' | 'multilingual' | 'office' | 'offices' | 'names' | 'tags' | 'customer';

export interface Field {
  readonly shape: FieldShape;
  /** Unique in the account, deactivated users included (spec, User; Create rules). */
  readonly unique?: true;
  /** A record without it cannot be created. */
  readonly required?: true;
  /** The service takes it on create only (spec, Project rules 3). */
  readonly createOnly?: true;
  /** The service never shows it in the reads of a run: the last written value (base) stands for it. */
  readonly unreadable?: true;
  /** May be used as a correlation key. */
  readonly matchable?: true;
  /** `folded`: compared without case · `number`: `42` and `42.0`, `9` and `09` are the same (spec, Conventions 6; Custom fields). */
  readonly comparedAs?: 'folded' | 'number';
  /** Allowed words, where the service has a closed list. */
  readonly oneOf?: readonly string[];
}

export const BASE_ROLES = ['consultant', 'external', 'limited_access', 'internationalmanager'] as const;
export const EXTRA_ROLES = ['referencemanager', 'countrymanager', 'departmentmanager', 'bidmanager'] as const;
export const WORKFLOW_STAGES = ['draft', 'ready_for_review', 'live'] as const;

const text = { shape: 'text' } as const;
const number = { shape: 'text', comparedAs: 'number' } as const;
const multilingual = { shape: 'multilingual' } as const;

/** The fields a configuration may map, per entity; names are the service's (spec, Resources and their fields). */
export const FIELDS: Readonly<Record<SourcedEntity, Readonly<Record<string, Field>>>> = {
  users: {
    external_unique_id: { shape: 'text', unique: true, matchable: true },
    email: { shape: 'text', unique: true, required: true, matchable: true, comparedAs: 'folded' },
    upn: { shape: 'text', matchable: true, comparedAs: 'folded' },
    name: { shape: 'text', matchable: true },
    telephone: text,
    landline: text,
    born_year: { shape: 'integer', matchable: true },
    title: multilingual,
    nationality: multilingual,
    office: { shape: 'office', required: true },
    roles: { shape: 'names', oneOf: [...BASE_ROLES, ...EXTRA_ROLES] },
    role_allowed_offices: { shape: 'offices', unreadable: true },
    tags: { shape: 'tags', unreadable: true },
  },
  customers: {
    external_unique_id: { shape: 'text', unique: true, matchable: true },
    customer_name: { shape: 'multilingual', required: true, matchable: true },
    customer_description: multilingual,
    customer_url: text,
  },
  projects: {
    external_unique_id: { shape: 'text', matchable: true },
    customer: { shape: 'customer', required: true, createOnly: true },
    project_name: { shape: 'multilingual', required: true, matchable: true },
    project_description: multilingual,
    project_introduction: multilingual,
    project_notes: multilingual,
    project_skills_description: multilingual,
    type: multilingual,
    contract_type: multilingual,
    architect: text,
    area_amt: number,
    area_unit: text,
    building_owner: text,
    collaborating_partners: text,
    project_address: text,
    extent: text,
    extent_amt: number,
    total_extent_amt: number,
    total_extent_hours: number,
    extent_hours_new: number,
    extent_currency: text,
    total_extent_currency: text,
    location_country_code: text,
    month_from: number,
    year_from: number,
    month_to: number,
    year_to: number,
    workflow_stage: { shape: 'text', oneOf: WORKFLOW_STAGES },
    offices: { shape: 'offices', createOnly: true },
    owners: { shape: 'names', comparedAs: 'folded' },
  },
};

/** Fields of the service that a mapping must not name, and why: a configuration error rather than a silent loss. */
export const UNSETTABLE: Readonly<Record<SourcedEntity, Readonly<Record<string, string>>>> = {
  users: {
    twitter: 'the service shows it but takes it in no call',
    override_language_code: 'the service shows it but takes it in no call',
    image: 'the service takes no picture over its interface',
    place_of_residence: 'the service takes it on the CV only, which is not managed here',
    name_multilang: 'the service takes it on the CV only, which is not managed here',
    deactivated: 'it follows from `users.leaver`, not from a field',
    deactivated_at: 'it follows from `users.leaver`, not from a field',
    role: 'map `roles` instead: the base role first, then the extra ones',
    extra_roles: 'map `roles` instead: the base role first, then the extra ones',
    country_id: 'map `office: { country, name }` instead',
    office_id: 'map `office: { country, name }` instead',
  },
  customers: {
    industry_id: 'industries cannot be listed, so an id cannot be found from a name',
    industry: 'industries cannot be listed, so an id cannot be found from a name',
    tags: 'tags of customers are not managed here',
  },
  projects: {
    company_customer_id: "map `customer` instead: the customer's external id",
    office_ids: 'map `offices: [{ country, name }]` instead',
    tags: 'tags of projects are not managed here',
    custom_fields: 'custom fields are not managed here',
    project_challenges: 'entries of a project are not managed here',
    project_solutions: 'entries of a project are not managed here',
    customer_value_propositions: 'entries of a project are not managed here',
  },
};
