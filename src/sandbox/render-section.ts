import type { PartDocument, SectionDocument } from './cv-documents.js';
import { findLinkedProject, readInheritedValues } from './inherited-values.js';
import { type CodeMode, type Texts, toWireTexts } from './languages.js';
import type { World } from './route.js';
import { listPartTypes, PARTS, type PartType, SECTIONS, type SectionName } from './section-kinds.js';
import { toStamp } from './stamps.js';

function renderFields(
  kind: { readonly texts: readonly string[]; readonly strings: readonly string[] },
  values: {
    readonly texts: Readonly<Record<string, Texts>>;
    readonly strings: Readonly<Record<string, string | null>>;
  },
  mode: CodeMode,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of kind.texts) fields[name] = toWireTexts(values.texts[name] ?? {}, mode);
  for (const name of kind.strings) fields[name] = values.strings[name] ?? null;
  return fields;
}

export function renderSection(world: World, type: SectionName, section: SectionDocument, mode: CodeMode): object {
  const parts = listPartTypes(type).map((part) => [
    part,
    (section.parts[part] ?? []).map((entry) => renderPart(world, part, entry, mode)),
  ]);
  return {
    _id: section.id,
    ...renderFields(SECTIONS[type], section, mode),
    ...Object.fromEntries(parts),
    ...(type === 'technologies' ? { uncategorized: section.uncategorized ?? false } : {}),
    ...(type === 'project_experiences' ? renderExperience(world, section, mode) : {}),
    starred: section.starred,
    disabled: section.disabled,
    version: section.version,
    external_unique_id: section.external_unique_id,
    order: section.order,
    recently_added: section.recently_added,
    owner_updated_at: section.owner_updated_at === null ? null : toStamp(world, section.owner_updated_at),
    created_at: toStamp(world, section.created_at),
    updated_at: toStamp(world, section.updated_at),
  };
}

/** A hard link reads what it inherits from the project as it is now (spec, Project linking 5). */
function renderExperience(world: World, section: SectionDocument, mode: CodeMode): object {
  const project = findLinkedProject(world, section);
  const inherited = project && readInheritedValues(world, project);
  const extra = { texts: ['contract_type'], strings: ['project_address', 'location_country_code'] };
  const all = inherited ? { texts: Object.keys(inherited.texts), strings: Object.keys(inherited.strings) } : extra;
  return {
    ...renderFields(all, inherited ?? section, mode),
    ...(inherited
      ? { project_experience_customer_contacts: inherited.contacts.map(({ id, strings }) => ({ _id: id, ...strings })) }
      : {}),
    images: [],
    exclude_tags: section.exclude_tags ?? [],
    link_type: section.origin?.isLinked ? 'linked' : null,
    reference_project_id: section.origin?.project_id ?? null,
    reference_customer_id: section.origin?.customer_id ?? null,
    ...(project ? { reference_project: { external_unique_id: project.strings.external_unique_id ?? null } } : {}),
  };
}

export function renderPart(world: World, type: PartType, part: PartDocument, mode: CodeMode): object {
  const common = {
    _id: part.id,
    ...renderFields(PARTS[type], part, mode),
    order: part.order,
    version: part.version,
  };
  if (type === 'project_experience_customer_contacts') return { ...common, disabled: part.disabled };
  if (type !== 'roles') {
    const [base, offset] = [part.numbers.base_duration_in_years ?? 0, part.numbers.offset_duration_in_years ?? 0];
    return {
      ...common,
      base_duration_in_years: base,
      offset_duration_in_years: offset,
      total_duration_in_years: base + offset,
      proficiency: part.numbers.proficiency ?? 0,
    };
  }
  return {
    ...common,
    cv_role_id: part.cv_role_id,
    starred: part.starred,
    disabled: part.disabled,
    diverged_from_master: false,
    recently_added: false,
    created_at: toStamp(world, part.created_at),
    updated_at: toStamp(world, part.updated_at),
    modifier_id: part.modifier_id,
  };
}
