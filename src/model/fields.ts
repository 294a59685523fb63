import type { Entity } from './entity.js';
import type { Json } from './json.js';
import { COMMON_FIELDS, type FieldKind, SECTION_TYPES, SECTIONS, type SectionType } from './sections.js';

/**
 * The shape of a field's value in the model, and how two values are compared:
 * - `text`, `integer`, `flag`: plain
 * - `multilingual`: `{ en: 'x' }`, only the named languages are managed
 * - `office`: `{ country, name }`; `offices`: a set of offices; `names`: a set of strings
 * - `tags`: `{ category: tag }` by external ids, one tag per category, only the named categories are managed
 * - `tag_sets`: `{ category: [tag, …] }`, like `tags`, but with any number of tags per category
 * - `reference`: one object of the entity `to`, by a word that a source uses for it (external id; for people also the e-mail,
 *   for countries the code); `references`: a set of references
 * - `industry`: a name or external id; `roles`: a list of names, each multilingual
 * - `entries`: a list of `{ label, value }`, each multilingual
 * - `custom_fields`: `{ name: value }`, only the named ones are managed
 */
export type FieldShape =
  | 'text'
  | 'integer'
  | 'flag'
  | 'multilingual'
  | 'office'
  | 'offices'
  | 'names'
  | 'tags'
  | 'tag_sets'
  | 'reference'
  | 'references'
  | 'industry'
  | 'roles'
  | 'entries'
  | 'custom_fields';

export interface Field {
  readonly shape: FieldShape;
  /** The entity that a `reference` names. */
  readonly to?: Entity;
  /** Unique in the account, deactivated users included (spec, User; Create rules). */
  readonly unique?: true;
  /**
   * Only one account may have the value at a time, because single sign-on uses it; the service does not check this (spec,
   * Authentication 5).
   */
  readonly exclusive?: true;
  /** The service rejects a new record without this field. */
  readonly required?: true;
  /** The service accepts the field on create only (spec, Project rules 3). */
  readonly createOnly?: true;
  /** The reads of a run never show the field, so the last written value (base) is used instead. */
  readonly unreadable?: true;
  /** Only a read of the single object shows the field. Until that read, the last written value is used. */
  readonly readAlone?: true;
  /**
   * The role without which the field means nothing. Only people with that role get the field; a new role is sent together with
   * it.
   */
  readonly ofRole?: string;
  /** Names are only added. Names that others added or that the source no longer has are kept. */
  readonly additive?: true;
  /** Written through the master CV instead of the user (spec, CV update body fields). */
  readonly onCv?: true;
  /** The service may show one text instead of one per language (spec, User); see `shown-text.ts`. */
  readonly maybeText?: true;
  /** The field may be used as a correlation key. */
  readonly matchable?: true;
  /** `folded`: compared without case. `number`: `42` equals `42.0`, and `9` equals `09` (spec, Conventions 6; Custom fields). */
  readonly comparedAs?: 'folded' | 'number';
  /** The required form of the text or number. */
  readonly form?: 'email' | 'birth_year' | 'currency' | 'country' | 'month' | 'year';
  /** The allowed words, if the service accepts a closed list only. */
  readonly oneOf?: readonly string[];
  /** A record without a value for this field is not processed, even if its object exists already. */
  readonly needed?: true;
  /** Only people who are active after the run may be named. Inactive people who are already named are not removed. */
  readonly activeOnly?: true;
  /** Another field that this one depends on. Both are sent together. */
  readonly sentWith?: string;
  /** The service always has a value for this field, and no call can clear it. */
  readonly neverEmpty?: true;
  /** An expression that returns a plain text sets this language only. */
  readonly plainLanguage?: 'en';
  /**
   * The access that the field gives. `identity`: links the account to a person for single sign-on, log-ins or the sources.
   * `power`: what the person may see and change. `place`: where, if the person's power is limited to a place. Activation also
   * gives access, but is not a field.
   */
  readonly access?: 'identity' | 'power' | 'place';
  /**
   * How the field identifies a person. `name`, `address` and `number` belong to one person only, so an erasure searches every
   * text for them. `key` is the name of the record in other systems. A `trait` applies to many people. For the consequences see
   * `person-fields.ts`.
   */
  readonly personal?: Personal;
  /** Free text about a place in the company, not about the person. Logs without names keep it. */
  readonly open?: true;
  /** The service's field that contains the ids of the objects named in this field. */
  readonly ids?: string;
  /**
   * The service sets a value when an object is created without one (spec, Create rules). The same applies to `neverEmpty`
   * fields.
   */
  readonly given?: true;
  /** The word for the field in a sentence, if its name does not read well. */
  readonly word?: string;
}

