import {
  asFile,
  ask,
  asList,
  change,
  create,
  type Endpoint,
  type EndpointKind,
  type EndpointOf,
  inPages,
  read,
  remove,
} from './endpoint.js';

const USER = '/api/v1/users/{user_id}';
const COUNTRY = '/api/v1/countries/{country_id}';
const OFFICE = `${COUNTRY}/offices/{department_id}`;
const CV = '/api/v3/cvs/{user_id}/{cv_id}';
const SECTION = `${CV}/{section_type}`;
const ROLES = `${CV}/project_experiences/{project_experience_id}/roles`;
const CATEGORIES = '/api/v1/masterdata/custom_tags/custom_tag_category';
const CATEGORY = `${CATEGORIES}/{custom_tag_category_id}`;
const TAGS = '/api/v1/masterdata/custom_tags/custom_tag';
const TAG = `${TAGS}/{custom_tag_id}`;
const CUSTOMERS = '/api/v2/company/cv/customers';
const CUSTOMER = `${CUSTOMERS}/{customer_id}`;
const PROJECT = `${CUSTOMER}/projects/{project_id}`;
const PROPOSAL = '/api/v1/offers/{proposal_id}';
const COLLABORATORS = '/api/v2/offers/{proposal_id}/collaborators';
const PROJECT_REPORTS = '/api/v4/references/reports';
const CV_REPORTS = '/api/v2/cv-report';
const CV_FILE = '/api/v1/cvs/download/{user_id}/{cv_id}/{language_code}/{filetype}';
const PROJECT_FILE =
  '/api/v1/reference_projects/download/{customer_id}/{reference_project_id}/{language_code}/{filetype}/{template_id}';
const PROPOSAL_PROJECT_FILE =
  '/api/v1/proposal_reference_projects/download/{language_code}/proposals/{proposal_id}/reference_projects/{proposal_reference_project_id}/{filetype}/{template_id}';

/**
 * Every endpoint of the spec. Functions, counters, the cost forecast, the limiter and the retry rule all read this
 * table. Some rows behave differently from their HTTP method. So does an update of a user that requests an e-mail
 * (`repeatOf`):
 * - attaching a tag to a CV may be repeated, attaching one to a customer or project may not (spec, Custom tags);
 * - a section's update names its version, so the service rejects a repeat with 409 after the first one succeeded. A
 *   second bulk delete no longer finds its tags. Both rejections would report a completed call as "not carried out";
 * - no read shows the outcome of an upload of users;
 * - starting a report changes nothing that others can see, so it is a read and may be repeated.
 * Deleting a category or owner that is already gone answers 500 (spec, Errors). Such a repeat is harmless, but its outcome is
 * unknown.
 */
