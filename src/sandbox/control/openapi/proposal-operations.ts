import * as z from 'zod';
import { CV_REPORT_TYPES, REPORT_FORMATS } from '../../../model/report-kinds.js';
import { PROPOSAL_STATUSES } from '../../store/documents.js';
import { clauses } from './cv-operations.js';
import { Cv } from './cv-schemas.js';
import type { OperationGroup } from './operation.js';
import { ProjectFilter } from './project-operations.js';
import { Project } from './project-schemas.js';
import { count, id, shapeOf, show, stamp, take, text, wrap } from './shapes.js';

const flag = z.boolean();
const OFFER = '/api/v1/offers/:proposal_id';
const OFFER_V2 = '/api/v2/offers/:proposal_id';

export const Proposal = show({
  ...shapeOf(id, '_id', 'id', 'name'),
  archived: flag,
  ...shapeOf(stamp, 'created_at', 'updated_at'),
  ...shapeOf(text, 'owner_id', 'owner_name', 'api_owner_id', 'api_owner_name'),
  status: z.enum(PROPOSAL_STATUSES),
});

export const Collaborators = show({
  api_users: z.array(show({ id, name: z.string(), access_token: text, enabled: flag, roles: z.array(z.string()) })),
  users: z.array(show({ id, email: z.string(), name: z.string(), default_cv_id: id })),
});

/** `status` is null if the status is unknown. */
export const TailoredCv = Cv.extend({ id, status: text });
export const TailoredReference = Project.extend({ company_project_id: id, status: text });

const Party = take({ type: z.enum(['user', 'api_user']), id: z.string() });
const PAGE = {
  query: z.string(),
  include_archived: flag,
  limit: z.int().min(1).max(100),
  offset: z.int().min(0),
};

export const PROPOSALS: OperationGroup = {
  tag: 'Proposals',
  description: 'Proposals with tailored copies of CVs and reference projects.',
  operations: {
    'GET /api/v1/all_offers': {
      id: 'listProposals',
      summary: 'Proposals that the key may see',
      query: PAGE,
      answer: z.array(Proposal),
    },
    'GET /api/v1/offers': {
      id: 'listOwnProposals',
      summary: 'Proposals that the key takes part in',
      query: PAGE,
      answer: z.array(Proposal),
    },
    'POST /api/v2/offers': {
      id: 'createProposal',
      summary: 'Create a proposal',
      body: wrap('offer', take(shapeOf(z.string(), 'name', 'owner_id', 'api_owner_id', 'status'))),
      answer: Proposal,
    },
    [`GET ${OFFER}`]: { id: 'getProposal', summary: 'A proposal', answer: Proposal },
    [`PUT ${OFFER}`]: {
      id: 'updateProposal',
      summary: 'Change a proposal',
      body: wrap('offer', take({ name: z.string(), archived: flag, status: z.string() })),
      answer: Proposal,
    },
    [`PUT ${OFFER_V2}/owner`]: {
      id: 'changeProposalOwner',
      summary: 'Change the owner of a proposal',
      body: wrap('owner', Party),
      answer: Proposal,
    },
    [`GET ${OFFER_V2}/collaborators`]: {
      id: 'listCollaborators',
      summary: 'The collaborators of a proposal',
      answer: Collaborators,
    },
    [`POST ${OFFER_V2}/collaborators`]: {
      id: 'addCollaborator',
      summary: 'Add a collaborator',
      body: wrap('collaborator', Party),
      answer: Collaborators,
    },
    [`DELETE ${OFFER_V2}/collaborators/:collaborator_type/:collaborator_id`]: {
      id: 'removeCollaborator',
      summary: 'Remove a collaborator',
      answer: 'nothing',
    },
    [`GET ${OFFER}/cvs`]: { id: 'listProposalCvs', summary: 'Tailored CVs', answer: z.array(TailoredCv) },
    [`POST ${OFFER}/cvs`]: {
      id: 'addProposalCv',
      summary: 'Copy a master CV into a proposal',
      body: wrap('cv', take({ cv_id: z.string() })),
      answer: TailoredCv,
    },
    [`DELETE ${OFFER}/cvs/:tailored_cv_id`]: {
      id: 'removeProposalCv',
      summary: 'Remove a tailored CV',
      answer: 'nothing',
    },
    [`GET ${OFFER}/references`]: {
      id: 'listProposalReferences',
      summary: 'Tailored reference projects',
      answer: z.array(TailoredReference),
    },
    [`POST ${OFFER}/references`]: {
      id: 'addProposalReference',
      summary: 'Copy a reference project into a proposal',
      body: wrap('reference', take(shapeOf(z.string(), 'company_customer_id', 'company_project_id'))),
      answer: TailoredReference,
    },
    [`DELETE ${OFFER}/references/:tailored_reference_id`]: {
      id: 'removeProposalReference',
      summary: 'Remove a tailored reference project',
      answer: 'nothing',
    },
    'GET /redirect/to/proposal': {
      id: 'openProposal',
      summary: 'The page of a proposal',
      query: { id: z.string() },
      needs: ['id'],
      answer: 'redirect',
    },
  },
};