export type Personal = 'name' | 'address' | 'number' | 'key' | 'trait';

/** Roles that give no power over others. */
export const PLAIN_ROLES = ['consultant', 'external', 'limited_access'] as const;
export const BASE_ROLES = [...PLAIN_ROLES, 'internationalmanager'] as const;
export const EXTRA_ROLES = ['referencemanager', 'countrymanager', 'departmentmanager', 'bidmanager'] as const;
/** The role that needs a scope. A scope means nothing without this role. */
const MANAGER = 'departmentmanager';
export const WORKFLOW_STAGES = ['draft', 'ready_for_review', 'live'] as const;
export const PROPOSAL_STATUSES = ['initial', 'editing', 'finalised', 'submitted', 'won', 'lost'] as const;

const text = { shape: 'text' } as const;
const number = { shape: 'text', comparedAs: 'number' } as const;
// Months, years and amounts are numbers written as text (spec, Conventions 6).
const month = { ...number, form: 'month' } as const;
const year = { ...number, form: 'year' } as const;
const currency = { ...text, form: 'currency' } as const;
const multilingual = { shape: 'multilingual' } as const;
const flag = { shape: 'flag' } as const;
const entries = { shape: 'entries' } as const;

export type Fields = Readonly<Record<string, Field>>;

const TEXT_FORMS = [
  [/^month/, month],
  [/^year/, year],
  [/_amt$|hours$|^percent/, number],
  [/_currency$/, currency],
] as const;

const OWN: Readonly<Record<FieldKind, (name: string) => Field>> = {
  multilingual: () => multilingual,
  flag: () => flag,
  // These kinds are recognised by the names in the service: `year_from`, `extent_hours`.
  text: (name) => TEXT_FORMS.find(([pattern]) => pattern.test(name))?.[1] ?? text,
};

/** The person and the id that identify a section, then the fields of its kind, then the fields common to all sections. */
function sectionFields(entity: SectionType): Fields {
  const own = Object.entries(SECTIONS[entity].fields).map(([name, kind]: [string, FieldKind]) => [
    name,
    OWN[kind](name),
  ]);
  return {
    user: { shape: 'reference', to: 'users', required: true, createOnly: true },
    external_unique_id: { shape: 'text', required: true, createOnly: true, matchable: true },
    ...(Object.fromEntries(own) as Fields),
    ...Object.fromEntries(Object.entries(COMMON_FIELDS).map(([name, shape]) => [name, { shape }])),
  };
}

/** True if only one object may have the value. */
export function isOneOwners(field: Field | undefined): boolean {
  return field?.unique === true || field?.exclusive === true;
}

/** True if the value is grouped by tag category and each category is managed separately. */
export function isByCategory(field: Field | undefined): boolean {
  return field !== undefined && ['tags', 'tag_sets'].includes(field.shape);
}

/** True if a read of the object may lack the field, so that the last written value is used instead. */
export function mayBeUnshown(field: Field | undefined): boolean {
  return field?.unreadable === true || field?.readAlone === true;
}

/** True if a person with these roles has a scope. */
export function isManager(roles: Json | undefined): boolean {
  return Array.isArray(roles) && roles.includes(MANAGER);
}

