import { canReadCv, requireReadableProject } from '../access.js';
import type { CvDocument } from '../cv-documents.js';
import { indexLinks, listCvTags, profileOf, putCv, readMasterCv, removeCv } from '../cvs.js';
import type { TailoredReferenceDocument, UserDocument } from '../documents.js';
import { CV_FIELDS, pickFields } from '../plain-fields.js';
import { renderCv } from '../render-cv.js';
import { renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { createId } from '../store.js';
import { readString, readWrapper } from '../values.js';
import { requireOwnProposal, requireProposal } from './proposals.js';

const PROPOSAL = '/api/v1/offers/:proposal_id';

/** Tailored copies of CVs and of reference projects. */
export const PROPOSAL_CONTENT_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${PROPOSAL}/cvs`, access: 'write', handle: addCv },
  { method: 'DELETE', path: `${PROPOSAL}/cvs/:tailored_cv_id`, access: 'write', handle: deleteCv },
  { method: 'GET', path: `${PROPOSAL}/cvs`, access: 'read', handle: listCvs },
  { method: 'POST', path: `${PROPOSAL}/references`, access: 'write', handle: addReference },
  { method: 'DELETE', path: `${PROPOSAL}/references/:tailored_reference_id`, access: 'write', handle: deleteReference },
  { method: 'GET', path: `${PROPOSAL}/references`, access: 'read', handle: listReferences },
];

function renderTailoredCv(world: World, cv: CvDocument, user: UserDocument, call: Call): object {
  return { id: cv.id, ...renderCv(world, { cv, user }, call.mode), status: cv.status };
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
  const cv = putCv(world, {
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

function addCv(world: World, call: Call): Answer {
  const proposal = requireOwnProposal(world, call);
  const cvId = readString(readWrapper(call, 'cv'), 'cv_id');
  if (!cvId) throw new Refusal(400, 'cv_id is required');
  const user = world.store.users.first('WHERE cv_id = ?', [cvId]);
  if (!user) throw new Refusal(404, 'there is no master CV of that id');
  if (!canReadCv(call, user)) throw new Refusal(403, 'this key may not read the CVs of others');
  const cv = copyCv(world, user, proposal.id);
  return { status: 200, body: renderTailoredCv(world, cv, user, call) };
}

function deleteCv(world: World, call: Call): Answer {
  const proposal = requireOwnProposal(world, call);
  const cv = world.store.cvs.get(call.params.tailored_cv_id ?? '');
  if (cv?.proposal_id !== proposal.id) throw new Refusal(404, 'the proposal has no such CV');
  removeCv(world, cv.id);
  return NO_CONTENT;
}

function listCvs(world: World, call: Call): Answer {
  const proposal = requireProposal(world, call);
  const cvs = world.store.cvs.find('WHERE proposal_id = ? ORDER BY id', [proposal.id]);
  const ordered = [...cvs].sort((a, b) => a.created_at - b.created_at);
  return {
    status: 200,
    body: ordered.flatMap((cv) => {
      const user = world.store.users.get(cv.user_id);
      return user ? [renderTailoredCv(world, cv, user, call)] : [];
    }),
  };
}

/** A copy of the project as it is now; hard links point at the project, not at its copies. */
function renderReference(world: World, reference: TailoredReferenceDocument, call: Call): object {
  return {
    ...renderWholeProject(world, { ...reference.project, id: reference.id }, call),
    id: reference.id,
    company_project_id: reference.project.id,
    status: reference.status,
  };
}

function addReference(world: World, call: Call): Answer {
  const proposal = requireOwnProposal(world, call);
  const body = readWrapper(call, 'reference');
  const customerId = readString(body, 'company_customer_id');
  const projectId = readString(body, 'company_project_id');
  if (!customerId || !projectId) throw new Refusal(400, 'company_customer_id and company_project_id are required');
  const project = world.store.projects.get(projectId);
  if (project?.company_customer_id !== customerId) throw new Refusal(404, 'project not found');
  requireReadableProject(world, call, project);
  const reference = world.store.tailored_references.put({
    id: createId(),
    proposal_id: proposal.id,
    status: 'initial',
    project,
  });
  return { status: 200, body: renderReference(world, reference, call) };
}

function deleteReference(world: World, call: Call): Answer {
  const proposal = requireOwnProposal(world, call);
  const reference = world.store.tailored_references.get(call.params.tailored_reference_id ?? '');
  if (reference?.proposal_id !== proposal.id) throw new Refusal(404, 'the proposal has no such reference');
  world.store.tailored_references.delete(reference.id);
  return NO_CONTENT;
}

function listReferences(world: World, call: Call): Answer {
  const proposal = requireProposal(world, call);
  const references = world.store.tailored_references.find('WHERE proposal_id = ? ORDER BY id', [proposal.id]);
  return { status: 200, body: references.map((reference) => renderReference(world, reference, call)) };
}