const STATE = z.enum(['started', 'finished']);

export const CvReport = show({
  ...shapeOf(id, '_id', 'downloader_id', 'updated_ago'),
  ...shapeOf(stamp, 'created_at', 'updated_at'),
  ...shapeOf(count, 'percent_complete', 'number_of_cvs', 'number_of_completed_cvs'),
  state: STATE,
  cv_report: show({ url: text }),
});

export const ReferenceReport = show({
  ...shapeOf(id, '_id', 'id'),
  ...shapeOf(count, 'percentProcessed', 'processed', 'total'),
  state: STATE,
  file: show({ url: text }),
});

export const REPORTS: OperationGroup = {
  tag: 'Reports',
  description: 'Reports as CSV or spreadsheets: start one, poll until it is finished, and fetch its signed URL.',
  operations: {
    'POST /api/v2/cv-report': {
      id: 'startCvReport',
      summary: 'Start a CV report',
      query: {
        encoding: z.enum(['UTF-8']),
        output_format: z.enum(REPORT_FORMATS),
        report_type: z.enum(CV_REPORT_TYPES),
        'lang[]': z.array(z.string()),
      },
      body: show({ office_ids: z.array(id).nullish(), must: clauses.nullish() }),
      needs: ['output_format', 'report_type'],
      answer: CvReport,
    },
    'GET /api/v2/cv-report/:report_id': { id: 'getCvReport', summary: 'The state of a CV report', answer: CvReport },
    'POST /api/v4/references/reports': {
      id: 'startProjectReport',
      summary: 'Start a report of reference projects',
      body: ProjectFilter.extend({ output_format: z.enum(REPORT_FORMATS) }),
      answer: ReferenceReport,
    },
    'GET /api/v4/references/reports/:report_id': {
      id: 'getProjectReport',
      summary: 'The state of a report of reference projects',
      answer: ReferenceReport,
    },
    'GET /files/:file_id': {
      id: 'getFile',
      summary: 'The file behind a signed URL',
      query: shapeOf(z.string(), 'expires', 'signature'),
      needs: ['expires', 'signature'],
      answer: 'file',
      isBeyond: true,
    },
  },
};

const CV_FILE = '/api/v1/cvs/download/:user_id/:cv_id/:language_code/:filetype';

export const DOCUMENTS: OperationGroup = {
  tag: 'Documents',
  description: 'CVs and reference projects as pdf, docx and pptx: at most one every 2 seconds and ten per minute.',
  operations: {
    [`GET ${CV_FILE}`]: { id: 'downloadCv', summary: 'A CV in its default template', answer: 'file' },
    [`GET ${CV_FILE}/:template_id`]: { id: 'downloadCvFromTemplate', summary: 'A CV in a template', answer: 'file' },
    'GET /api/v1/reference_projects/download/:customer_id/:project_id/:language_code/:filetype/:template_id': {
      id: 'downloadProject',
      summary: 'A reference project in a template',
      answer: 'file',
    },
    'GET /api/v1/proposal_reference_projects/download/:language_code/proposals/:proposal_id/reference_projects/:reference_id/:filetype/:template_id':
      {
        id: 'downloadProposalProject',
        summary: 'A tailored reference project in a template',
        answer: 'file',
      },
  },
};
