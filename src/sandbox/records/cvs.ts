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

/** Reads the master CV of a user. An empty one is not stored, so that 100,000 users do not need 100,000 stored CVs. */
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

/** Returns the CV in the path if the key may read it. As for all records, 404 comes before 403. */
export function requireCv(call: Call, refusal = 'this key may not read the CVs of others'): OwnedCv {
  const { user_id = '', cv_id = '' } = call.params;
  const { users, cvs } = call.world.store;
  const user = users.get(user_id) ?? refuse(404, 'CV not found');
  const cv = user.default_cv_id === cv_id ? readMasterCv(call.world, user) : cvs.get(cv_id);
  if (cv?.user_id !== user.id) refuse(404, 'CV not found');
  if (!canReadCv(call, user)) refuse(403, refusal);
  return { user, cv };
}

/** Returns the CV in the path if the key may write it. Parties of a proposal may also write its tailored CVs. */
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

/** Returns the time that a CV shows as its last change. A master CV also shows changes of the user's profile. */
export function cvUpdatedAt({ cv, user }: OwnedCv): number {
  if (cv.profile !== null) return cv.updated_at;
  return Math.max(cv.updated_at, user.profile_shown_at ?? user.profile_updated_at * 1000);
}

/**
 * Returns the timestamp for a change that begins now. It is at least a millisecond later than the previous one. Clients that
 * compare `updated_at` therefore miss no change, even if two occur in one millisecond or the clock was set back.
 */
export function nextCvStamp(world: World, before: OwnedCv): number {
  return Math.max(world.clock.now(), cvUpdatedAt(before) + 1);
}

/**
 * Lists the tags of a master CV. If the account shows users' tags on CVs, the user and the CV share one set. A tag that is
 * attached to either then appears on both.
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

/** Updates the timestamp of a CV after a change that was not made by editing the CV. */
export function touchCv(world: World, cv: CvDocument): CvDocument {
  const user = world.store.users.get(cv.user_id);
  return world.store.cvs.put(user === undefined ? cv : { ...cv, updated_at: nextCvStamp(world, { cv, user }) });
}

/** Removes the roles in `cv_roles` that no project experience has any more. */
function keepUsedRoles(cv: CvDocument): CvDocument {
  if (cv.cv_roles.length === 0) return cv;
  const parts = (cv.sections.project_experiences ?? []).flatMap((section) => section.parts.roles ?? []);
  const used = new Set(parts.map((part) => part.cv_role_id));
  return { ...cv, cv_roles: cv.cv_roles.filter((role) => used.has(role.id)) };
}

/** Updates the index of hard links to match the CV. Projects find their links through this index. */
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
  // The order is ascending, and stable for equal values (spec, CV sections: gaps and duplicates allowed).
  sections.sort((a, b) => a.order - b.order);
  return { ...cv, sections: { ...cv.sections, [type]: sections } };
}
