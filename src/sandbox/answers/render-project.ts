import type { World } from '../account/world.js';
import type { Call } from '../calls/call.js';
import { type CodeMode, toWireTexts } from '../fields/languages.js';
import { renderTextFields } from '../fields/text-fields.js';
import { readFlagParameter, readParameter } from '../fields/values.js';
import { renderCustomFields } from '../records/custom-fields.js';
import type { ImageDocument } from '../store/documents.js';
import {
  type AttachmentDocument,
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKind,
  IMAGE_KINDS,
  PROJECT_FIELDS,
  type ProjectDocument,
} from '../store/project-documents.js';
import { renderRecordTags } from './render-tags.js';
import { renderOwner } from './render-user.js';
import { signUrl } from './signed-links.js';
import { toStamp } from './stamps.js';

/**
 * Renders the project as it appears in all responses. A read can omit the sections. Custom fields are included only if the
 * parameter is exactly `true` (spec, Custom fields on projects 7).
 */
export function renderWholeProject(call: Call, project: ProjectDocument): object {
  const { world, mode } = call;
  const withSections = readFlagParameter(call.query, 'include_project_sections') ?? true;
  const withFields = readParameter(call.query, 'include_custom_fields') === 'true';
  const customer = world.store.customers.get(project.company_customer_id);
  return {
    id: project.id,
    company_customer_id: project.company_customer_id,
    customer_name: toWireTexts(customer?.customer_name ?? {}, mode),
    workflow_stage: project.workflow_stage,
    version: project.version,
    created_at: toStamp(world, project.created_at),
    updated_at: toStamp(world, project.updated_at),
    has_linked_project_experiences: hasHardLinks(world, project),
    ...(withSections ? renderSections(call, project) : {}),
    ...(withFields ? { custom_fields: renderCustomFields(world, project, mode) } : {}),
    ...renderTextFields(PROJECT_FIELDS, project, mode),
  };
}

/** Renders the nested lists, which `include_project_sections=false` omits. */
function renderSections(call: Call, project: ProjectDocument): object {
  const { mode, world } = call;
  const { users, offices, countries } = world.store;
  const entries = ENTRY_KINDS.map((kind) => [
    kind,
    project.entries[kind].map((entry) => renderEntry(project.id, kind, entry, mode)),
  ]);
  return {
    project_owners: project.owner_ids.flatMap((id) => users.get(id) ?? []).map((owner) => renderOwner(call, owner)),
    offices: project.office_ids
      .flatMap((id) => offices.get(id) ?? [])
      .map(({ id: _id, name, country_id }) => {
        return { _id, name, country_id, country_code: countries.get(country_id)?.code ?? null };
      }),
    attachments: project.attachments.map((attachment) => renderAttachment(call, project.id, attachment)),
    custom_tags: renderRecordTags(world, project.custom_tag_ids, 'can_be_used_for_references', mode),
    ...Object.fromEntries(IMAGE_KINDS.map((kind) => [kind, renderImages(call, project.images?.[kind] ?? [])])),
    ...Object.fromEntries(entries),
  };
}

function renderImages(call: Call, images: readonly ImageDocument[]): readonly object[] {
  return images.map(({ id, image_id, caption }) => {
    const image = { id: image_id, url: signUrl(call, image_id) };
    return { id, image_id, caption: toWireTexts(caption, call.mode), image };
  });
}

export function renderEntry(projectId: string, kind: EntryKind, entry: EntryDocument, mode: CodeMode): object {
  const { id, disabled, version } = entry;
  return { id, reference_project_id: projectId, ...renderTextFields(ENTRIES[kind], entry, mode), disabled, version };
}

/** Renders an attachment. The link to its file gets a new signature in every response (spec, Limits: about 10 minutes). */
export function renderAttachment(call: Call, projectId: string, attachment: AttachmentDocument): object {
  return {
    ...attachment,
    reference_project_id: projectId,
    url: signUrl(call, attachment.id),
    created_at: toStamp(call.world, attachment.created_at),
  };
}

/** True if at least one CV section has a hard link to the project. Copies do not count (spec, Reference project). */
export function hasHardLinks(world: World, project: ProjectDocument): boolean {
  return world.store.links.count('WHERE project_id = ?', [project.id]) > 0;
}
