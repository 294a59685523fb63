import { canReadCv, requireReadableProject } from '../access.js';
import { findCv } from '../cvs.js';
import { toIsoCode } from '../languages.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { requireProposal } from './proposals.js';

const CV = '/api/v1/cvs/download/:user_id/:cv_id/:language_code/:filetype';
const PROJECT = '/api/v1/reference_projects/download/:customer_id/:project_id/:language_code/:filetype/:template_id';
const TAILORED =
  '/api/v1/proposal_reference_projects/download/:language_code/proposals/:proposal_id/reference_projects/:reference_id/:filetype/:template_id';

/** Everything about a download but the document: who may have it, whether it exists, and how often. */
export const EXPORT_ROUTES: readonly Route[] = [
  { method: 'GET', path: CV, access: 'read', handle: (world, call) => download(world, call, checkCv) },
  {
    method: 'GET',
    path: `${CV}/:template_id`,
    access: 'read',
    handle: (world, call) => download(world, call, checkCv),
  },
  { method: 'GET', path: PROJECT, access: 'read', handle: (world, call) => download(world, call, checkProject) },
  { method: 'GET', path: TAILORED, access: 'read', handle: (world, call) => download(world, call, checkTailored) },
];

/** Refused requests take no place in the download rate: it limits what is rendered. */
function download(world: World, call: Call, check: (world: World, call: Call) => void): Answer {
  check(world, call);
  const { language_code: language = '', filetype = '' } = call.params;
  if (!['pdf', 'docx', 'pptx'].includes(filetype)) throw new Refusal(400, 'filetype must be pdf, docx or pptx');
  const iso = toIsoCode(language, call.mode);
  if (iso === undefined || !world.account.languages.includes(iso)) {
    throw new Refusal(400, `${language} is not a language of the account in the active code mode`);
  }
  const retryAfter = world.downloads.take(world.clock.now());
  if (retryAfter !== undefined) {
    throw new Refusal(429, 'downloads are limited to 1 every 2 seconds and 10 per minute', {}, retryAfter);
  }
  throw new Refusal(501, `this sandbox does not render documents: no ${filetype} of this record`);
}

function checkCv(world: World, call: Call): void {
  const found = findCv(world, call.params.user_id ?? '', call.params.cv_id ?? '');
  if (!found) throw new Refusal(404, 'CV not found');
  if (!canReadCv(call, found.user)) throw new Refusal(403, 'this key may not download the CVs of others');
}

function checkProject(world: World, call: Call): void {
  const project = world.store.projects.get(call.params.project_id ?? '');
  if (!project || project.company_customer_id !== call.params.customer_id) throw new Refusal(404, 'project not found');
  requireReadableProject(world, call, project);
}

function checkTailored(world: World, call: Call): void {
  const proposal = requireProposal(world, call);
  const reference = world.store.tailored_references.get(call.params.reference_id ?? '');
  if (reference?.proposal_id !== proposal.id) throw new Refusal(404, 'the proposal has no such reference');
}
