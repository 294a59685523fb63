import * as z from 'zod';
import { CUSTOMER_FIELDS } from '../../fields/plain-fields.js';
import { ENTRIES, ENTRY_KINDS, type EntryKind, PROJECT_FIELDS } from '../../store/project-documents.js';
import { count, id, Picture, shapeOf, show, showPlainFields, showTextFields, stamp, Texts, text } from './shapes.js';
import { RecordTag } from './tag-operations.js';

const flag = z.boolean();

export const Industry = show({
  ...shapeOf(id, 'id', 'section_type', 'field_name'),
  values: Texts,
  external_unique_id: text,
});

export const Customer = show({
  ...shapeOf(id, '_id', 'id', 'company_id'),
  ...showPlainFields(CUSTOMER_FIELDS),
  ...shapeOf(Texts, 'customer_name', 'customer_description_to_cvs'),
  ...shapeOf(text, 'industry_id', 'masterdata_industry_id'),
  industry: Industry.nullable(),
  image: Picture,
  ...shapeOf(count, 'version', 'project_count'),
  custom_tags: z.array(RecordTag),
  ...shapeOf(stamp, 'created_at', 'updated_at'),
});
export const CustomerPage = show({ customers: z.array(Customer), total: count });

function buildEntry(kind: EntryKind): z.ZodObject {
  return show({
    ...shapeOf(id, 'id', 'reference_project_id'),
    ...showTextFields(ENTRIES[kind]),
    disabled: flag,
    version: count,
  });
}

export const ENTRY_SCHEMAS = Object.fromEntries(ENTRY_KINDS.map((kind) => [kind, buildEntry(kind)])) as Readonly<
  Record<EntryKind, z.ZodObject>
>;

export const Owner = show({
  ...shapeOf(id, 'id', 'email', 'name', 'office_id', 'role'),
  ...shapeOf(text, 'external_unique_id', 'office_name'),
  title: Texts,
  deactivated: flag,
});

export const Attachment = show({
  ...shapeOf(id, 'id', 'reference_project_id', 'file_name', 'content_type', 'url'),
  size: count,
  created_at: stamp,
});

const SECTIONS_OF_PROJECT = {
  ...Object.fromEntries(ENTRY_KINDS.map((kind) => [kind, z.array(ENTRY_SCHEMAS[kind]).optional()])),
  project_owners: z.array(Owner).optional(),
  offices: z.array(show({ _id: id, name: z.string(), country_id: id, country_code: text })).optional(),
  attachments: z.array(Attachment).optional(),
  custom_tags: z.array(RecordTag).optional(),
  custom_fields: z.array(show({ name: z.string(), type: z.string(), sensitivity: text, anonymized: Texts })).optional(),
};

/** `include_project_sections=false` omits the nested lists. */
export const Project = show({
  ...shapeOf(id, 'id', 'company_customer_id'),
  customer_name: Texts,
  ...showTextFields(PROJECT_FIELDS),
  workflow_stage: z.enum(['draft', 'ready_for_review', 'live']),
  version: count,
  ...shapeOf(stamp, 'created_at', 'updated_at'),
  has_linked_project_experiences: flag,
  ...SECTIONS_OF_PROJECT,
});

export const ProjectPreview = show({
  ...shapeOf(id, 'id', 'company_customer_id', 'workflow_stage'),
  ...shapeOf(text, 'external_unique_id', 'month_from', 'year_from', 'month_to', 'year_to', 'extent', 'extent_hours'),
  ...shapeOf(Texts, 'project_name', 'project_introduction', 'customer_name'),
  industry: Industry.nullable(),
  image_count: count,
});

export const ProjectSearchPage = show({
  references: z.array(show({ reference: ProjectPreview, preview_url: z.string() })),
  total: count,
  workflow_stage_counts: show(shapeOf(count, 'all', 'draft', 'live', 'ready_for_review')),
});

export const UpdatedCvs = show({
  updated_cvs: z.array(show({ user_id: id, cv_id: id, name: z.string(), section_id: id.optional() })),
});
