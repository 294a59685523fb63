import { asList, buildRows, type Endpoint, type EndpointKind, type EndpointOf, inPages } from './endpoint.js';

const users = buildRows('users');
const countries = buildRows('countries');
const cvs = buildRows('cvs');
const tags = buildRows('tags');
const customers = buildRows('customers');
const projects = buildRows('projects');
const linking = buildRows('linking');
const proposals = buildRows('proposals');
const reports = buildRows('reports');
const exports = buildRows('exports', 'download');

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
 * Every endpoint of the spec. Functions, counters, the cost forecast, the limiter and the retry rule all read this table.
 * Four rows are not what their method suggests:
 * - attaching a tag to a CV may be repeated, to a customer or a project not (spec, Custom tags);
 * - a section's update names the version it rests on, so a repeat of one that went through is refused with 409, and a
 *   second bulk delete is about tags that are gone: both refusals would say "not carried out" of what was;
 * - an upload of users starts something that no read shows;
 * - starting a report changes nothing that anyone else could see, so it is a read, and may be repeated.
 * Deleting a category, or an owner, that is gone already answers 500 (spec, Errors): such a repeat does no harm, but ends
 * with an unknown outcome.
 */
export const ENDPOINTS = {
  searchUsers: inPages(users.read('/api/v2/users/search')),
  getUser: users.read(USER),
  findUser: users.read('/api/v1/users/find'),
  readUserChanges: inPages(users.read('/api/v1/users/changes')),
  createUser: users.create('/api/v1/users'),
  updateUser: users.change(USER),
  deleteUser: users.remove(USER),
  importUsers: users.create('/api/v1/users/import/csv/{config_name}', 'plain', 'hold'),

  listCountries: asList(countries.read('/api/v1/countries')),
  createCountry: countries.create('/api/v1/countries'),
  updateCountry: countries.change(COUNTRY),
  createOffice: countries.create(`${COUNTRY}/offices`),
  updateOffice: countries.change(OFFICE),
  deleteOffice: countries.remove(OFFICE),

  searchCvs: inPages(cvs.ask('/api/v4/search')),
  getCv: cvs.read(CV),
  getCvMetadata: cvs.read(`${CV}/metadata`, 'plain'),
  updateCv: cvs.change(CV),
  getCvSection: cvs.read(`${SECTION}/{section_id}`),
  createCvSection: cvs.create(SECTION),
  updateCvSection: cvs.change(`${SECTION}/{section_id}`, 'multilingual', 'probe'),
  deleteCvSection: cvs.remove(`${SECTION}/{section_id}`),
  createCvRole: cvs.create(ROLES),
  getCvRole: cvs.read(`${ROLES}/{role_id}`),

  listTagCategories: asList(tags.read(CATEGORIES)),
  createTagCategory: tags.create(CATEGORIES),
  updateTagCategory: tags.change(CATEGORY),
  deleteTagCategory: tags.remove(CATEGORY),
  listTags: inPages(tags.read(TAGS)),
  createTag: tags.create(TAGS),
  updateTag: tags.change(TAG),
  deleteTag: tags.remove(TAG),
  deleteTags: tags.remove(`${CATEGORY}/bulk_delete`, 'probe'),
  addCvTag: tags.create(`${CV}/custom_tags`, 'multilingual', 'idempotent'),
  removeCvTag: tags.remove(`${CV}/custom_tags/{custom_tag_id}`),
  addCustomerTag: tags.create(`${CUSTOMER}/custom_tags`),
  removeCustomerTag: tags.remove(`${CUSTOMER}/custom_tags/{custom_tag_id}`),
  addProjectTag: tags.create(`${PROJECT}/custom_tags`),
  removeProjectTag: tags.remove(`${PROJECT}/custom_tags/{custom_tag_id}`),

  findCustomer: customers.read(`${CUSTOMERS}/find`),
  listCustomers: inPages(customers.read(CUSTOMERS)),
  createCustomer: customers.create(CUSTOMERS),
  updateCustomer: customers.change(CUSTOMER),
  deleteCustomer: customers.remove(CUSTOMER),

  searchProjects: inPages(projects.ask('/api/v4/references/search')),
  getProject: projects.read(PROJECT),
  findProject: projects.read('/api/v2/company/cv/projects/find'),
  listProjects: asList(projects.read('/api/v2/company/cv/projects')),
  createProject: projects.create(`${CUSTOMER}/projects`),
  updateProject: projects.change(PROJECT),
  deleteProject: projects.remove(PROJECT),
  addProjectOwners: projects.create(`${PROJECT}/project_owners`),
  syncProjectOwners: projects.change(`${PROJECT}/project_owners/sync_by_email`),
  removeProjectOwner: projects.remove(`${PROJECT}/project_owners/{user_id}`),
  createProjectChallenge: projects.create(`${PROJECT}/project_challenges`),
  updateProjectChallenge: projects.change(`${PROJECT}/project_challenges/{challenge_id}`),
  deleteProjectChallenge: projects.remove(`${PROJECT}/project_challenges/{challenge_id}`),
  createProjectSolution: projects.create(`${PROJECT}/project_solutions`),
  updateProjectSolution: projects.change(`${PROJECT}/project_solutions/{solution_id}`),
  deleteProjectSolution: projects.remove(`${PROJECT}/project_solutions/{solution_id}`),
  createValueProposition: projects.create(`${PROJECT}/customer_value_propositions`),
  updateValueProposition: projects.change(`${PROJECT}/customer_value_propositions/{customer_value_proposition_id}`),
  deleteValueProposition: projects.remove(`${PROJECT}/customer_value_propositions/{customer_value_proposition_id}`),

  linkConsultants: linking.create(`${PROJECT}/consultants`, 'plain'),

  listProposals: inPages(proposals.read('/api/v1/all_offers', 'plain')),
  listOwnProposals: asList(proposals.read('/api/v1/offers', 'plain')),
  getProposal: proposals.read(PROPOSAL, 'plain'),
  createProposal: proposals.create('/api/v2/offers/', 'plain'),
  updateProposal: proposals.change(PROPOSAL, 'plain'),
  changeProposalOwner: proposals.change('/api/v2/offers/{proposal_id}/owner', 'plain'),
  listCollaborators: proposals.read(COLLABORATORS, 'plain'),
  addCollaborator: proposals.create(COLLABORATORS, 'plain'),
  removeCollaborator: proposals.remove(`${COLLABORATORS}/{collaborator_type}/{collaborator_id}`),
  addProposalCv: proposals.create(`${PROPOSAL}/cvs`),
  removeProposalCv: proposals.remove(`${PROPOSAL}/cvs/{tailored_cv_id}`),
  listProposalCvs: asList(proposals.read(`${PROPOSAL}/cvs`)),
  addProposalReference: proposals.create(`${PROPOSAL}/references`),
  removeProposalReference: proposals.remove(`${PROPOSAL}/references/{tailored_reference_id}`),
  listProposalReferences: asList(proposals.read(`${PROPOSAL}/references`)),

  startProjectReport: reports.ask(PROJECT_REPORTS),
  getProjectReport: reports.read(`${PROJECT_REPORTS}/{report_id}`, 'plain'),
  startCvReport: reports.ask(CV_REPORTS),
  getCvReport: reports.read(`${CV_REPORTS}/{report_id}`, 'plain'),

  downloadCv: exports.read(CV_FILE),
  downloadCvFromTemplate: exports.read(`${CV_FILE}/{template_id}`),
  downloadProject: exports.read(PROJECT_FILE),
  downloadProposalProject: exports.read(PROPOSAL_PROJECT_FILE),

  openProposal: { ...buildRows('ui').read('/redirect/to/proposal', 'plain'), kind: 'link' } as EndpointOf<'link'>,
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;
type NamesOf<K extends EndpointKind> = {
  [N in EndpointName]: (typeof ENDPOINTS)[N]['kind'] extends K ? N : never;
}[EndpointName];
/** Answered with a file. */
export type FileEndpointName = 'downloadCv' | 'downloadCvFromTemplate' | 'downloadProject' | 'downloadProposalProject';
export type ReadEndpointName = Exclude<NamesOf<'read'>, FileEndpointName>;
export type WriteEndpointName = NamesOf<'write'>;

/** `PUT /api/v1/users/{user_id}`: the name of an endpoint in counters, forecasts and records. */
export function formatTemplate(name: EndpointName): string {
  const endpoint: Endpoint = ENDPOINTS[name];
  return `${endpoint.method} ${endpoint.path}`;
}
