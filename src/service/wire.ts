import * as z from 'zod';
import { recordWithShortcut } from './record-as-is.js';
import { plainSchemas } from './wire-plain.js';
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
  listOrNone,
  multilingual,
  names,
  optionalList,
  picture,
  readUserId,
  readWrapped,
  shownFlag,
  text,
  textOrMultilingual,
  unshownEntry,
} from './wire-values.js';

/* The records that the program keeps in sync. They contain only the fields that the program uses; other fields are dropped. */

export const WireUser = recordWithShortcut({
  wrapper: 'user',
  readId: readUserId,
  fields: {
    id: identifier,
    ...plainSchemas('users'),
    external_unique_id: externalId,
    place_of_residence: textOrMultilingual,
    default_cv_id: text,
    office_id: text,
    office_name: text,
    country_id: text,
    country_code: text,
    deactivated: shownFlag,
    deactivated_at: deactivatedAt,
    role: text,
    roles: names,
    /** Shown by `GET users/<id>`; lists may leave them out. */
    role_allowed_office_ids: names,
    role_allowed_tag_ids: names,
    created_at: text,
    updated_at: text,
    image: picture,
    twitter: text,
    language_code: text,
    override_language_code: text,
    /** Sent back verbatim, so it must never be parsed, rounded or reformatted. */
    profile_updated_at: text,
  },
  finish: (user) => Object.assign(user, { deactivated: user.deactivated ?? typeof user.deactivated_at === 'string' }),
});
export type WireUser = z.infer<typeof WireUser>;

/** The task started by an upload of users; no call reads its progress. */
export const WireImport = z.object({ import_task: text, dry_run: flag });
export type WireImport = z.infer<typeof WireImport>;

export const WireOffice = z.preprocess(
  readWrapped('office'),
  z.object({
    id: identifier,
    ...plainSchemas('offices'),
    name: z.string(),
    country_id: text,
    country_code: text,
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
    ...plainSchemas('countries'),
    code: z.string(),
    offices: listOrNone(WireOffice),
  }),
);
export type WireCountry = z.infer<typeof WireCountry>;

export const WireTag = z.preprocess(
  readWrapped('masterdata'),
  z
    .object({
      id: identifier,
      ...plainSchemas('tags'),
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
    ...plainSchemas('tag_categories'),
    external_unique_id: externalId,
    custom_tags: listOrNone(WireTag),
  }),
);
export type WireTagCategory = z.infer<typeof WireTagCategory>;

export const WireCustomer = z.preprocess(
  readWrapped('company_customer'),
  z.object({
    id: identifier,
    ...plainSchemas('customers'),
    external_unique_id: externalId,
    industry_id: text,
    updated_at: text,
    custom_tags: optionalList(WireTag),
  }),
);
export type WireCustomer = z.infer<typeof WireCustomer>;

export const projectFields = {
  id: identifier,
  ...plainSchemas('projects'),
  external_unique_id: externalId,
  company_customer_id: text,
  customer_name: multilingual,
  version: count,
  updated_at: text,
  has_linked_project_experiences: flag,
  /** Absent if the answer leaves out the sections. */
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
  /** Absent without `include_custom_fields=true`; otherwise every defined field is present. */
  custom_fields: z.array(WireCustomFieldValue).nullish(),
};

export const WireProject = z.preprocess(
  readWrapped('company_project'),
  z.object(projectFields).transform(({ offices, ...project }) => ({ ...project, office_ids: offices })),
);
export type WireProject = z.infer<typeof WireProject>;