/**
 * Fields of every entity except sections, whose fields are in `SECTIONS`. To add a plain field, add a row here; see
 * `wire-plain.ts`.
 */
const OWN_FIELDS = {
  countries: {
    code: { shape: 'text', form: 'country', unique: true, required: true, matchable: true, comparedAs: 'folded' },
    native_language_code: { ...text, required: true },
    override_ui_language_code: text,
    cv_template_id: text,
    cv_template_type: { ...text, oneOf: ['word', 'json'], sentWith: 'cv_template_id' },
  },
  offices: {
    country: { shape: 'reference', to: 'countries', form: 'country', required: true, createOnly: true },
    name: { ...text, required: true, matchable: true },
    override_language_code: text,
  },
  tag_categories: {
    external_unique_id: { ...text, unique: true, required: true, matchable: true },
    values: { ...multilingual, required: true, matchable: true },
    can_be_used_for_cvs: flag,
    can_be_used_for_references: flag,
    can_be_used_for_customers: flag,
    allow_filtering: { ...flag, createOnly: true },
    lock_for_integrations: { ...flag, createOnly: true },
  },
  tags: {
    category: { shape: 'reference', to: 'tag_categories', required: true, createOnly: true },
    external_unique_id: { ...text, required: true, matchable: true },
    values: { ...multilingual, required: true, matchable: true },
  },
  users: {
    external_unique_id: {
      ...text,
      unique: true,
      matchable: true,
      access: 'identity',
      personal: 'key',
      word: 'external id',
    },
    email: {
      shape: 'text',
      form: 'email',
      unique: true,
      required: true,
      needed: true,
      matchable: true,
      comparedAs: 'folded',
      access: 'identity',
      personal: 'address',
      word: 'e-mail',
    },
    upn: {
      ...text,
      exclusive: true,
      matchable: true,
      comparedAs: 'folded',
      access: 'identity',
      personal: 'address',
      word: 'UPN',
    },
    name: { ...text, matchable: true, personal: 'name' },
    telephone: { ...text, personal: 'number' },
    landline: { ...text, personal: 'number' },
    born_year: { shape: 'integer', form: 'birth_year', matchable: true, personal: 'trait' },
    title: { ...multilingual, open: true },
    nationality: { ...multilingual, personal: 'trait' },
    office: { shape: 'office', required: true, access: 'place', ids: 'office_id' },
    roles: { shape: 'names', oneOf: [...BASE_ROLES, ...EXTRA_ROLES], access: 'power' },
    role_allowed_offices: {
      ...{ shape: 'offices', readAlone: true, ofRole: MANAGER, access: 'power', ids: 'role_allowed_office_ids' },
    },
    role_allowed_tags: {
      ...{ shape: 'tag_sets', readAlone: true, ofRole: MANAGER, access: 'power', ids: 'role_allowed_tag_ids' },
    },
    tags: { shape: 'tags', unreadable: true },
    name_multilang: { ...multilingual, onCv: true, personal: 'name' },
    place_of_residence: {
      ...multilingual,
      onCv: true,
      maybeText: true,
      plainLanguage: 'en',
      personal: 'trait',
    },
    cv_tags: { shape: 'tag_sets', onCv: true },
  },
  customers: {
    external_unique_id: { shape: 'text', unique: true, matchable: true },
    customer_name: { shape: 'multilingual', required: true, matchable: true },
    customer_description: multilingual,
    customer_url: text,
    industry: { shape: 'industry' },
    tags: { shape: 'tag_sets' },
  },
  projects: {
    external_unique_id: { shape: 'text', matchable: true },
    customer: { shape: 'reference', to: 'customers', required: true, createOnly: true },
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
    extent_currency: currency,
    total_extent_currency: currency,
    location_country_code: { ...text, form: 'country' },
    month_from: month,
    year_from: year,
    month_to: month,
    year_to: year,
    workflow_stage: { shape: 'text', oneOf: WORKFLOW_STAGES, given: true },
    offices: { shape: 'offices', createOnly: true },
    owners: { shape: 'references', to: 'users' },
    project_challenges: entries,
    project_solutions: entries,
    customer_value_propositions: entries,
    custom_fields: { shape: 'custom_fields' },
    tags: { shape: 'tag_sets' },
  },
  staffing: {
    project: { shape: 'reference', to: 'projects', required: true, createOnly: true },
    user: { shape: 'reference', to: 'users', required: true, createOnly: true },
    link: { ...flag, createOnly: true },
    include_dates: { ...flag, createOnly: true },
    role: { shape: 'roles', additive: true },
  },
  proposals: {
    name: { ...text, required: true, matchable: true },
    status: { ...text, oneOf: PROPOSAL_STATUSES, neverEmpty: true },
    archived: { ...flag, neverEmpty: true },
    owner: { shape: 'reference', to: 'users', neverEmpty: true, activeOnly: true },
    collaborators: { shape: 'references', to: 'users', additive: true, activeOnly: true },
    cvs: { shape: 'references', to: 'users', additive: true, activeOnly: true },
    references: { shape: 'references', to: 'projects', additive: true },
  },
} as const satisfies { readonly [E in Exclude<Entity, SectionType>]: Fields };

