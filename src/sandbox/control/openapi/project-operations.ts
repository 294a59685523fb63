import * as z from 'zod';
import { CUSTOMER_FIELDS } from '../../fields/plain-fields.js';
import { ENTRIES, ENTRY_KINDS, type EntryKind, PROJECT_FIELDS } from '../../store/project-documents.js';
import { clauses, TagAttachment } from './cv-operations.js';
import { nameSchema } from './cv-schemas.js';
import type { OperationGroup, Operations } from './operation.js';
import {
  Attachment,
  Customer,
  CustomerPage,
  ENTRY_SCHEMAS,
  Project,
  ProjectSearchPage,
  UpdatedCvs,
} from './project-schemas.js';
import { count, shapeOf, show, showPlainFields, showTextFields, Texts, take, text, wrap } from './shapes.js';

const flag = z.boolean();
const ids = z.array(z.string());
const COMPANY = '/api/v2/company/cv';
const CUSTOMER = `${COMPANY}/customers/:customer_id`;
const PROJECT = `${CUSTOMER}/projects/:project_id`;

const CustomerBody = wrap(
  'company_customer',
  take({ ...showPlainFields(CUSTOMER_FIELDS), customer_name: Texts, industry_id: text }),
);

export const CUSTOMERS: OperationGroup = {
  tag: 'Customers',
  description: 'The customers of reference projects.',
  operations: {
    [`GET ${COMPANY}/customers/find`]: {
      id: 'findCustomer',
      summary: 'Find a customer by external id',
      query: { external_unique_id: z.string() },
      needs: ['external_unique_id'],
      answer: Customer,
    },
    [`GET ${COMPANY}/customers`]: {
      id: 'listCustomers',
      summary: 'Customers by name; some accounts return a list without a wrapper',
      query: { customer_name: z.string(), size: z.int().min(1).max(500), offset: z.int().min(0) },
      answer: z.union([CustomerPage, z.array(Customer)]),
    },
    [`POST ${COMPANY}/customers`]: {
      id: 'createCustomer',
      summary: 'Create a customer',
      body: CustomerBody,
      answer: Customer,
    },
    [`GET ${CUSTOMER}`]: { id: 'getCustomer', summary: 'A customer', answer: Customer, isBeyond: true },
    [`PUT ${CUSTOMER}`]: {
      id: 'updateCustomer',
      summary: 'Change a customer',
      body: CustomerBody,
      answer: Customer,
    },
    [`DELETE ${CUSTOMER}`]: {
      id: 'deleteCustomer',
      summary: 'Delete a customer without projects',
      answer: 'nothing',
    },
    [`POST ${CUSTOMER}/custom_tags`]: {
      id: 'addCustomerTag',
      summary: 'Attach a tag to a customer',
      body: TagAttachment,
      answer: Customer,
    },
    [`DELETE ${CUSTOMER}/custom_tags/:tag_id`]: {
      id: 'removeCustomerTag',
      summary: 'Remove a tag from a customer',
      answer: 'nothing',
    },
  },
};

const ProjectBody = wrap(
  'company_project',
  take({
    ...showTextFields(PROJECT_FIELDS),
    workflow_stage: z.string(),
    office_ids: ids,
    custom_fields: z.array(show({ name: z.string() })),
  }),
);

/** Conditions of the reference project search and report. */
export const ProjectFilter = show({
  offset: count.nullish(),
  size: count.nullish(),
  must: clauses.nullish(),
  workflow_stage_filter: z.enum(['all', 'draft', 'ready_for_review', 'live']).nullish(),
  filter_owned: flag.nullish(),
});

const NAMES_OF_ENTRIES: Readonly<Partial<Record<EntryKind, string>>> = {
  customer_value_propositions: 'ValueProposition',
};
/** The kinds of entries that the documented interface contains. */
const SHOWN_KINDS: readonly EntryKind[] = ['project_challenges', 'project_solutions', 'customer_value_propositions'];

function listEntryOperations(kind: EntryKind): Operations {
  const { wrapper } = ENTRIES[kind];
  const name = NAMES_OF_ENTRIES[kind] ?? nameSchema(wrapper);
  const what = wrapper.replaceAll('_', ' ');
  const body = wrap(wrapper, take({ ...showTextFields(ENTRIES[kind]), disabled: flag }));
  const answer = ENTRY_SCHEMAS[kind];
  const beyond = SHOWN_KINDS.includes(kind) ? {} : ({ isBeyond: true } as const);
  const list = `${PROJECT}/${kind}`;
  return {
    [`POST ${list}`]: { id: `create${name}`, summary: `Create a ${what}`, body, answer, ...beyond },
    [`PUT ${list}/:entry_id`]: { id: `update${name}`, summary: `Change a ${what}`, body, answer, ...beyond },
    [`DELETE ${list}/:entry_id`]: { id: `delete${name}`, summary: `Delete a ${what}`, answer: 'nothing', ...beyond },
  };
}

