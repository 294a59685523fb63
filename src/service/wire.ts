import { z } from 'zod';

/**
 * The service's shapes, checked where they enter: only the fields used, unknown ones dropped.
 * A field that is not in the answer stays absent, which says "not shown"; one that is null is empty. The two must not be
 * mixed up: what was not shown is not to be written over.
 * Tolerant where the spec leaves a shape open ("not shown"), strict where a wrong value would be synchronised.
 */

/** Amounts come as numbers or as text (`42.0`). */
const text = z.union([z.string(), z.number().transform(String)]).nullish();
/** An identifier from another system; unset is null or empty (spec, Custom tag category). */
const externalId = z
  .union([z.string(), z.number().transform(String)])
  .transform((value) => (value === '' ? null : value))
  .nullish();
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const count = z.number().nullish();
const names = z
  .array(z.string())
  .nullable()
  .transform((value) => value ?? [])
  .optional();
const integer = z
  .union([z.number(), z.string()])
  .transform((value) => {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    return Number.isInteger(number) ? number : null;
  })
  .nullish();
/** Language code → text; a language without text is the same as none, and so is null. */
const multilingual = z
  .record(z.string(), z.string().nullish())
  .nullable()
  .transform((value) => {
    const texts: Record<string, string> = {};
    for (const [language, words] of Object.entries(value ?? {})) {
      if (typeof words === 'string') texts[language] = words;
    }
    return texts;
  })
  .optional();
/** `false` while active, a timestamp once deactivated (spec, User). */
const deactivatedAt = z
  .union([z.boolean(), z.string()])
  .nullable()
  .transform((value): string | false => (typeof value === 'string' && value !== '' ? value : false))
  .optional();

/** Identifiers are `id` here and `_id` there; on users `user_id` too (spec, User; Country and office). */
function readId(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const row = value as Readonly<Record<string, unknown>>;
  return { ...row, id: row.id ?? row._id ?? row.user_id };
}

/** A record that comes in its wrapper is taken out of it. */
function readWrapped(wrapper: string): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const inner: unknown = (value as Readonly<Record<string, unknown>>)[wrapper];
    return readId(typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : value);
  };
}

/** A list that comes plain, under one of these names, or as the only list of an object. */
export function listOf<T extends z.ZodType>(row: T, ...wrappers: readonly string[]): z.ZodType<z.output<T>[]> {
  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const object = value as Readonly<Record<string, unknown>>;
    for (const wrapper of wrappers) if (wrapper in object) return object[wrapper];
    const lists = Object.values(object).filter(Array.isArray);
    return lists.length === 1 ? lists[0] : value;
  };
  return z.preprocess(read, z.array(row));
}

const identifier = z.string().min(1);

export const WireUser = z.preprocess(
  readWrapped('user'),
  z
    .object({
      id: identifier,
      email: text,
      external_unique_id: externalId,
      upn: text,
      name: text,
      telephone: text,
      landline: text,
      title: multilingual,
      nationality: multilingual,
      born_year: integer,
      default_cv_id: text,
      office_id: text,
      office_name: text,
      country_id: text,
      country_code: text,
      deactivated: z.boolean().nullish(),
      deactivated_at: deactivatedAt,
      role: text,
      roles: names,
      /** Shown by `GET users/<id>` only. */
      role_allowed_office_ids: names,
      role_allowed_tag_ids: names,
      created_at: text,
      updated_at: text,
      /** Sent back untouched: never parse, round or reformat it. */
      profile_updated_at: text,
    })
    .transform((user) => ({
      ...user,
      deactivated: user.deactivated ?? typeof user.deactivated_at === 'string',
    })),
);
export type WireUser = z.infer<typeof WireUser>;

export const WireOffice = z.preprocess(
  readWrapped('office'),
  z.object({
    id: identifier,
    name: z.string(),
    country_id: text,
    country_code: text,
    override_language_code: text,
    num_users: count,
    num_users_activated: count,
    num_users_deactivated: count,
  }),
);
export type WireOffice = z.infer<typeof WireOffice>;

