import { renderCustomFields } from './custom-fields.js';
import { type CodeMode, toWireTexts } from './languages.js';
import {
  type AttachmentDocument,
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKind,
  PROJECT_STRINGS,
  PROJECT_TEXTS,
  type ProjectDocument,
} from './project-documents.js';
import { renderRecordTags } from './render-tags.js';
import { renderOwner } from './render-user.js';
import type { Call, World } from './route.js';
import { signUrl } from './signed-links.js';
import { toStamp } from './stamps.js';
import { readParameter } from './values.js';

/**
 * The project as every project call answers it; sections can be left out of reads, custom fields come only when asked
 * for with the exact string `true` (spec, Custom fields on projects 7).
 */
export function renderWholeProject(world: World, project: ProjectDocument, call: Call): object {
  const withSections = readParameter(call.query, 'include_project_sections') !== 'false';
  const withFields = readParameter(call.query, 'include_custom_fields') === 'true';
  return {
    ...renderFields(world, project, call.mode),
    ...(withSections ? renderSections(world, project, call) : {}),
    ...(withFields ? { custom_fields: renderCustomFields(world, project, call.mode) } : {}),
  };
}

function renderFields(world: World, project: ProjectDocument, mode: CodeMode): object {
  const customer = world.store.customers.get(project.company_customer_id);
  const texts = PROJECT_TEXTS.map((field) => [field, toWireTexts(project.texts[field] ?? {}, mode)]);
  const strings = PROJECT_STRINGS.map((field) => [field, project.strings[field] ?? null]);
  return {
    id: project.id,
    company_customer_id: project.company_customer_id,
    customer_name: toWireTexts(customer?.customer_name ?? {}, mode),
    ...Object.fromEntries([...strings, ...texts]),
    workflow_stage: project.workflow_stage,
    version: project.version,
    created_at: toStamp(world, project.created_at),
    updated_at: toStamp(world, project.updated_at),
    has_linked_project_experiences: hasHardLinks(world, project),
  };
}

/** The nested arrays that `include_project_sections=false` leaves out. */
function renderSections(world: World, project: ProjectDocument, call: Call): object {
  const { mode } = call;
  const entries = ENTRY_KINDS.map((kind) => [
    kind,
    project.entries[kind].map((entry) => renderEntry(project.id, kind, entry, mode)),
  ]);
  return {
    ...Object.fromEntries(entries),
    project_owners: project.owner_ids.flatMap((id) => {
      const owner = world.store.users.get(id);
      return owner ? [renderOwner(world, owner, mode)] : [];
    }),
    offices: project.office_ids.flatMap((id) => {
      const office = world.store.offices.get(id);
      if (!office) return [];
      const country_code = world.store.countries.get(office.country_id)?.code ?? null;
      return [{ _id: office.id, name: office.name, country_id: office.country_id, country_code }];
    }),
    attachments: project.attachments.map((attachment) => renderAttachment(world, project.id, attachment, call)),
    custom_tags: renderRecordTags(world, project.custom_tag_ids, 'can_be_used_for_references', mode),
    project_introduction_images: [],
    project_challenges_images: [],
    project_solutions_images: [],
    customer_value_propositions_images: [],
  };
}

export function renderEntry(projectId: string, kind: EntryKind, entry: EntryDocument, mode: CodeMode): object {
  const texts = ENTRIES[kind].texts.map((field) => [field, toWireTexts(entry.texts[field] ?? {}, mode)]);
  const strings = ENTRIES[kind].strings.map((field) => [field, entry.strings[field] ?? null]);
  return {
    id: entry.id,
    reference_project_id: projectId,
    ...Object.fromEntries([...texts, ...strings]),
    disabled: entry.disabled,
    version: entry.version,
  };
}

/** The link to the file is signed again in every answer (spec, Limits: about 10 minutes). */
export function renderAttachment(world: World, projectId: string, attachment: AttachmentDocument, call: Call): object {
  return {
    id: attachment.id,
    reference_project_id: projectId,
    file_name: attachment.file_name,
    content_type: attachment.content_type,
    size: attachment.size,
    url: signUrl(world, call.baseUrl, attachment.id),
    created_at: toStamp(world, attachment.created_at),
  };
}

/** Copies do not count (spec, Reference project). */
export function hasHardLinks(world: World, project: ProjectDocument): boolean {
  return world.store.links.count('WHERE project_id = ?', [project.id]) > 0;
}
