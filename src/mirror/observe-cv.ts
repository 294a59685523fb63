import type { Directory, TagNames } from '../model/directory.js';
import { FIELDS, type FieldTable } from '../model/fields.js';
import type { Values } from '../model/json.js';
import { firstText, nameSection } from '../model/label.js';
import type { Observed } from '../model/observed.js';
import { SECTION_TYPES, type SectionType } from '../model/sections.js';
import type { WireCv, WireSection } from '../service/wire-cv.js';
import { type Observation, observe, shown, shownPlace, withValues } from './observe.js';

export interface CvOwner {
  readonly userId: string;
  readonly cvId: string;
  /** The person's name, used in labels. */
  readonly name: string;
}

/**
 * Observes one section, including its version, which an update needs. Also shows if the section takes values from a
 * linked project (spec, CV sections; Project linking 7).
 */
export function observeSection<T extends SectionType>(
  entity: T,
  section: WireSection<T>,
  { userId, cvId, name }: CvOwner,
): Observed {
  const own = Object.entries(FIELDS[entity])
    .filter(([, { to }]) => to === undefined)
    .map(([field]) => [field, shown(section, field)] as const);
  const values = Object.fromEntries(own);
  const words = nameSection(values) ?? section.external_unique_id ?? section.id;
  return observe(entity, section.id, `${words} of ${name}`, {
    ...values,
    user_id: userId,
    cv_id: cvId,
    version: section.version ?? null,
    ...('link_type' in section && section.link_type === 'linked' ? { linked: true } : {}),
  });
}

/** Observes a project experience as a link if it came from a reference project; returns null for other experiences. */
export function observeLink(section: WireSection<'project_experiences'>, owner: CvOwner): Observed | null {
  const projectId = section.reference_project_id;
  if (typeof projectId !== 'string' || projectId === '') return null;
  const { userId, cvId, name } = owner;
  const what = firstText(section.description) ?? section.reference_project?.external_unique_id ?? projectId;
  const values: Observation<'staffing', keyof FieldTable['staffing']> = {
    project_id: projectId,
    user_id: userId,
    cv_id: cvId,
    link: section.link_type === 'linked',
    role: (section.roles ?? []).map((role) => role.name ?? {}),
    // The service shows only ids, and does not show where the dates come from.
    project: undefined,
    user: undefined,
    include_dates: undefined,
  };
  return observe('staffing', section.id, `${name} on ${what}`, values);
}

/**
 * Observes every section that has an external id, and every link. Entries that people wrote by hand have no external id
 * and are not managed.
 */
export function observeCv(cv: WireCv, owner: CvOwner): readonly Observed[] {
  const sections = SECTION_TYPES.flatMap((entity) => observeKind(cv, entity, owner));
  const links = (cv.project_experiences ?? []).flatMap((section) => observeLink(section, owner) ?? []);
  return [...sections, ...links];
}

function observeKind(cv: WireCv, entity: SectionType, owner: CvOwner): readonly Observed[] {
  const list = (cv[entity] ?? []) as readonly WireSection<SectionType>[];
  return list
    .filter((section) => typeof section.external_unique_id === 'string')
    .map((section) => observeSection(entity, section, owner));
}

/**
 * Returns the CV's tags by external ids. `custom_tag_ids` lists all tags, so a category without tags is shown as empty.
 * If the answer only has `custom_tags`, categories that may not be used for CVs are unknown (spec, CV).
 */
export function readCvTags(
  cv: WireCv,
  directory: Pick<Directory & TagNames, 'known' | 'showsTags' | 'tagById'>,
): Values | undefined {
  const ids = cv.custom_tag_ids ?? cv.custom_tags?.map(({ id }) => id);
  if (ids === undefined) return undefined;
  const isWhole = cv.custom_tag_ids !== undefined;
  const tags: Record<string, string[]> = {};
  for (const category of directory.known('categories')) {
    if (isWhole || directory.showsTags(category, 'users')) tags[category] = [];
  }
  for (const id of ids) {
    const names = directory.tagById(id);
    if (names === null) continue;
    const list = tags[names.category] ?? [];
    tags[names.category] = list;
    list.push(names.tag);
  }
  for (const list of Object.values(tags)) list.sort();
  return tags;
}

/** Adds the fields that are set through the CV to a person. */
export function withCv(user: Observed, cv: WireCv, directory: Directory & TagNames): Observed {
  return withValues(user, {
    name_multilang: cv.name_multilang,
    place_of_residence: shownPlace(cv),
    cv_tags: readCvTags(cv, directory),
  });
}
