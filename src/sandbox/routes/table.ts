import { FILES } from '../answers/signed-links.js';
import type { CallHandler, Route } from '../calls/call.js';
import { PART_TYPES, PARTS } from '../fields/section-kinds.js';
import { postImport } from '../imports/accept-import.js';
import { searchCvs } from '../search/search-cvs.js';
import { searchReferences } from '../search/search-references.js';
import { ENTRY_KINDS } from '../store/project-documents.js';
import { linkConsultants } from './consultants.js';
import { COUNTRIES, listCountries, OFFICES } from './countries.js';
import { CUSTOMERS, findCustomer, getCustomer, listCustomers } from './customers.js';
import { deleteSection, getSection, postSection, putSection } from './cv-sections.js';
import { getCv, getMetadata, putCvFields } from './cvs.js';
import { downloads, findCvDocument, findProjectDocument, findTailoredDocument, getFile } from './exports.js';
import { listsSkills } from './masterdata.js';
import { entriesOf } from './project-entries.js';
import * as lists from './project-lists.js';
import * as projects from './projects.js';
import { listTailoredCvs, listTailoredReferences, TAILORED_CVS, TAILORED_REFERENCES } from './proposal-contents.js';
import * as proposals from './proposals.js';
import { attaches, detaches, TAGGED_CUSTOMERS, TAGGED_CVS, TAGGED_PROJECTS } from './record-tags.js';
import * as reports from './reports.js';
import { changes, creates, removes } from './resource.js';
import { getPart, partsOf, postImage } from './section-parts.js';
import * as tags from './tags.js';
import { listChanges, listUsers, searchUsers } from './user-lists.js';
import * as users from './users.js';

const V1 = '/api/v1';
const USER = `${V1}/users/:user_id`;
const COUNTRY = `${V1}/countries/:country_id`;
const CV = '/api/v3/cvs/:user_id/:cv_id';
const SECTION = `${CV}/:section_type/:section_id`;
const CATEGORY = `${V1}/masterdata/custom_tags/custom_tag_category`;
const TAG = `${V1}/masterdata/custom_tags/custom_tag`;
const TECHNOLOGIES = `${V1}/masterdata/technologies`;
const COMPANY = '/api/v2/company/cv';
const CUSTOMER = `${COMPANY}/customers/:customer_id`;
const PROJECT = `${CUSTOMER}/projects/:project_id`;
const OFFER = `${V1}/offers/:proposal_id`;
const OFFER_V2 = '/api/v2/offers/:proposal_id';
const CV_REPORT = '/api/v2/cv-report';
const REFERENCE_REPORT = '/api/v4/references/reports';
const CV_EXPORT = `${V1}/cvs/download/:user_id/:cv_id/:language_code/:filetype`;
const PROJECT_EXPORT = `${V1}/reference_projects/download/:customer_id/:project_id/:language_code/:filetype/:template_id`;
const TAILORED_EXPORT = `${V1}/proposal_reference_projects/download/:language_code/proposals/:proposal_id/reference_projects/:reference_id/:filetype/:template_id`;

/** By default, GET reads and every other method writes. */
type EndpointRow = readonly [method: Route['method'], path: string, handle: CallHandler, access?: Route['access']];

