import { readParty } from '../access.js';
import type { CvDocument, PartDocument, SectionDocument } from '../cv-documents.js';
import { requireCv, requireWritableCv, saveCv, withSections } from '../cvs.js';
import { findLinkedProject } from '../inherited-values.js';
import { buildPart, mergePartBody } from '../read-section.js';
import { renderPart } from '../render-section.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { PART_TYPES, PARTS, type PartType } from '../section-kinds.js';
import { createId } from '../store.js';
import { readWrapper } from '../values.js';
import { requireSection } from './cv-sections.js';
import { CV } from './cvs.js';

/**
 * Roles, skills and contacts of sections. The spec shows create and read of roles; the rest is their natural form:
 * update and delete, and the same four calls for the other lists.
 */
export const SECTION_PART_ROUTES: readonly Route[] = [
  ...PART_TYPES.flatMap((type): Route[] => {
    const list = `${CV}/${PARTS[type].section}/:section_id/${type}`;
    const one = `${list}/:part_id`;
    return [
      { method: 'POST', path: list, access: 'write', handle: (world, call) => postPart(world, call, type) },
      { method: 'GET', path: one, access: 'read', handle: (world, call) => getPart(world, call, type) },
      { method: 'PUT', path: one, access: 'write', handle: (world, call) => putPart(world, call, type) },
      { method: 'DELETE', path: one, access: 'write', handle: (world, call) => deletePart(world, call, type) },
    ];
  }),
  { method: 'POST', path: `${CV}/project_experiences/:section_id/images`, access: 'write', handle: postImage },
];

function listParts(section: SectionDocument, type: PartType): readonly PartDocument[] {
  return section.parts[type] ?? [];
}

function requirePart(section: SectionDocument, type: PartType, call: Call): PartDocument {
  const part = listParts(section, type).find((candidate) => candidate.id === call.params.part_id);
  if (!part) throw new Refusal(404, `${PARTS[type].wrapper} not found`);
  return part;
}

/** Images and contacts of a hard-linked experience are those of the project (spec, Project linking 7). */
function checkLinked(world: World, section: SectionDocument, type: PartType | 'images'): void {
  const isInherited = type === 'images' || type === 'project_experience_customer_contacts';
  if (!isInherited || !findLinkedProject(world, section)) return;
  throw new Refusal(422, `the ${type} of a linked project experience are those of the reference project`);
}

function getPart(world: World, call: Call, type: PartType): Answer {
  const { cv } = requireCv(world, call);
  const part = requirePart(requireSection(cv, PARTS[type].section, call), type, call);
  return { status: 200, body: renderPart(world, type, part, call.mode) };
}

/** A section with a list of parts, of a CV that may be written. */
interface PartHost {
  readonly cv: CvDocument;
  readonly section: SectionDocument;
  readonly type: PartType;
}

function requireHost(world: World, call: Call, type: PartType): PartHost {
  const { cv } = requireWritableCv(world, call);
  const section = requireSection(cv, PARTS[type].section, call);
  checkLinked(world, section, type);
  return { cv, section, type };
}

/** Stores the section with other parts: its version moves like that of any saved record. */
function saveParts(world: World, call: Call, { cv, section, type }: PartHost, parts: readonly PartDocument[]): void {
  const sorted = [...parts].sort((a, b) => a.order - b.order);
  const now = world.clock.now();
  const saved: SectionDocument = {
    ...section,
    parts: { ...section.parts, [type]: sorted },
    version: section.version + 1,
    updated_at: now,
    owner_updated_at: call.userId === cv.user_id ? now : section.owner_updated_at,
  };
  const name = PARTS[type].section;
  const change = (others: readonly SectionDocument[]) =>
    others.map((other) => (other.id === section.id ? saved : other));
  saveCv(world, call, withSections(cv, name, change), name);
}

/**
 * The CV with a cv_role of the part's name, and its id: one of that name; else the part's own, renamed, when no other part
 * has it; else a new one. A cv_role that no part has is dropped when the CV is saved.
 */
function ensureCvRole(cv: CvDocument, part: PartDocument): { readonly cv: CvDocument; readonly cvRoleId: string } {
  const name = part.texts.name ?? {};
  const isSame = (other: Readonly<Record<string, string>>): boolean =>
    Object.entries(name).some(([language, text]) => other[language] === text);
  const own = cv.cv_roles.find((role) => role.id === part.cv_role_id);
  const parts = (cv.sections.project_experiences ?? []).flatMap((section) => section.parts.roles ?? []);
  const isShared = parts.some((other) => other.id !== part.id && other.cv_role_id === own?.id);
  const known = cv.cv_roles.find((role) => role !== own && isSame(role.name));
  if (known) return { cv, cvRoleId: known.id };
  if (own !== undefined && !isShared) {
    return {
      cv: { ...cv, cv_roles: cv.cv_roles.map((role) => (role === own ? { ...role, name } : role)) },
      cvRoleId: own.id,
    };
  }
  if (own !== undefined && isSame(own.name)) return { cv, cvRoleId: own.id };
  const role = { id: createId(), name };
  return { cv: { ...cv, cv_roles: [...cv.cv_roles, role] }, cvRoleId: role.id };
}

function postPart(world: World, call: Call, type: PartType): Answer {
  const host = requireHost(world, call, type);
  const last = listParts(host.section, type).at(-1);
  return savePart(world, call, host, buildPart(world.clock.now(), last ? last.order + 1 : 0));
}

function putPart(world: World, call: Call, type: PartType): Answer {
  const host = requireHost(world, call, type);
  return savePart(world, call, host, requirePart(host.section, type, call));
}

/** @param before is in the section already, or is added to it */
function savePart(world: World, call: Call, host: PartHost, before: PartDocument): Answer {
  const { type, section } = host;
  const body = readWrapper(call, PARTS[type].wrapper);
  const merged = mergePartBody(before, type, { body, mode: call.mode, now: world.clock.now() });
  const made = type === 'roles' ? ensureCvRole(host.cv, merged) : { cv: host.cv, cvRoleId: null };
  const part = { ...merged, cv_role_id: made.cvRoleId, modifier_id: readParty(call).id };
  const others = listParts(section, type);
  const parts = others.includes(before) ? others.map((other) => (other === before ? part : other)) : [...others, part];
  saveParts(world, call, { ...host, cv: made.cv }, parts);
  return { status: 200, body: renderPart(world, type, part, call.mode) };
}

function deletePart(world: World, call: Call, type: PartType): Answer {
  const host = requireHost(world, call, type);
  const gone = requirePart(host.section, type, call);
  const parts = listParts(host.section, type).filter((other) => other !== gone);
  saveParts(world, call, host, parts);
  return NO_CONTENT;
}

function postImage(world: World, call: Call): Answer {
  const { cv } = requireWritableCv(world, call);
  checkLinked(world, requireSection(cv, 'project_experiences', call), 'images');
  throw new Refusal(501, 'this sandbox keeps no images');
}
