import type { World } from '../account/world.js';
import { canReadCv, canWriteCv, isParty, readParty } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { CV_FIELDS, pickFields } from '../fields/plain-fields.js';
import { refuse } from '../fields/refusal.js';
import type { SectionName } from '../fields/section-kinds.js';
import type { CvDocument, CvProfile, SectionDocument } from '../store/cv-documents.js';
import type { UserDocument } from '../store/documents.js';
import { createId } from '../store/store.js';

export interface OwnedCv {
  readonly cv: CvDocument;
  readonly user: UserDocument;
}

/** The master CV of a user. An empty one is not stored, so that 100,000 users do not need 100,000 CVs. */
export function readMasterCv(world: World, user: UserDocument): CvDocument {
  return (
    world.store.cvs.get(user.default_cv_id) ?? {
      id: user.default_cv_id,
      user_id: user.id,
      proposal_id: null,
      status: null,
      profile: null,
      version: 1,
      sections: {},
      cv_roles: [],
      custom_tag_ids: [],
      owner_updated: {},
      owner_updated_at: null,
      last_modified_by: { id: user.id, name: user.name },
      created_at: user.created_at,
      updated_at: user.created_at,
    }
  );
}

/** The CV of the path, if the key may read it: 404 before 403, as for every record. */
export function requireCv(call: Call, refusal = 'this key may not read the CVs of others'): OwnedCv {
  const { user_id = '', cv_id = '' } = call.params;
  const { users, cvs } = call.world.store;
  const user = users.get(user_id) ?? refuse(404, 'CV not found');
  const cv = user.default_cv_id === cv_id ? readMasterCv(call.world, user) : cvs.get(cv_id);
  if (cv?.user_id !== user.id) refuse(404, 'CV not found');
  if (!canReadCv(call, user)) refuse(403, refusal);
  return { user, cv };
}

/** Parties of a proposal may also write its tailored CVs. */
export function requireWritableCv(call: Call): OwnedCv {
  const found = requireCv(call);
  const proposal = call.world.store.proposals.get(found.cv.proposal_id ?? '');
  const isTailor = proposal !== undefined && isParty(call, proposal);
  if (!isTailor && !canWriteCv(call, found.user)) refuse(403, 'this key has no write access to the CV');
  return found;
}

export function profileOf({ cv, user }: OwnedCv): CvProfile {
  return cv.profile ?? user;
}

/** The later one of the CV's changes and the user's profile changes, which a master CV shows. */
export function cvUpdatedAt({ cv, user }: OwnedCv): number {
  if (cv.profile !== null) return cv.updated_at;
  return Math.max(cv.updated_at, user.profile_shown_at ?? user.profile_updated_at * 1000);
}

/**
 * Time stamp of a change that begins now. It is at least a millisecond later than the previous one. So a client that
 * compares `updated_at` misses no change, even with two in one millisecond or a clock that was set back.
 */
export function nextCvStamp(world: World, before: OwnedCv): number {
  return Math.max(world.clock.now(), cvUpdatedAt(before) + 1);
}

/**
 * The tags of a master CV. If the account shows users' tags on CVs, they are one set, and a tag attached to either appears
 * on both.
 */
export function listCvTags(world: World, { cv, user }: OwnedCv): readonly string[] {
  if (!world.account.user_tags_on_cvs || cv.proposal_id !== null) return cv.custom_tag_ids;
  return [...new Set([...user.custom_tag_ids, ...cv.custom_tag_ids])];
}

/**
 * Stores a changed CV: increases its version, and records who changed it. A change by its owner moves the owner's stamps.
 *
 * @param cv the new content, with the old `updated_at`
 */
export function saveCv(call: Call, cv: CvDocument, touched?: SectionName): CvDocument {
  const { world, userId, key } = call;
  const { users, cvs } = world.store;
  const user = users.get(cv.user_id);
  const now = user === undefined ? world.clock.now() : nextCvStamp(world, { cv, user });
  const name = userId === undefined ? key.name : (users.get(userId)?.name ?? '');
  const owner_updated = touched === undefined ? cv.owner_updated : { ...cv.owner_updated, [touched]: now };
  const saved = cvs.put({
    ...keepUsedRoles(cv),
    version: cv.version + 1,
    updated_at: now,
    last_modified_by: { id: readParty(call).id, name },
    ...(userId === cv.user_id ? { owner_updated_at: now, owner_updated } : {}),
  });
  if (touched === 'project_experiences') indexLinks(world, saved);
  return saved;
}

/** Notes a change that nobody made by editing the CV: only the stamp moves. */
export function touchCv(world: World, cv: CvDocument): CvDocument {
  const user = world.store.users.get(cv.user_id);
  return world.store.cvs.put(user === undefined ? cv : { ...cv, updated_at: nextCvStamp(world, { cv, user }) });
}

/** `cv_roles` lists the different roles of the project experiences. A role that none of them has any more is removed. */
function keepUsedRoles(cv: CvDocument): CvDocument {
  if (cv.cv_roles.length === 0) return cv;
  const parts = (cv.sections.project_experiences ?? []).flatMap((section) => section.parts.roles ?? []);
  const used = new Set(parts.map((part) => part.cv_role_id));
  return { ...cv, cv_roles: cv.cv_roles.filter((role) => used.has(role.id)) };
}

/** Updates the index of hard links, by which a project knows its links, to match the CV. */
export function indexLinks(world: World, cv: CvDocument): void {
  const { links } = world.store;
  const held = new Map<string, string>();
  for (const section of cv.sections.project_experiences ?? []) {
    if (section.origin?.isLinked) held.set(section.id, section.origin.project_id);
  }
  for (const link of links.find('WHERE cv_id = ?', [cv.id])) {
    if (held.get(link.id) === link.project_id) held.delete(link.id);
    else links.delete(link.id);
  }
  for (const [id, project_id] of held) links.put({ id, cv_id: cv.id, project_id });
}

export function copyCv(world: World, user: UserDocument, proposalId: string): CvDocument {
  const master = readMasterCv(world, user);
  const shown = profileOf({ cv: master, user });
  const { name, name_multilang, place_of_residence, twitter } = shown;
  const now = world.clock.now();
  const copied = Object.entries(master.sections).map(([type, sections]) => [
    type,
    sections.map((section) => ({ ...section, id: createId() })),
  ]);
  const cv = world.store.cvs.put({
    ...master,
    id: createId(),
    proposal_id: proposalId,
    status: 'initial',
    profile: { ...pickFields(CV_FIELDS, shown), name, name_multilang, place_of_residence, twitter },
    version: 1,
    custom_tag_ids: listCvTags(world, { cv: master, user }),
    sections: Object.fromEntries(copied) as CvDocument['sections'],
    created_at: now,
    updated_at: now,
  });
  // Copying a CV into a proposal keeps its hard links (spec, Project linking 8).
  indexLinks(world, cv);
  return cv;
}

export function removeCv(world: World, cvId: string): void {
  world.store.cvs.delete(cvId);
  for (const link of world.store.links.find('WHERE cv_id = ?', [cvId])) world.store.links.delete(link.id);
}

export function withSections(
  cv: CvDocument,
  type: SectionName,
  change: (sections: readonly SectionDocument[]) => readonly SectionDocument[],
): CvDocument {
  const sections = [...change(cv.sections[type] ?? [])];
  // Ascending, and stable for equal orders (spec, CV sections: gaps and duplicates allowed).
  sections.sort((a, b) => a.order - b.order);
  return { ...cv, sections: { ...cv.sections, [type]: sections } };
}
