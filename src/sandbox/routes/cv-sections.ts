import { renderSection } from '../answers/render-section.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { isSectionType, SECTIONS, type SectionName } from '../fields/section-kinds.js';
import { type Body, isVersion, readWrapper } from '../fields/values.js';
import { type OwnedCv, requireCv, requireWritableCv, saveCv, withSections } from '../records/cvs.js';
import { findLinkedProject, INHERITED_FIELDS } from '../records/inherited-values.js';
import { buildSection, mergeSectionBody } from '../records/read-section.js';
import type { CvDocument, SectionDocument } from '../store/cv-documents.js';

function readSectionType({ params: { section_type = '' } }: Call): SectionName {
  return isSectionType(section_type) ? section_type : refuse(404, `there is no section type ${section_type}`);
}

export function requireSection(cv: CvDocument, type: SectionName, call: Call): SectionDocument {
  const section = cv.sections[type]?.find((candidate) => candidate.id === call.params.section_id);
  return section ?? refuse(404, `${SECTIONS[type].wrapper} not found`);
}

export function getSection(call: Call): object {
  const type = readSectionType(call);
  return renderSection(call, type, requireSection(requireCv(call).cv, type, call));
}

/** Checks that the external id is unique among all sections of the CV, regardless of type (spec, CV sections). */
function checkUnique(cv: CvDocument, { id, external_unique_id: external }: SectionDocument): void {
  const others = Object.values(cv.sections).flat();
  if (external !== null && others.some((other) => other.external_unique_id === external && other.id !== id)) {
    refuse(422, 'External unique id has already been taken');
  }
}

/** Replaces the section with the same id, or appends the section. */
export function saveSection(call: Call, cv: CvDocument, type: SectionName, section: SectionDocument): void {
  const change = (others: readonly SectionDocument[]): readonly SectionDocument[] =>
    others.some(({ id }) => id === section.id)
      ? others.map((other) => (other.id === section.id ? section : other))
      : [...others, section];
  saveCv(call, withSections(cv, type, change), type);
}

/** @param before as stored, or a new empty section */
function mergeSection(call: Call, { cv, user }: OwnedCv, type: SectionName, before: SectionDocument): SectionDocument {
  const body = readWrapper(call, SECTIONS[type].wrapper);
  if (cv.sections[type]?.includes(before)) {
    checkVersion(body, before);
    if (findLinkedProject(call.world, before)) checkInherited(body);
  }
  const now = call.world.clock.now();
  const merged = mergeSectionBody(before, type, { body, mode: call.mode, now });
  const section = call.userId === user.id ? { ...merged, owner_updated_at: now } : merged;
  checkUnique(cv, section);
  return { ...section, updated_at: now };
}

export function postSection(call: Call): object {
  const type = readSectionType(call);
  const owned = requireWritableCv(call);
  // A new section without an order comes last.
  const last = owned.cv.sections[type]?.at(-1);
  const empty = buildSection(call.world.clock.now(), last === undefined ? 0 : last.order + 1);
  const section = mergeSection(call, owned, type, empty);
  saveSection(call, owned.cv, type, section);
  return renderSection(call, type, section);
}

export function putSection(call: Call): object {
  const type = readSectionType(call);
  const owned = requireWritableCv(call);
  const before = requireSection(owned.cv, type, call);
  const section = { ...mergeSection(call, owned, type, before), version: before.version + 1 };
  saveSection(call, owned.cv, type, section);
  return renderSection(call, type, section);
}

/** Requires the `version` of the last read. A missing or outdated version is 409 (spec, Errors; Versioning 4). */
function checkVersion({ version }: Body, before: SectionDocument): void {
  if (isVersion(version, before.version)) return;
  const found = version === undefined ? 'missing' : `${String(version)}, the record has ${before.version}`;
  refuse(409, `version must be that of the last read; it is ${found}`);
}

/** Rejects values that a hard-linked experience reads from its project (spec, Project linking 7). */
function checkInherited(body: Body): void {
  const fields = INHERITED_FIELDS.filter((field) => body[field] !== undefined);
  if (fields.length === 0) return;
  refuse(422, `${fields.join(', ')} of a linked project experience come from the reference project`, {
    details: fields,
  });
}

export function deleteSection(call: Call): undefined {
  const type = readSectionType(call);
  const { cv } = requireWritableCv(call);
  const { id } = requireSection(cv, type, call);
  const left = withSections(cv, type, (others) => others.filter((other) => other.id !== id));
  saveCv(call, left, type);
}
