import { renderCv } from '../answers/render-cv.js';
import { renderWholeProject } from '../answers/render-project.js';
import { canReadCv, requireReadableProject } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { readString } from '../fields/values.js';
import { copyCv, removeCv } from '../records/cvs.js';
import type { CvDocument } from '../store/cv-documents.js';
import type { ProposalDocument } from '../store/documents.js';
import type { TailoredReferenceDocument } from '../store/project-documents.js';
import { createId } from '../store/store.js';
import { requireOwnProposal, requireProposal } from './proposals.js';
import type { Resource } from './resource.js';

function renderTailoredCv(call: Call, cv: CvDocument): object {
  const user = call.world.store.users.get(cv.user_id) ?? refuse(404, 'user not found');
  return { id: cv.id, ...renderCv(call, { cv, user }), status: cv.status };
}

export const TAILORED_CVS: Resource<ProposalDocument, CvDocument> = {
  wrapper: 'cv',
  place: requireOwnProposal,
  find: ({ world, params }, proposal) => {
    const cv = world.store.cvs.get(params.tailored_cv_id);
    return cv?.proposal_id === proposal.id ? cv : refuse(404, 'the proposal has no such CV');
  },
  render: renderTailoredCv,
  save: (call, proposal, body) => {
    const cvId = readString(body, 'cv_id') || refuse(400, 'cv_id is required');
    const user = call.world.store.users.first('WHERE cv_id = ?', [cvId]);
    if (!user) refuse(404, 'there is no master CV with that id');
    if (!canReadCv(call, user)) refuse(403, 'this key may not read the CVs of others');
    return copyCv(call.world, user, proposal.id);
  },
  remove: ({ world }, { id }) => removeCv(world, id),
};

export function listTailoredCvs(call: Call): readonly object[] {
  const { cvs, users } = call.world.store;
  const found = cvs.find('WHERE proposal_id = ? ORDER BY id', [requireProposal(call).id]);
  found.sort((a, b) => a.created_at - b.created_at);
  return found.filter((cv) => users.get(cv.user_id)).map((cv) => renderTailoredCv(call, cv));
}

/** Renders a copy of the project at the time when it was added. Hard links point to the project, not to its copies. */
function renderReference(call: Call, { id, project, status }: TailoredReferenceDocument): object {
  return { ...renderWholeProject(call, { ...project, id }), id, company_project_id: project.id, status };
}

/** Returns a reference of the proposal in the path, if the caller may read the proposal. */
export function findTailoredReference(
  call: Call,
  id: string | undefined,
  proposal = requireProposal(call),
): TailoredReferenceDocument {
  const reference = call.world.store.tailored_references.get(id);
  return reference?.proposal_id === proposal.id ? reference : refuse(404, 'the proposal has no such reference');
}

export const TAILORED_REFERENCES: Resource<ProposalDocument, TailoredReferenceDocument> = {
  wrapper: 'reference',
  place: requireOwnProposal,
  find: (call, proposal) => findTailoredReference(call, call.params.tailored_reference_id, proposal),
  render: renderReference,
  save: (call, proposal, body) => {
    const { projects, tailored_references } = call.world.store;
    const customerId = readString(body, 'company_customer_id');
    const projectId = readString(body, 'company_project_id');
    if (!customerId || !projectId) refuse(400, 'company_customer_id and company_project_id are required');
    const project = projects.get(projectId);
    if (project?.company_customer_id !== customerId) refuse(404, 'project not found');
    requireReadableProject(call, project);
    return tailored_references.put({ id: createId(), proposal_id: proposal.id, status: 'initial', project });
  },
  remove: ({ world }, { id }) => world.store.tailored_references.delete(id),
};

export function listTailoredReferences(call: Call): readonly object[] {
  const { tailored_references } = call.world.store;
  const found = tailored_references.find('WHERE proposal_id = ? ORDER BY id', [requireProposal(call).id]);
  return found.map((reference) => renderReference(call, reference));
}
