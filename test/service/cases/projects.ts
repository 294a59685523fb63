import { collect } from '../desk.js';
import { type CallCase, none } from './call-case.js';

const project = { id: 'p1', project_name: { en: 'P' } };
const PROJECT = '/api/v2/company/cv/customers/c1/projects/p1';

const dam = { customerId: 'c1', projectId: 'p1' };

export const PROJECT_CASES: readonly CallCase[] = [
  {
    name: 'findCustomer',
    make: (s) => s.reader.customers.find('X 1'),
    line: 'GET /api/v2/company/cv/customers/find?external_unique_id=X%201&use_legacy_codes=false',
    reply: { body: { id: 'c1' } },
  },
  {
    name: 'listCustomers',
    make: (s) => collect(s.reader.customers.list()),
    line: 'GET /api/v2/company/cv/customers?size=100&offset=0&use_legacy_codes=false',
    reply: { body: { company_customers: [] } },
  },
  {
    name: 'createCustomer',
    make: (s) => s.writer.customers.create({ customer_name: { en: 'Acme' } }),
    line: 'POST /api/v2/company/cv/customers?use_legacy_codes=false',
    body: { company_customer: { customer_name: { en: 'Acme' } } },
    reply: { body: { id: 'c1' } },
  },
  {
    name: 'updateCustomer',
    make: (s) => s.writer.customers.update('c1', { customer_url: null }),
    line: 'PUT /api/v2/company/cv/customers/c1?use_legacy_codes=false',
    body: { company_customer: { customer_url: null } },
    reply: { body: { company_customer: { id: 'c1' } } },
  },
  {
    name: 'deleteCustomer',
    make: (s) => s.writer.customers.delete('c1'),
    line: 'DELETE /api/v2/company/cv/customers/c1',
    reply: none,
  },
  {
    name: 'getProject',
    make: (s) => s.reader.projects.get('c1', 'p1'),
    line: `GET ${PROJECT}?include_custom_fields=true&use_legacy_codes=false`,
    reply: { body: project },
  },
  {
    name: 'findProject',
    make: (s) => s.reader.projects.find('X'),
    line: 'GET /api/v2/company/cv/projects/find?external_unique_id=X&use_legacy_codes=false',
    reply: { body: project },
  },
  {
    name: 'listProjects',
    make: (s) => s.reader.projects.list('c1'),
    line: 'GET /api/v2/company/cv/projects?company_customer_id=c1&include_custom_fields=true&use_legacy_codes=false',
    reply: { body: { projects: [project] } },
  },
  {
    name: 'createProject',
    make: (s) => s.writer.projects.create('c1', { project_name: { en: 'P' }, office_ids: ['o'] }),
    line: 'POST /api/v2/company/cv/customers/c1/projects?include_custom_fields=true&use_legacy_codes=false',
    body: { company_project: { project_name: { en: 'P' }, office_ids: ['o'] } },
    reply: { body: project },
  },
  {
    name: 'updateProject',
    make: (s) => s.writer.projects.update('c1', 'p1', { extent: '5' }),
    line: `PUT ${PROJECT}?use_legacy_codes=false`,
    body: { company_project: { extent: '5' } },
    reply: { body: project },
  },
  { name: 'deleteProject', make: (s) => s.writer.projects.delete('c1', 'p1'), line: `DELETE ${PROJECT}`, reply: none },
  {
    name: 'addProjectOwners',
    make: (s) => s.writer.projects.addOwners('c1', 'p1', ['u1']),
    line: `POST ${PROJECT}/project_owners?use_legacy_codes=false`,
    body: { user_ids: ['u1'] },
    reply: { body: project },
  },
  {
    name: 'syncProjectOwners',
    make: (s) => s.writer.projects.syncOwners('c1', 'p1', { emails: ['a@example.com'], replace: true }),
    line: `PUT ${PROJECT}/project_owners/sync_by_email?use_legacy_codes=false`,
    body: { emails: ['a@example.com'], replace: true },
    reply: { body: project },
  },
  {
    name: 'removeProjectOwner',
    make: (s) => s.writer.projects.removeOwner('c1', 'p1', 'u1'),
    line: `DELETE ${PROJECT}/project_owners/u1`,
    reply: none,
  },
  {
    name: 'searchProjects',
    make: (s) =>
      collect(
        s.reader.projects.search({
          must: [{ exact: { field: 'custom_tag_id', value: 't' } }],
          stage: 'live',
          owned: true,
        }),
      ),
    line: 'POST /api/v4/references/search?use_legacy_codes=false',
    body: {
      offset: 0,
      size: 100,
      must: [{ exact: { field: 'custom_tag_id', value: 't' } }],
      workflow_stage_filter: 'live',
      filter_owned: true,
    },
    reply: {
      body: {
        references: [
          {
            reference: { id: 'p1', project_name: { en: 'Dam' }, industry: { id: 'i1', values: { en: 'Energy' } } },
            preview_url: 'https://acme.example.com/references/p1',
          },
        ],
        total: 1,
        workflow_stage_counts: { all: 3, draft: 2, live: 1, ready_for_review: 0 },
      },
    },
    gives: [
      {
        projects: [
          {
            project: { id: 'p1', project_name: { en: 'Dam' }, industry: { id: 'i1', values: { en: 'Energy' } } },
            previewUrl: 'https://acme.example.com/references/p1',
          },
        ],
        total: 1,
        stageCounts: { all: 3, draft: 2, live: 1, ready_for_review: 0 },
      },
    ],
  },
  {
    name: 'createProjectChallenge',
    make: (s) => s.writer.projects.challenges.create(dam, { label: { en: 'Short' }, value: { en: 'Deep' } }),
    line: `POST ${PROJECT}/project_challenges?use_legacy_codes=false`,
    body: { project_challenge: { label: { en: 'Short' }, value: { en: 'Deep' } } },
    reply: { body: { id: 'e1', value: { en: 'Deep' }, version: 1 } },
    gives: { value: { id: 'e1', value: { en: 'Deep' }, disabled: false, version: 1 } },
  },
  {
    name: 'updateProjectChallenge',
    make: (s) => s.writer.projects.challenges.update(dam, 'e1', { disabled: true }),
    line: `PUT ${PROJECT}/project_challenges/e1?use_legacy_codes=false`,
    body: { project_challenge: { disabled: true } },
    reply: { body: { id: 'e1', disabled: true, version: 2 } },
    gives: { value: { disabled: true, version: 2 } },
  },
  {
    name: 'deleteProjectChallenge',
    make: (s) => s.writer.projects.challenges.delete(dam, 'e1'),
    line: `DELETE ${PROJECT}/project_challenges/e1`,
    reply: none,
  },
  {
    name: 'createProjectSolution',
    make: (s) => s.writer.projects.solutions.create(dam, { label: { en: 'Short' }, value: { en: 'Deep' } }),
    line: `POST ${PROJECT}/project_solutions?use_legacy_codes=false`,
    body: { project_solution: { label: { en: 'Short' }, value: { en: 'Deep' } } },
    reply: { body: { id: 'e1', value: { en: 'Deep' }, version: 1 } },
    gives: { value: { id: 'e1', value: { en: 'Deep' }, disabled: false, version: 1 } },
  },
  {
    name: 'updateProjectSolution',
    make: (s) => s.writer.projects.solutions.update(dam, 'e1', { disabled: true }),
    line: `PUT ${PROJECT}/project_solutions/e1?use_legacy_codes=false`,
    body: { project_solution: { disabled: true } },
    reply: { body: { id: 'e1', disabled: true, version: 2 } },
    gives: { value: { disabled: true, version: 2 } },
  },
  {
    name: 'deleteProjectSolution',
    make: (s) => s.writer.projects.solutions.delete(dam, 'e1'),
    line: `DELETE ${PROJECT}/project_solutions/e1`,
    reply: none,
  },
  {
    name: 'createValueProposition',
    make: (s) => s.writer.projects.valuePropositions.create(dam, { label: { en: 'Short' }, value: { en: 'Deep' } }),
    line: `POST ${PROJECT}/customer_value_propositions?use_legacy_codes=false`,
    body: { customer_value_proposition: { label: { en: 'Short' }, value: { en: 'Deep' } } },
    reply: { body: { id: 'e1', value: { en: 'Deep' }, version: 1 } },
    gives: { value: { id: 'e1', value: { en: 'Deep' }, disabled: false, version: 1 } },
  },
  {
    name: 'updateValueProposition',
    make: (s) => s.writer.projects.valuePropositions.update(dam, 'e1', { disabled: true }),
    line: `PUT ${PROJECT}/customer_value_propositions/e1?use_legacy_codes=false`,
    body: { customer_value_proposition: { disabled: true } },
    reply: { body: { id: 'e1', disabled: true, version: 2 } },
    gives: { value: { disabled: true, version: 2 } },
  },
  {
    name: 'deleteValueProposition',
    make: (s) => s.writer.projects.valuePropositions.delete(dam, 'e1'),
    line: `DELETE ${PROJECT}/customer_value_propositions/e1`,
    reply: none,
  },
  {
    name: 'linkConsultants',
    make: (s) => s.writer.consultants.link(dam, { user_ids: ['u1'], link_to_project: true, include_section_ids: true }),
    line: `POST ${PROJECT}/consultants`,
    body: { user_ids: ['u1'], link_to_project: true, include_section_ids: true },
    reply: { body: { updated_cvs: [{ user_id: 'u1', cv_id: 'v1', name: 'Anna', section_id: 's1' }] } },
    gives: { value: { updated_cvs: [{ user_id: 'u1', cv_id: 'v1', section_id: 's1' }] } },
  },
];