const READ_PROJECT = { include_project_sections: flag, include_custom_fields: flag };

const LISTS_OF_PROJECTS: Operations = {
  [`POST ${PROJECT}/custom_tags`]: {
    id: 'addProjectTag',
    summary: 'Attach a tag to a reference project',
    body: TagAttachment,
    answer: Project,
  },
  [`DELETE ${PROJECT}/custom_tags/:tag_id`]: {
    id: 'removeProjectTag',
    summary: 'Remove a tag from a reference project',
    answer: 'nothing',
  },
  [`POST ${PROJECT}/project_owners`]: {
    id: 'addProjectOwners',
    summary: 'Add owners',
    body: take({ user_ids: ids }),
    answer: Project,
  },
  [`PUT ${PROJECT}/project_owners/sync_by_email`]: {
    id: 'syncProjectOwners',
    summary: 'Add owners by e-mail, or replace all owners',
    body: take({ emails: ids, replace: flag }),
    answer: Project,
  },
  [`DELETE ${PROJECT}/project_owners/:user_id`]: {
    id: 'removeProjectOwner',
    summary: 'Remove an owner',
    answer: 'nothing',
  },
  [`POST ${PROJECT}/offices`]: {
    id: 'addProjectOffices',
    summary: 'Add offices',
    body: take({ office_ids: ids }),
    answer: Project,
    isBeyond: true,
  },
  [`DELETE ${PROJECT}/offices/:office_id`]: {
    id: 'removeProjectOffice',
    summary: 'Remove an office',
    answer: 'nothing',
    isBeyond: true,
  },
  [`POST ${PROJECT}/attachments`]: {
    id: 'addAttachment',
    summary: 'Attach a file',
    body: 'multipart/form-data',
    answer: Attachment,
    isBeyond: true,
  },
  [`DELETE ${PROJECT}/attachments/:attachment_id`]: {
    id: 'removeAttachment',
    summary: 'Remove an attached file',
    answer: 'nothing',
    isBeyond: true,
  },
  ...Object.assign({}, ...ENTRY_KINDS.map(listEntryOperations)),
  [`POST ${PROJECT}/consultants`]: {
    id: 'linkConsultants',
    summary: 'Add the project to master CVs',
    body: take({
      user_ids: ids,
      ...shapeOf(flag, 'link_to_project', 'include_dates', 'notify_by_email', 'include_section_ids'),
    }),
    answer: UpdatedCvs,
  },
};

export const PROJECTS: OperationGroup = {
  tag: 'Projects',
  description: 'Reference projects, their parts, and the people who worked on them.',
  operations: {
    'POST /api/v4/references/search': {
      id: 'searchProjects',
      summary: 'Find reference projects',
      body: ProjectFilter,
      answer: ProjectSearchPage,
    },
    [`GET ${COMPANY}/projects/find`]: {
      id: 'findProject',
      summary: 'Find a reference project by external id',
      query: { external_unique_id: z.string(), ...READ_PROJECT },
      needs: ['external_unique_id'],
      answer: Project,
    },
    [`GET ${COMPANY}/projects`]: {
      id: 'listProjects',
      summary: 'Reference projects of a customer',
      query: { company_customer_id: z.string(), include_custom_fields: flag },
      needs: ['company_customer_id'],
      answer: show({ projects: z.array(Project) }),
    },
    [`POST ${CUSTOMER}/projects`]: {
      id: 'createProject',
      summary: 'Create a reference project',
      body: ProjectBody,
      answer: Project,
    },
    [`GET ${PROJECT}`]: {
      id: 'getProject',
      summary: 'A complete reference project',
      query: READ_PROJECT,
      answer: Project,
    },
    [`PUT ${PROJECT}`]: {
      id: 'updateProject',
      summary: 'Change a reference project',
      body: ProjectBody,
      answer: Project,
    },
    [`DELETE ${PROJECT}`]: { id: 'deleteProject', summary: 'Delete a reference project', answer: 'nothing' },
    ...LISTS_OF_PROJECTS,
  },
};