/** One row for each endpoint of the service. */
const ROWS: readonly EndpointRow[] = [
  ['GET', '/api/v2/users/search', searchUsers],
  ['GET', `${V1}/users/changes`, listChanges],
  ['GET', `${V1}/users/find`, users.findUser],
  ['GET', `${V1}/users`, listUsers],
  ['POST', `${V1}/users`, users.postUser],
  ['POST', `${V1}/users/import/csv/:config_name`, postImport],
  ['GET', USER, users.getUser],
  ['PUT', USER, users.putUser],
  ['DELETE', USER, users.deleteUser],

  ['GET', `${V1}/countries`, listCountries],
  ['POST', `${V1}/countries`, creates(COUNTRIES)],
  ['PUT', COUNTRY, changes(COUNTRIES)],
  ['POST', `${COUNTRY}/offices`, creates(OFFICES)],
  ['PUT', `${COUNTRY}/offices/:office_id`, changes(OFFICES)],
  ['DELETE', `${COUNTRY}/offices/:office_id`, removes(OFFICES)],

  ['POST', '/api/v4/search', searchCvs, 'read'],
  ['GET', CV, getCv],
  ['PUT', CV, putCvFields],
  ['GET', `${CV}/metadata`, getMetadata],
  // All 14 section types work in the same way. section-kinds.ts lists their fields.
  ['POST', `${CV}/:section_type`, postSection],
  ['GET', SECTION, getSection],
  ['PUT', SECTION, putSection],
  ['DELETE', SECTION, deleteSection],
  // The spec describes only create and read for roles. The other calls follow the common pattern.
  ...PART_TYPES.flatMap((type): EndpointRow[] => {
    const list = `${CV}/${PARTS[type].section}/:section_id/${type}`;
    return [
      ['POST', list, creates(partsOf(type))],
      ['GET', `${list}/:part_id`, getPart(type)],
      ['PUT', `${list}/:part_id`, changes(partsOf(type))],
      ['DELETE', `${list}/:part_id`, removes(partsOf(type))],
    ];
  }),
  ['POST', `${CV}/project_experiences/:section_id/images`, postImage],

  ['GET', CATEGORY, tags.listCategories],
  ['POST', CATEGORY, creates(tags.CATEGORIES)],
  ['PUT', `${CATEGORY}/:category_id`, changes(tags.CATEGORIES)],
  ['DELETE', `${CATEGORY}/:category_id`, tags.deleteCategory],
  ['DELETE', `${CATEGORY}/:category_id/bulk_delete`, tags.deleteTags],
  ['GET', TAG, tags.listTags],
  ['POST', TAG, creates(tags.TAGS)],
  ['PUT', `${TAG}/:tag_id`, changes(tags.TAGS)],
  ['DELETE', `${TAG}/:tag_id`, tags.deleteTag],
  ['GET', `${TECHNOLOGIES}/category`, listsSkills('category')],
  ['GET', `${TECHNOLOGIES}/tags`, listsSkills('tags')],
  ['POST', `${CV}/custom_tags`, attaches(TAGGED_CVS)],
  ['DELETE', `${CV}/custom_tags/:tag_id`, detaches(TAGGED_CVS)],
  ['POST', `${CUSTOMER}/custom_tags`, attaches(TAGGED_CUSTOMERS)],
  ['DELETE', `${CUSTOMER}/custom_tags/:tag_id`, detaches(TAGGED_CUSTOMERS)],
  ['POST', `${PROJECT}/custom_tags`, attaches(TAGGED_PROJECTS)],
  ['DELETE', `${PROJECT}/custom_tags/:tag_id`, detaches(TAGGED_PROJECTS)],

  ['GET', `${COMPANY}/customers/find`, findCustomer],
  ['GET', `${COMPANY}/customers`, listCustomers],
  ['POST', `${COMPANY}/customers`, creates(CUSTOMERS)],
  ['GET', CUSTOMER, getCustomer],
  ['PUT', CUSTOMER, changes(CUSTOMERS)],
  ['DELETE', CUSTOMER, removes(CUSTOMERS)],

  ['POST', '/api/v4/references/search', searchReferences, 'read'],
  ['GET', `${COMPANY}/projects/find`, projects.findProject],
  ['GET', `${COMPANY}/projects`, projects.listProjects],
  ['POST', `${CUSTOMER}/projects`, projects.postProject],
  ['GET', PROJECT, projects.getProject],
  ['PUT', PROJECT, projects.changeProject],
  ['DELETE', PROJECT, projects.deleteProject],
  ['POST', `${PROJECT}/project_owners`, lists.addOwners],
  ['PUT', `${PROJECT}/project_owners/sync_by_email`, lists.syncOwners],
  ['DELETE', `${PROJECT}/project_owners/:user_id`, lists.removeOwner],
  ['POST', `${PROJECT}/offices`, lists.addOffices],
  ['DELETE', `${PROJECT}/offices/:office_id`, lists.removeOffice],
  ['POST', `${PROJECT}/attachments`, lists.addAttachment],
  ['DELETE', `${PROJECT}/attachments/:attachment_id`, lists.removeAttachment],
  ...ENTRY_KINDS.flatMap((kind): EndpointRow[] => [
    ['POST', `${PROJECT}/${kind}`, creates(entriesOf(kind))],
    ['PUT', `${PROJECT}/${kind}/:entry_id`, changes(entriesOf(kind))],
    ['DELETE', `${PROJECT}/${kind}/:entry_id`, removes(entriesOf(kind))],
  ]),
  ['POST', `${PROJECT}/consultants`, linkConsultants],

  ['GET', `${V1}/all_offers`, proposals.listProposals('all')],
  ['GET', `${V1}/offers`, proposals.listProposals('own')],
  ['POST', '/api/v2/offers', proposals.postProposal],
  ['GET', OFFER, proposals.getProposal],
  ['PUT', OFFER, proposals.putProposal],
  ['PUT', `${OFFER_V2}/owner`, proposals.putOwner],
  ['GET', `${OFFER_V2}/collaborators`, proposals.listCollaborators],
  ['POST', `${OFFER_V2}/collaborators`, proposals.addCollaborator],
  ['DELETE', `${OFFER_V2}/collaborators/:collaborator_type/:collaborator_id`, proposals.removeCollaborator],
  ['GET', `${OFFER}/cvs`, listTailoredCvs],
  ['POST', `${OFFER}/cvs`, creates(TAILORED_CVS)],
  ['DELETE', `${OFFER}/cvs/:tailored_cv_id`, removes(TAILORED_CVS)],
  ['GET', `${OFFER}/references`, listTailoredReferences],
  ['POST', `${OFFER}/references`, creates(TAILORED_REFERENCES)],
  ['DELETE', `${OFFER}/references/:tailored_reference_id`, removes(TAILORED_REFERENCES)],
  ['GET', '/redirect/to/proposal', proposals.redirectToProposal],

  // Reports do not change the account, so a read-only key may start them.
  ['POST', CV_REPORT, reports.startCvReport, 'read'],
  ['GET', `${CV_REPORT}/:report_id`, reports.getCvReport],
  ['POST', REFERENCE_REPORT, reports.startReferenceReport, 'read'],
  ['GET', `${REFERENCE_REPORT}/:report_id`, reports.getReferenceReport],
  ['GET', CV_EXPORT, downloads(findCvDocument)],
  ['GET', `${CV_EXPORT}/:template_id`, downloads(findCvDocument)],
  ['GET', PROJECT_EXPORT, downloads(findProjectDocument)],
  ['GET', TAILORED_EXPORT, downloads(findTailoredDocument)],
  ['GET', `${FILES}/:file_id`, getFile, 'signed'],
];

export const ROUTES: readonly Route[] = ROWS.map(([method, path, handle, access]) => ({
  method,
  path,
  handle,
  access: access ?? (method === 'GET' ? 'read' : 'write'),
}));