export const WireCountry = z.preprocess(
  readWrapped('country'),
  z.object({
    id: identifier,
    code: z.string(),
    native_language_code: text,
    override_ui_language_code: text,
    offices: z
      .array(WireOffice)
      .nullish()
      .transform((offices) => offices ?? []),
  }),
);
export type WireCountry = z.infer<typeof WireCountry>;

export const WireTag = z.preprocess(
  readWrapped('masterdata'),
  z
    .object({
      id: identifier,
      values: multilingual,
      external_unique_id: externalId,
      custom_tag_category_id: text,
      category_ids: names,
    })
    .transform(({ category_ids, ...tag }) => ({
      ...tag,
      custom_tag_category_id: tag.custom_tag_category_id ?? category_ids?.[0] ?? null,
    })),
);
export type WireTag = z.infer<typeof WireTag>;

export const WireTagCategory = z.preprocess(
  readWrapped('masterdata'),
  z.object({
    id: identifier,
    values: multilingual,
    external_unique_id: externalId,
    can_be_used_for_cvs: flag,
    can_be_used_for_references: flag,
    can_be_used_for_customers: flag,
    allow_filtering: flag,
    lock_for_integrations: flag,
    custom_tags: z
      .array(WireTag)
      .nullish()
      .transform((tags) => tags ?? []),
  }),
);
export type WireTagCategory = z.infer<typeof WireTagCategory>;

export const WireCustomer = z.preprocess(
  readWrapped('company_customer'),
  z.object({
    id: identifier,
    external_unique_id: externalId,
    customer_name: multilingual,
    customer_description: multilingual,
    customer_url: text,
    industry_id: text,
    updated_at: text,
  }),
);
export type WireCustomer = z.infer<typeof WireCustomer>;

export const WireOwner = z.preprocess(
  readId,
  z.object({ id: identifier, email: text, external_unique_id: externalId, name: text, deactivated: flag }),
);
export type WireOwner = z.infer<typeof WireOwner>;

/** Entries of `offices` are not shown in the spec: an identifier, or an object that has one. */
const officeIds = z
  .array(z.union([z.string(), z.preprocess(readId, z.object({ id: identifier })).transform((office) => office.id)]))
  .nullable()
  .transform((ids) => ids ?? [])
  .optional();

export const WireProject = z.preprocess(
  readWrapped('company_project'),
  z
    .object({
      id: identifier,
      company_customer_id: text,
      external_unique_id: externalId,
      customer_name: multilingual,
      project_name: multilingual,
      project_description: multilingual,
      project_introduction: multilingual,
      project_notes: multilingual,
      project_skills_description: multilingual,
      type: multilingual,
      contract_type: multilingual,
      architect: text,
      area_amt: text,
      area_unit: text,
      building_owner: text,
      collaborating_partners: text,
      project_address: text,
      extent: text,
      extent_amt: text,
      total_extent_amt: text,
      total_extent_hours: text,
      extent_hours_new: text,
      extent_currency: text,
      total_extent_currency: text,
      location_country_code: text,
      month_from: text,
      year_from: text,
      month_to: text,
      year_to: text,
      workflow_stage: text,
      version: count,
      updated_at: text,
      has_linked_project_experiences: flag,
      /** Absent where the answer leaves sections out. */
      project_owners: z
        .array(WireOwner)
        .nullable()
        .transform((owners) => owners ?? [])
        .optional(),
      offices: officeIds,
      /** Absent without `include_custom_fields=true`. */
      custom_fields: z.array(z.looseObject({ name: z.string() })).nullish(),
    })
    .transform(({ offices, ...project }) => ({ ...project, office_ids: offices })),
);
export type WireProject = z.infer<typeof WireProject>;
