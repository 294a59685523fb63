import { renderPart, renderSectionImage } from '../answers/render-section.js';
import { readParty } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { requireUpload } from '../calls/multipart.js';
import { refuse } from '../fields/refusal.js';
import { PARTS, type PartType } from '../fields/section-kinds.js';
import { requireCv, requireWritableCv } from '../records/cvs.js';
import { findLinkedProject } from '../records/inherited-values.js';
import { keepPictureBytes } from '../records/pictures.js';
import { buildPart, mergePartBody } from '../records/read-section.js';
import type { CvDocument, PartDocument, SectionDocument } from '../store/cv-documents.js';
import type { ImageDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import { requireSection, saveSection } from './cv-sections.js';
import type { Resource } from './resource.js';

/** A section that has a list of parts, in a writable CV. */
interface PartHost {
  readonly cv: CvDocument;
  readonly section: SectionDocument;
}

export function partsOf(type: PartType): Resource<PartHost, PartDocument> {
  return {
    wrapper: PARTS[type].wrapper,
    place: (call) => {
      const { cv } = requireWritableCv(call);
      const section = requireSection(cv, PARTS[type].section, call);
      checkLinked(call, section, type);
      return { cv, section };
    },
    find: (call, { section }) => requirePart(section, type, call),
    render: (call, part) => renderPart(call, type, part),
    save: (call, { cv, section }, body, before) => {
      const others = section.parts[type] ?? [];
      const now = call.world.clock.now();
      const last = others.at(-1);
      const empty = before ?? buildPart(now, last ? last.order + 1 : 0);
      const merged = mergePartBody(empty, type, { body, mode: call.mode, now });
      const made = type === 'roles' ? ensureCvRole(cv, merged) : { cv, cvRoleId: null };
      const part = { ...merged, cv_role_id: made.cvRoleId, modifier_id: readParty(call).id };
      const parts = before ? others.map((other) => (other === before ? part : other)) : [...others, part];
      saveParts(call, { cv: made.cv, section }, type, parts);
      return part;
    },
    remove: (call, part, host) => {
      const left = (host.section.parts[type] ?? []).filter((other) => other !== part);
      saveParts(call, host, type, left);
    },
  };
}

export function getPart(type: PartType): (call: Call) => object {
  return (call) =>
    renderPart(call, type, requirePart(requireSection(requireCv(call).cv, PARTS[type].section, call), type, call));
}

function requirePart(section: SectionDocument, type: PartType, call: Call): PartDocument {
  const part = section.parts[type]?.find((candidate) => candidate.id === call.params.part_id);
  return part ?? refuse(404, `${PARTS[type].wrapper} not found`);
}

/**
 * Rejects changes to images and contacts of a hard-linked experience, because they belong to the project (spec, Project linking
 * 7).
 */
function checkLinked({ world }: Call, section: SectionDocument, type: PartType | 'images'): void {
  const isInherited = type === 'images' || type === 'project_experience_customer_contacts';
  if (!isInherited || !findLinkedProject(world, section)) return;
  refuse(422, `the ${type} of a linked project experience are those of the reference project`);
}

/** Stores the section with changed parts. Its version increases as with any saved record. */
function saveParts(call: Call, { cv, section }: PartHost, type: PartType, parts: readonly PartDocument[]): void {
  const now = call.world.clock.now();
  saveSection(call, cv, PARTS[type].section, {
    ...section,
    parts: { ...section.parts, [type]: [...parts].sort((a, b) => a.order - b.order) },
    version: section.version + 1,
    updated_at: now,
    owner_updated_at: call.userId === cv.user_id ? now : section.owner_updated_at,
  });
}

/**
 * Finds or adds the cv_role of a part. A role with the same name is used first. Otherwise, the part's role is renamed, unless
 * other parts have it; in this case, a new role is added. Saving the CV removes roles without parts.
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
    const cv_roles = cv.cv_roles.map((role) => (role === own ? { ...role, name } : role));
    return { cv: { ...cv, cv_roles }, cvRoleId: own.id };
  }
  if (own !== undefined && isSame(own.name)) return { cv, cvRoleId: own.id };
  const role = { id: createId(), name };
  return { cv: { ...cv, cv_roles: [...cv.cv_roles, role] }, cvRoleId: role.id };
}

/** Accepts one picture as `multipart/form-data`. */
export function postImage(call: Call): object {
  const { cv } = requireWritableCv(call);
  const section = requireSection(cv, 'project_experiences', call);
  checkLinked(call, section, 'images');
  const { bytes } = requireUpload(call);
  const image: ImageDocument = { id: createId(), image_id: keepPictureBytes(call.world, bytes), caption: {} };
  const images = [...(section.images ?? []), image];
  saveParts(call, { cv, section: { ...section, images } }, 'roles', section.parts.roles ?? []);
  return renderSectionImage(call, image, images.length - 1);
}
