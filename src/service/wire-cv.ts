import * as z from 'zod';
import { isJsonObject } from '../model/json.js';
import {
  type COMMON_FIELDS,
  type FieldKind,
  type OwnFields,
  SECTION_TYPES,
  SECTIONS,
  type SectionType,
} from '../model/sections.js';
import { WireTag } from './wire.js';
import {
  count,
  externalId,
  flag,
  identifier,
  integer,
  multilingual,
  names,
  optionalList,
  picture,
  readId,
  readWrapped,
  text,
  textOrMultilingual,
  unshownEntry,
} from './wire-values.js';

/** A role within a project experience (spec, Project experience role); `id` is the role's id, not `cv_role_id`. */
export const WireCvRole = z.preprocess(
  readWrapped('role'),
  z.object({
    id: identifier,
    cv_role_id: text,
    name: multilingual,
    long_description: multilingual,
    summary: multilingual,
    order: count,
    origin_id: text,
    starred: flag,
    disabled: flag,
    diverged_from_master: flag,
    recently_added: flag,
    created_at: text,
    updated_at: text,
    modifier_id: text,
    version: count,
  }),
);
export type WireCvRole = z.infer<typeof WireCvRole>;

const Skill = z.preprocess(
  readId,
  z.object({
    id: identifier,
    tags: multilingual,
    proficiency: integer,
    order: count,
    base_duration_in_years: count,
    offset_duration_in_years: count,
    total_duration_in_years: count,
    version: count,
  }),
);

const common = {
  id: identifier,
  starred: flag,
  disabled: flag,
  version: count,
  external_unique_id: externalId,
  order: count,
  owner_updated_at: text,
  recently_added: flag,
  created_at: text,
  updated_at: text,
} satisfies Readonly<Record<string, z.ZodType> & Record<keyof typeof COMMON_FIELDS, z.ZodType>>;

/** Fields of project experiences in addition to their own; `link_type` is `linked` on a hard link (spec, States). */
const experience = {
  images: optionalList(
    z.preprocess(readId, z.object({ id: identifier, order: count, caption: multilingual, image: picture })),
  ),
  project_experience_skills: optionalList(Skill),
  roles: optionalList(WireCvRole),
  exclude_tags: z.unknown().optional(),
  project_experience_customer_contacts: optionalList(unshownEntry),
  link_type: text,
  reference_project_id: text,
  reference_customer_id: text,
  reference_project: z.object({ external_unique_id: externalId }).nullish(),
};

interface Shown {
  readonly multilingual: z.infer<typeof multilingual>;
  readonly text: string | null | undefined;
  readonly flag: boolean;
}
type CommonShown = z.infer<z.ZodObject<typeof common>>;
type ExperienceShown = z.infer<z.ZodObject<typeof experience>>;

/** One section as the service shows it: the common fields, those of its kind, and additional ones on project experiences. */
export type WireSection<T extends SectionType = SectionType> = CommonShown &
  OwnFields<T, Shown> &
  (T extends 'project_experiences' ? ExperienceShown : unknown);

const KINDS = { multilingual, text, flag } as const;

function buildSchema(type: SectionType): z.ZodType {
  const { wrapper, fields } = SECTIONS[type];
  const own = Object.entries(fields).map(([name, kind]: [string, FieldKind]) => [name, KINDS[kind]] as const);
  const more = type === 'project_experiences' ? experience : {};
  return z.preprocess(readWrapped(wrapper), z.object({ ...Object.fromEntries(own), ...common, ...more }));
}

const SCHEMAS = Object.fromEntries(SECTION_TYPES.map((type) => [type, buildSchema(type)])) as Readonly<
  Record<SectionType, z.ZodType>
>;

export function sectionSchema<T extends SectionType>(type: T): z.ZodType<WireSection<T>> {
  // Built from the table, like the type; TypeScript cannot derive the type from a loop.
  return SCHEMAS[type] as z.ZodType<WireSection<T>>;
}

type SectionLists = { readonly [T in SectionType]: z.ZodOptional<z.ZodType<readonly WireSection<T>[]>> };
/** A kind that the answer leaves out is absent, which is not the same as an empty list. */
const sectionLists = Object.fromEntries(
  SECTION_TYPES.map((type) => [type, optionalList(SCHEMAS[type])]),
) as unknown as SectionLists;

/** One answer calls the user `bruker_id` (spec, CV). */
function readCv(value: unknown): unknown {
  const cv = readWrapped('cv')(value);
  return isJsonObject(cv) ? { ...cv, user_id: cv.user_id ?? cv.bruker_id } : cv;
}

const cvFields = {
  id: identifier,
  user_id: text,
  born_year: integer,
  external_unique_id: externalId,
  email: text,
  name: text,
  name_multilang: multilingual,
  title: multilingual,
  nationality: multilingual,
  place_of_residence: textOrMultilingual,
  telephone: text,
  landline: text,
  version: count,
  /** True for the master CV; other CVs are copies in proposals. */
  default: flag,
  ...sectionLists,
  /** The spec does not show the structure of the roles. */
  cv_roles: optionalList(unshownEntry),
  highlighted_roles: optionalList(unshownEntry),
  custom_tag_ids: names,
  /** Only tags of categories that may be used for CVs, so an attached tag can be missing here. */
  custom_tags: optionalList(WireTag),
  updated_at: text,
  created_at: text,
  owner_updated_at: text,
  owner_updated_at_significant: text,
};

export const WireCv = z.preprocess(readCv, z.object(cvFields));
export type WireCv = z.infer<typeof WireCv>;

/** A copy of a master CV in a proposal. `status` is null if it is unknown, or if the copy is older than the field (spec, States). */
export const WireTailoredCv = z.preprocess(readCv, z.object({ ...cvFields, status: text }));
export type WireTailoredCv = z.infer<typeof WireTailoredCv>;

/** `owner_updated` is present if the detailed metadata were requested: section type → time of the owner's last change. */
export const WireCvMetadata = z.preprocess(
  readId,
  z.object({
    id: identifier,
    updated_ago: text,
    updated_at: text,
    owner_updated_at: text,
    last_modified_by: z.object({ id: text, name: text }).nullish(),
    owner_updated: z.record(z.string(), text).nullish(),
  }),
);
export type WireCvMetadata = z.infer<typeof WireCvMetadata>;

/** A hit of the CV search, enough to decide whether the complete CV must be read. `id` is the CV's id. */
export const WireCvPreview = z.preprocess(
  readId,
  z.object({
    id: identifier,
    user_id: text,
    name: text,
    image: picture,
    title: textOrMultilingual,
    titles: multilingual,
    email: text,
    company_id: text,
    updated_at: text,
    owner_updated_at: text,
    country_code: text,
    language_code: text,
    language_codes: names,
  }),
);
export type WireCvPreview = z.infer<typeof WireCvPreview>;
