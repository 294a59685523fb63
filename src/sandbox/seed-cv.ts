import type { CvDocument, PartDocument, SectionDocument } from './cv-documents.js';
import { indexLinks, readMasterCv } from './cvs.js';
import type { UserDocument } from './documents.js';
import { type CvFixture, readFixturePart, refuseFixture } from './fixture.js';
import { INHERITED_FIELDS } from './inherited-values.js';
import { keepImages } from './pictures.js';
import { buildPart, buildSection, mergePartBody, mergeSectionBody, readPartBodies, type Sent } from './read-section.js';
import type { World } from './route.js';
import { isSectionType, listPartTypes, type PartType, SECTIONS, type SectionName } from './section-kinds.js';
import { createId } from './store.js';
import type { Body } from './values.js';

/** A project experience that is a hard link to a project: by its external id, as long as projects are not there yet. */
export interface FixtureLink {
  readonly cvId: string;
  readonly sectionId: string;
  readonly project: string;
  readonly place: string;
}

/**
 * The CV of a fixture: bodies as create takes them, in ISO codes; roles, skills and contacts within their section.
 * @returns the hard links that `seedLinks` makes of its project experiences
 */
export function seedCv(
  world: World,
  user: UserDocument,
  fixture: Pick<CvFixture, 'sections'> & { readonly tagIds: readonly string[] },
  place: string,
): readonly FixtureLink[] {
  const sections: Partial<Record<SectionName, readonly SectionDocument[]>> = {};
  for (const [type, bodies] of Object.entries(fixture.sections)) {
    if (!isSectionType(type)) continue;
    sections[type] = bodies.map((body, index) => {
      const where = `${place}/sections/${type}/${index}`;
      checkFields(type, body, where);
      return {
        ...seedSection(type, { body, mode: 'iso', now: world.clock.now() }, index, where),
        ...seedImages(world, type, body, where),
      };
    });
  }
  const roles = (sections.project_experiences ?? []).flatMap((section) => section.parts.roles ?? []);
  const cv: CvDocument = {
    ...readMasterCv(world, user),
    sections,
    cv_roles: roles.map((role) => ({ id: role.cv_role_id ?? createId(), name: role.texts.name ?? {} })),
    custom_tag_ids: fixture.tagIds,
  };
  world.store.cvs.put(cv);
  const bodies = fixture.sections.project_experiences ?? [];
  return (sections.project_experiences ?? []).flatMap(({ id: sectionId }, index) => {
    const { reference_project: project } = bodies[index] ?? {};
    if (project === undefined) return [];
    const where = `${place}/sections/project_experiences/${index}`;
    if (typeof project === 'string') return [{ cvId: cv.id, sectionId, project, place: where }];
    return refuseFixture(where, 'reference_project is not the external id of a project.');
  });
}

/** Once the projects are there. */
export function seedLinks(world: World, links: readonly FixtureLink[]): void {
  const { cvs, projects } = world.store;
  for (const { cvId, sectionId, project: external, place } of links) {
    const project =
      projects.first('WHERE external_unique_id = ?', [external]) ??
      refuseFixture(place, `The fixture has no project ${external}.`);
    const origin = { isLinked: true, project_id: project.id, customer_id: project.company_customer_id };
    const cv = cvs.get(cvId);
    if (cv === undefined) continue;
    const experiences = (cv.sections.project_experiences ?? []).map((section) =>
      section.id === sectionId ? { ...section, origin } : section,
    );
    indexLinks(world, cvs.put({ ...cv, sections: { ...cv.sections, project_experiences: experiences } }));
  }
}

const COMMON = ['external_unique_id', 'starred', 'disabled', 'order', 'uncategorized', 'exclude_tags'];

/** A misspelled key would quietly make another account. */
function checkFields(type: SectionName, body: Body, place: string): void {
  const known: readonly string[] = [
    ...SECTIONS[type].texts,
    ...SECTIONS[type].strings,
    ...listPartTypes(type),
    ...COMMON,
    ...(type === 'project_experiences' ? ['images', 'reference_project'] : []),
  ].filter((field) => body.reference_project === undefined || !INHERITED_FIELDS.includes(field));
  const stranger = Object.keys(body).find((field) => !known.includes(field));
  if (stranger === undefined) return;
  const which = body.reference_project === undefined ? type : `${type} that are hard links`;
  refuseFixture(place, `${which} have no field ${stranger}; they have ${known.join(', ')}.`);
}

function seedSection(type: SectionName, sent: Sent, index: number, place: string): SectionDocument {
  return readFixturePart(place, () => {
    const section = mergeSectionBody(buildSection(sent.now, index), type, sent);
    const parts = listPartTypes(type).map((part) => [part, readParts(part, sent)]);
    return { ...section, parts: Object.fromEntries(parts) as SectionDocument['parts'] };
  });
}

function seedImages(world: World, type: SectionName, { images }: Body, place: string): Pick<SectionDocument, 'images'> {
  if (type !== 'project_experiences' || images === undefined) return {};
  return { images: readFixturePart(place, () => keepImages(world, images)) };
}

function readParts(type: PartType, sent: Sent): readonly PartDocument[] {
  if (sent.body[type] === undefined) return [];
  return readPartBodies(type, sent.body).map((body, index) => {
    const part = mergePartBody(buildPart(sent.now, index), type, { ...sent, body });
    return type === 'roles' ? { ...part, cv_role_id: createId() } : part;
  });
}
