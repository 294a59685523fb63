import { z } from 'zod';
import {
  officeIds,
  WireCustomFieldValue,
  WireOwner,
  WireProjectEntry,
  WireProjectImage,
  WireProjectLink,
} from './wire-project-parts.js';
import {
  count,
  deactivatedAt,
  externalId,
  flag,
  identifier,
  integer,
  multilingual,
  names,
  optionalList,
  picture,
  readUserId,
  readWrapped,
  text,
  textOrMultilingual,
  unshownEntry,
} from './wire-values.js';

/** The records the worker keeps in step: only the fields used, unknown ones dropped. */

export const WireUser = z.preprocess(
  readWrapped('user', readUserId),
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
      image: picture,
      name_multilang: multilingual,
      place_of_residence: textOrMultilingual,
      twitter: text,
      language_code: text,
      override_language_code: text,
      /** Sent back untouched: never parse, round or reformat it. */
      profile_updated_at: text,
    })
    .transform((user) => ({
      ...user,
      deactivated: user.deactivated ?? typeof user.deactivated_at === 'string',
    })),
);
export type WireUser = z.infer<typeof WireUser>;

/** Which task an upload of users became; there is no call to ask after it. */
export const WireImport = z.object({ import_task: text, dry_run: flag });
export type WireImport = z.infer<typeof WireImport>;

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
    cv_template_id: text,
    cv_template_type: text,
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
    custom_tags: optionalList(WireTag),
  }),
);
export type WireCustomer = z.infer<typeof WireCustomer>;

export const projectFields = {
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
  project_owners: optionalList(WireOwner),
  project_challenges: optionalList(WireProjectEntry),
  project_solutions: optionalList(WireProjectEntry),
  customer_value_propositions: optionalList(WireProjectEntry),
  project_links: optionalList(WireProjectLink),
  customer_contacts: optionalList(unshownEntry),
  company_project_skills: optionalList(unshownEntry),
  attachments: optionalList(unshownEntry),
  project_introduction_images: optionalList(WireProjectImage),
  project_challenges_images: optionalList(WireProjectImage),
  project_solutions_images: optionalList(WireProjectImage),
  customer_value_propositions_images: optionalList(WireProjectImage),
  custom_tags: optionalList(WireTag),
  offices: officeIds,
  /** Absent without `include_custom_fields=true`; then every defined field is there. */
  custom_fields: z.array(WireCustomFieldValue).nullish(),
};

export const WireProject = z.preprocess(
  readWrapped('company_project'),
  z.object(projectFields).transform(({ offices, ...project }) => ({ ...project, office_ids: offices })),
);
export type WireProject = z.infer<typeof WireProject>;
