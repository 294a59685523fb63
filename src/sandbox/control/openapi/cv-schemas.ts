import * as z from 'zod';
import { CV_FIELDS } from '../../fields/plain-fields.js';
import {
  listPartTypes,
  PARTS,
  type PartType,
  SECTION_TYPES,
  SECTIONS,
  type SectionName,
} from '../../fields/section-kinds.js';
import {
  count,
  id,
  Picture,
  type Shape,
  shapeOf,
  show,
  showPlainFields,
  showTextFields,
  stamp,
  stampOrNull,
  Texts,
  text,
} from './shapes.js';
import { RecordTag } from './tag-operations.js';

const flag = z.boolean();

/** Converts `project_experience_skill` to `ProjectExperienceSkill`. */
export function nameSchema(wrapper: string): string {
  return wrapper
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

const SKILL_YEARS = shapeOf(
  z.number(),
  'base_duration_in_years',
  'offset_duration_in_years',
  'total_duration_in_years',
  'proficiency',
);

const ROLE = {
  ...shapeOf(text, 'cv_role_id', 'modifier_id'),
  ...shapeOf(flag, 'starred', 'disabled', 'diverged_from_master', 'recently_added'),
  ...shapeOf(stamp, 'created_at', 'updated_at'),
};

function buildPart(type: PartType): z.ZodObject {
  const own = { _id: id, ...showTextFields(PARTS[type]), order: count, version: count };
  if (type === 'roles') return show({ ...own, ...ROLE });
  if (type === 'project_experience_customer_contacts') {
    // On a hard link, these are entries of the project, so they have no order or version here.
    return show({ ...own, order: count.optional(), version: count.optional(), disabled: flag.optional() });
  }
  return show({ ...own, ...SKILL_YEARS });
}

function mapTypes<K extends string, T>(types: readonly K[], build: (type: K) => T): Readonly<Record<K, T>> {
  return Object.fromEntries(types.map((type) => [type, build(type)])) as Record<K, T>;
}

export const PART_SCHEMAS = mapTypes(Object.keys(PARTS) as readonly PartType[], buildPart);

const OF_TYPE: Readonly<Partial<Record<SectionName, Shape>>> = {
  technologies: { uncategorized: flag, exclude_tags: z.unknown() },
  project_experiences: {
    contract_type: Texts,
    project_address: text,
    location_country_code: text,
    images: z.array(show({})),
    exclude_tags: z.unknown(),
    link_type: text,
    reference_project_id: text,
    reference_customer_id: text,
    reference_project: show({ external_unique_id: text }).optional(),
    customer_selected: z.string(),
  },
};

export const SECTION_SCHEMAS = mapTypes(SECTION_TYPES, (type) =>
  show({
    _id: id,
    ...showTextFields(SECTIONS[type]),
    ...Object.fromEntries(listPartTypes(type).map((part) => [part, z.array(PART_SCHEMAS[part])])),
    ...OF_TYPE[type],
    ...shapeOf(flag, 'starred', 'disabled', 'recently_added', 'diverged_from_master'),
    ...shapeOf(count, 'version', 'order'),
    external_unique_id: text,
    owner_updated_at: stampOrNull,
    ...shapeOf(stamp, 'created_at', 'updated_at'),
  }),
);

/** Any of the 14 section types. The path determines which one. */
export const AnySection = z.union(
  Object.values(SECTION_SCHEMAS) as unknown as readonly [z.ZodType, z.ZodType, ...z.ZodType[]],
);

const PLACE = { country_code: text, language_code: text, language_codes: z.array(z.string()) };

export const Cv = show({
  ...shapeOf(id, '_id', 'user_id', 'bruker_id', 'company_id', 'email', 'name', 'navn', 'updated_ago'),
  external_unique_id: text,
  name_multilang: Texts,
  ...showPlainFields(CV_FIELDS),
  place_of_residence: Texts,
  ...shapeOf(text, 'telefon', 'twitter', 'tilbud_id', 'default_word_template_id', 'default_ppt_template_id'),
  template_document_type: z.string(),
  ...PLACE,
  image: Picture,
  version: count,
  ...shapeOf(flag, 'default', 'can_write'),
  ...mapTypes(SECTION_TYPES, (type) => z.array(SECTION_SCHEMAS[type])),
  cv_roles: z.array(show({ _id: id, name: Texts })),
  highlighted_roles: z.array(z.unknown()),
  custom_tag_ids: z.array(z.string()),
  custom_tags: z.array(RecordTag),
  ...shapeOf(stamp, 'created_at', 'updated_at'),
  ...shapeOf(stampOrNull, 'owner_updated_at', 'owner_updated_at_significant'),
});

export const CvPreview = show({
  ...shapeOf(id, '_id', 'id', 'user_id', 'bruker_id', 'office_id', 'country_id', 'company_id'),
  ...shapeOf(z.string(), 'name', 'navn', 'email', 'updated_ago'),
  ...shapeOf(text, 'title', 'telephone', 'default_word_template_id'),
  ...shapeOf(Texts, 'titles', 'name_multilang'),
  ...shapeOf(flag, 'is_external', 'is_deactivated'),
  custom_tag_ids: z.array(z.string()),
  image: Picture,
  updated_at: stamp,
  owner_updated_at: stampOrNull,
  ...PLACE,
});

export const CvSearchPage = show({
  cvs: z.array(show({ cv: CvPreview, preview_url: z.string(), highlights: show({}) })),
  offset: count,
  total: count,
  facets: show({}).optional(),
});

export const CvMetadata = show({
  ...shapeOf(id, '_id', 'id', 'updated_ago'),
  updated_at: stamp,
  owner_updated_at: stampOrNull,
  last_modified_by: show({ id, name: z.string() }).nullable(),
  owner_updated: z.record(z.string(), stamp).optional(),
});
