import type { Call } from '../calls/call.js';
import { toWireTexts } from '../fields/languages.js';
import { listPartTypes, PARTS, type PartType, SECTIONS, type SectionName } from '../fields/section-kinds.js';
import { pickTextFields, renderTextFields } from '../fields/text-fields.js';
import { findLinkedProject, listSectionImages, readInheritedValues } from '../records/inherited-values.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import type { ImageDocument } from '../store/documents.js';
import type { EntryDocument } from '../store/project-documents.js';
import { ITEM_EXTRAS, SECTION_EXTRAS } from './client-fields.js';
import { signUrl } from './signed-links.js';
import { toStamp } from './stamps.js';

export function renderSection(call: Call, type: SectionName, section: SectionDocument): object {
  const { world, mode } = call;
  const parts = listPartTypes(type).map((part) => [
    part,
    (section.parts[part] ?? []).map((entry) => renderPart(call, part, entry)),
  ]);
  return {
    _id: section.id,
    starred: section.starred,
    disabled: section.disabled,
    version: section.version,
    external_unique_id: section.external_unique_id,
    order: section.order,
    recently_added: section.recently_added,
    owner_updated_at: section.owner_updated_at === null ? null : toStamp(world, section.owner_updated_at),
    created_at: toStamp(world, section.created_at),
    updated_at: toStamp(world, section.updated_at),
    // Spread values come last, for the reason given in render-user.ts.
    ...ITEM_EXTRAS,
    ...SECTION_EXTRAS[type],
    ...renderTextFields(SECTIONS[type], section, mode),
    ...Object.fromEntries(parts),
    ...(type === 'technologies' ? { uncategorized: section.uncategorized ?? false } : {}),
    ...(type === 'project_experiences' ? renderExperience(call, section) : {}),
  };
}

/** Renders a project experience. A hard link reads inherited values from the project (spec, Project linking 5). */
function renderExperience(call: Call, section: SectionDocument): object {
  const { world, mode } = call;
  const project = findLinkedProject(world, section);
  const inherited = project && readInheritedValues(world, project);
  const extra = { texts: ['contract_type'], strings: ['project_address', 'location_country_code'] };
  const all = inherited ? { texts: Object.keys(inherited.texts), strings: Object.keys(inherited.strings) } : extra;
  return {
    ...renderTextFields(all, inherited ?? section, mode),
    ...(inherited ? { project_experience_customer_contacts: inherited.contacts.map(renderContact) } : {}),
    images: listSectionImages(world, section).map((image, order) => renderSectionImage(call, image, order)),
    exclude_tags: section.exclude_tags ?? [],
    link_type: section.origin?.isLinked ? 'linked' : null,
    reference_project_id: section.origin?.project_id ?? null,
    reference_customer_id: section.origin?.customer_id ?? null,
    ...(project ? { reference_project: { external_unique_id: project.strings.external_unique_id ?? null } } : {}),
  };
}

/** Renders a customer contact of the project for a hard-linked experience. */
function renderContact({ id, texts, strings }: EntryDocument): object {
  return { _id: id, ...pickTextFields(PARTS.project_experience_customer_contacts, { texts, strings }) };
}

/** Renders a picture. It is stored in one size, so the links for all sizes are the same. */
export function renderSectionImage(call: Call, { id, image_id, caption }: ImageDocument, order: number): object {
  const url = signUrl(call, image_id);
  const sizes = ['scaled', 'for_templates', 'for_projects', 'thumb', 'fit_thumb', 'small_thumb'];
  const image = { id: image_id, url, ...Object.fromEntries(sizes.map((size) => [size, { url }])) };
  return { id, order, caption: toWireTexts(caption, call.mode), image };
}

export function renderPart({ world, mode }: Call, type: PartType, part: PartDocument): object {
  const { id: _id, order, version, disabled, numbers } = part;
  const common = { _id, order, version, ...renderTextFields(PARTS[type], part, mode) };
  if (type === 'project_experience_customer_contacts') return { ...common, disabled };
  if (type !== 'roles') {
    const { base_duration_in_years, offset_duration_in_years, proficiency } = numbers;
    const [base, offset] = [base_duration_in_years ?? 0, offset_duration_in_years ?? 0];
    return {
      base_duration_in_years: base,
      offset_duration_in_years: offset,
      total_duration_in_years: base + offset,
      proficiency: proficiency ?? 0,
      ...common,
    };
  }
  return {
    cv_role_id: part.cv_role_id,
    starred: part.starred,
    disabled,
    diverged_from_master: false,
    recently_added: false,
    created_at: toStamp(world, part.created_at),
    updated_at: toStamp(world, part.updated_at),
    modifier_id: part.modifier_id,
    ...common,
  };
}