export type FieldTable = typeof OWN_FIELDS;

/** The fields of each entity that a configuration may map, with the service's names (spec, Resources and their fields). */
export const FIELDS: Readonly<Record<Entity, Fields>> = {
  ...OWN_FIELDS,
  ...(Object.fromEntries(SECTION_TYPES.map((entity) => [entity, sectionFields(entity)])) as Record<
    SectionType,
    Fields
  >),
};

const PLAIN_SHAPES = ['text', 'integer', 'flag', 'multilingual'] as const;
type PlainShape = (typeof PLAIN_SHAPES)[number];

/** True if the model and the service represent values of this shape in the same way. */
export function isPlain(shape: FieldShape): shape is PlainShape {
  return (PLAIN_SHAPES as readonly string[]).includes(shape);
}

/** The fields that have the same name and value in the service. */
export type PlainName<E extends keyof FieldTable> = {
  [F in keyof FieldTable[E]]: FieldTable[E][F] extends { readonly shape: PlainShape } ? F : never;
}[keyof FieldTable[E]];
/** The fields that the service shows in another form or does not show. */
export type SpecialName<E extends keyof FieldTable> = Exclude<keyof FieldTable[E], PlainName<E>>;

/** Fields of the service that a mapping must not name, with the reason. A configuration error is better than lost data. */
export const UNSETTABLE: Readonly<Partial<Record<Entity, Readonly<Record<string, string>>>>> = {
  users: {
    twitter: 'the service shows it, but no call sets it',
    override_language_code: 'the service shows it, but no call sets it',
    image: 'the interface of the service accepts no picture',
    deactivated: 'it follows from `users.leaver`, not from a field',
    deactivated_at: 'it follows from `users.leaver`, not from a field',
    role: 'map `roles` instead: the base role first, then the extra ones',
    extra_roles: 'map `roles` instead: the base role first, then the extra ones',
    country_id: 'map `office: { country, name }` instead',
    office_id: 'map `office: { country, name }` instead',
  },
  offices: { country_id: "map `country` instead: the country's code" },
  tags: {
    category_ids: "map `category` instead: the category's external id",
    custom_tag_category_id: "map `category` instead: the category's external id",
  },
  customers: { industry_id: 'map `industry` instead: its name or external id' },
  projects: {
    company_customer_id: "map `customer` instead: the customer's external id",
    office_ids: 'map `offices: [{ country, name }]` instead',
    project_owners: 'map `owners` instead: e-mail addresses or external ids',
  },
  proposals: { owner_id: 'map `owner` instead: an e-mail address or external id' },
};