export const ENDPOINTS = {
  searchUsers: inPages(read('/api/v2/users/search')),
  getUser: read(USER),
  findUser: read('/api/v1/users/find'),
  readUserChanges: inPages(read('/api/v1/users/changes')),
  createUser: create('/api/v1/users'),
  updateUser: change(USER),
  deleteUser: remove(USER),
  importUsers: create('/api/v1/users/import/csv/{config_name}', 'plain', 'hold'),

  listCountries: asList(read('/api/v1/countries')),
  createCountry: create('/api/v1/countries'),
  updateCountry: change(COUNTRY),
  createOffice: create(`${COUNTRY}/offices`),
  updateOffice: change(OFFICE),
  deleteOffice: remove(OFFICE),

  searchCvs: inPages(ask('/api/v4/search')),
  getCv: read(CV),
  getCvMetadata: read(`${CV}/metadata`, 'plain'),
  updateCv: change(CV),
  getCvSection: read(`${SECTION}/{section_id}`),
  createCvSection: create(SECTION),
  updateCvSection: change(`${SECTION}/{section_id}`, 'multilingual', 'probe'),
  deleteCvSection: remove(`${SECTION}/{section_id}`),
  createCvRole: create(ROLES),
  getCvRole: read(`${ROLES}/{role_id}`),

  listTagCategories: asList(read(CATEGORIES)),
  createTagCategory: create(CATEGORIES),
  updateTagCategory: change(CATEGORY),
  deleteTagCategory: remove(CATEGORY),
  listTags: inPages(read(TAGS)),
  createTag: create(TAGS),
  updateTag: change(TAG),
  deleteTag: remove(TAG),
  deleteTags: remove(`${CATEGORY}/bulk_delete`, 'probe'),
  addCvTag: create(`${CV}/custom_tags`, 'multilingual', 'idempotent'),
  removeCvTag: remove(`${CV}/custom_tags/{custom_tag_id}`),
  addCustomerTag: create(`${CUSTOMER}/custom_tags`),
  removeCustomerTag: remove(`${CUSTOMER}/custom_tags/{custom_tag_id}`),
  addProjectTag: create(`${PROJECT}/custom_tags`),
  removeProjectTag: remove(`${PROJECT}/custom_tags/{custom_tag_id}`),

  findCustomer: read(`${CUSTOMERS}/find`),
  listCustomers: inPages(read(CUSTOMERS)),
  createCustomer: create(CUSTOMERS),
  updateCustomer: change(CUSTOMER),
  deleteCustomer: remove(CUSTOMER),

  searchProjects: inPages(ask('/api/v4/references/search')),
  getProject: read(PROJECT),
  findProject: read('/api/v2/company/cv/projects/find'),
  listProjects: asList(read('/api/v2/company/cv/projects')),
  createProject: create(`${CUSTOMER}/projects`),
  updateProject: change(PROJECT),
  deleteProject: remove(PROJECT),
  addProjectOwners: create(`${PROJECT}/project_owners`),
  syncProjectOwners: change(`${PROJECT}/project_owners/sync_by_email`),
  removeProjectOwner: remove(`${PROJECT}/project_owners/{user_id}`),
  createProjectChallenge: create(`${PROJECT}/project_challenges`),
  updateProjectChallenge: change(`${PROJECT}/project_challenges/{challenge_id}`),
  deleteProjectChallenge: remove(`${PROJECT}/project_challenges/{challenge_id}`),
  createProjectSolution: create(`${PROJECT}/project_solutions`),
  updateProjectSolution: change(`${PROJECT}/project_solutions/{solution_id}`),
  deleteProjectSolution: remove(`${PROJECT}/project_solutions/{solution_id}`),
  createValueProposition: create(`${PROJECT}/customer_value_propositions`),
  updateValueProposition: change(`${PROJECT}/customer_value_propositions/{customer_value_proposition_id}`),
  deleteValueProposition: remove(`${PROJECT}/customer_value_propositions/{customer_value_proposition_id}`),

  linkConsultants: create(`${PROJECT}/consultants`, 'plain'),

  listProposals: inPages(read('/api/v1/all_offers', 'plain')),
  listOwnProposals: asList(read('/api/v1/offers', 'plain')),
  getProposal: read(PROPOSAL, 'plain'),
  createProposal: create('/api/v2/offers/', 'plain'),
  updateProposal: change(PROPOSAL, 'plain'),
  changeProposalOwner: change('/api/v2/offers/{proposal_id}/owner', 'plain'),
  listCollaborators: read(COLLABORATORS, 'plain'),
  addCollaborator: create(COLLABORATORS, 'plain'),
  removeCollaborator: remove(`${COLLABORATORS}/{collaborator_type}/{collaborator_id}`),
  addProposalCv: create(`${PROPOSAL}/cvs`),
  removeProposalCv: remove(`${PROPOSAL}/cvs/{tailored_cv_id}`),
  listProposalCvs: asList(read(`${PROPOSAL}/cvs`)),
  addProposalReference: create(`${PROPOSAL}/references`),
  removeProposalReference: remove(`${PROPOSAL}/references/{tailored_reference_id}`),
  listProposalReferences: asList(read(`${PROPOSAL}/references`)),

  startProjectReport: ask(PROJECT_REPORTS),
  getProjectReport: read(`${PROJECT_REPORTS}/{report_id}`, 'plain'),
  startCvReport: ask(CV_REPORTS),
  getCvReport: read(`${CV_REPORTS}/{report_id}`, 'plain'),

  downloadCv: asFile(CV_FILE),
  downloadCvFromTemplate: asFile(`${CV_FILE}/{template_id}`),
  downloadProject: asFile(PROJECT_FILE),
  downloadProposalProject: asFile(PROPOSAL_PROJECT_FILE),

  openProposal: { ...read('/redirect/to/proposal', 'plain'), kind: 'link' } as EndpointOf<'link'>,
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;
type NamesOf<K extends EndpointKind> = {
  [N in EndpointName]: (typeof ENDPOINTS)[N]['kind'] extends K ? N : never;
}[EndpointName];
/** Endpoints that answer with a file. */
export type FileEndpointName = 'downloadCv' | 'downloadCvFromTemplate' | 'downloadProject' | 'downloadProposalProject';
export type ReadEndpointName = Exclude<NamesOf<'read'>, FileEndpointName>;
export type WriteEndpointName = NamesOf<'write'>;

/** The name of an endpoint in counters, forecasts and records, for example `PUT /api/v1/users/{user_id}`. */
export function formatTemplate(name: EndpointName): string {
  const endpoint: Endpoint = ENDPOINTS[name];
  return `${endpoint.method} ${endpoint.path}`;
}
