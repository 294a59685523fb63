import type { CvDocument, PartDocument, SectionDocument } from './cv-documents.js';
import { indexLinks, readMasterCv } from './cvs.js';
import type { UserDocument } from './documents.js';
import { type CvFixture, readFixturePart, refuseFixture } from './fixture.js';
import { keepImages } from './pictures.js';
import { buildPart, buildSection, mergePartBody, mergeSectionBody, readPartBodies, type Sent } from './read-section.js';
import type { World } from './route.js';
import { isSectionType, listPartTypes, type PartType, SECTIONS, type SectionName } from './section-kinds.js';
import { createId } from './store.js';
import type { Body } from './values.js';

/** The CV of a fixture: bodies as create takes them, in ISO codes; roles, skills and contacts within their section. */
export function seedCv(
  world: World,
  user: UserDocument,
  fixture: Pick<CvFixture, 'sections'> & { readonly tagIds: readonly string[] },
  place: string,
): void {
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
  indexLinks(world, world.store.cvs.put(cv));
}

const COMMON = ['external_unique_id', 'starred', 'disabled', 'order', 'uncategorized', 'exclude_tags'];

/** A misspelled key would quietly make another account. */
function checkFields(type: SectionName, body: Body, place: string): void {
  const known: readonly string[] = [
    ...SECTIONS[type].texts,
    ...SECTIONS[type].strings,
    ...listPartTypes(type),
    ...COMMON,
    ...(type === 'project_experiences' ? ['images'] : []),
  ];
  const stranger = Object.keys(body).find((field) => !known.includes(field));
  if (stranger !== undefined) refuseFixture(place, `${type} have no field ${stranger}; they have ${known.join(', ')}.`);
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
