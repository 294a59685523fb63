import type { CvDocument, SectionDocument } from '../cv-documents.js';
import { type OwnedCv, requireCv, requireWritableCv, saveCv, withSections } from '../cvs.js';
import { findLinkedProject, INHERITED_FIELDS } from '../inherited-values.js';
import { buildSection, mergeSectionBody } from '../read-section.js';
import { renderSection } from '../render-section.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { isSectionType, SECTIONS, type SectionName } from '../section-kinds.js';
import { type Body, isVersion, readWrapper } from '../values.js';
import { CV } from './cvs.js';

/** All 14 section types behave alike: the table of their fields is section-kinds.ts. */
export const CV_SECTION_ROUTES: readonly Route[] = [
  { method: 'GET', path: `${CV}/:section_type/:section_id`, access: 'read', handle: getSection },
  { method: 'POST', path: `${CV}/:section_type`, access: 'write', handle: postSection },
  { method: 'PUT', path: `${CV}/:section_type/:section_id`, access: 'write', handle: putSection },
  { method: 'DELETE', path: `${CV}/:section_type/:section_id`, access: 'write', handle: deleteSection },
];

function readSectionType(call: Call): SectionName {
  const type = call.params.section_type ?? '';
  if (!isSectionType(type)) throw new Refusal(404, `there is no section type ${type}`);
  return type;
}

export function requireSection(cv: CvDocument, type: SectionName, call: Call): SectionDocument {
  const section = cv.sections[type]?.find((candidate) => candidate.id === call.params.section_id);
  if (!section) throw new Refusal(404, `${SECTIONS[type].wrapper} not found`);
  return section;
}

function getSection(world: World, call: Call): Answer {
  const type = readSectionType(call);
  const { cv } = requireCv(world, call);
  return { status: 200, body: renderSection(world, type, requireSection(cv, type, call), call.mode) };
}

/** Unique across the sections of the CV, of whatever type (spec, CV sections). */
function checkExternalId(cv: CvDocument, section: SectionDocument): void {
  const external = section.external_unique_id;
  if (external === null) return;
  const holders = Object.values(cv.sections).flat();
  if (holders.some((other) => other.external_unique_id === external && other.id !== section.id)) {
    throw new Refusal(422, 'External unique id has already been taken');
  }
}

/** Without an order of its own a new section is the last one. */
function nextOrder(cv: CvDocument, type: SectionName): number {
  const last = cv.sections[type]?.at(-1);
  return last === undefined ? 0 : last.order + 1;
}

function stampOwner(call: Call, { user }: OwnedCv, section: SectionDocument, now: number): SectionDocument {
  return call.userId === user.id ? { ...section, owner_updated_at: now } : section;
}

function postSection(world: World, call: Call): Answer {
  const type = readSectionType(call);
  const owned = requireWritableCv(world, call);
  const body = readWrapper(call, SECTIONS[type].wrapper);
  const now = world.clock.now();
  const empty = buildSection(now, nextOrder(owned.cv, type));
  const section = stampOwner(call, owned, mergeSectionBody(empty, type, { body, mode: call.mode, now }), now);
  checkExternalId(owned.cv, section);
  saveCv(
    world,
    call,
    withSections(owned.cv, type, (others) => [...others, section]),
    type,
  );
  return { status: 200, body: renderSection(world, type, section, call.mode) };
}

/** `version` as read; missing or stale is 409 (spec, Errors; Versioning 4). */
function putSection(world: World, call: Call): Answer {
  const type = readSectionType(call);
  const owned = requireWritableCv(world, call);
  const before = requireSection(owned.cv, type, call);
  const body = readWrapper(call, SECTIONS[type].wrapper);
  if (!isVersion(body.version, before.version)) {
    const found = body.version === undefined ? 'missing' : `${String(body.version)}, the record has ${before.version}`;
    throw new Refusal(409, `version must be that of the last read; it is ${found}`);
  }
  if (findLinkedProject(world, before)) checkInherited(body);
  const now = world.clock.now();
  const merged = { ...mergeSectionBody(before, type, { body, mode: call.mode, now }), version: before.version + 1 };
  const section = stampOwner(call, owned, { ...merged, updated_at: now }, now);
  checkExternalId(owned.cv, section);
  const change = (others: readonly SectionDocument[]) =>
    others.map((other) => (other.id === section.id ? section : other));
  saveCv(world, call, withSections(owned.cv, type, change), type);
  return { status: 200, body: renderSection(world, type, section, call.mode) };
}

/** What a hard-linked experience reads from its project cannot be sent to it (spec, Project linking 7). */
function checkInherited(body: Body): void {
  const fields = INHERITED_FIELDS.filter((field) => body[field] !== undefined);
  if (fields.length === 0) return;
  throw new Refusal(422, `${fields.join(', ')} of a linked project experience come from the reference project`, {
    details: fields,
  });
}

function deleteSection(world: World, call: Call): Answer {
  const type = readSectionType(call);
  const { cv } = requireWritableCv(world, call);
  const { id } = requireSection(cv, type, call);
  saveCv(
    world,
    call,
    withSections(cv, type, (others) => others.filter((other) => other.id !== id)),
    type,
  );
  return NO_CONTENT;
}
