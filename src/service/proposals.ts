import {
  buildWriteResult,
  collectRows,
  nullIfUnknown,
  parseAnswer,
  parseRows,
  parseShown,
  parseWrite,
  type WriteResult,
} from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { ENDPOINTS } from './endpoints.js';
import { readPages } from './paging.js';
import type { ProjectKey } from './record-tags.js';
import { WireTailoredCv } from './wire-cv.js';
import { WireCollaborators, WireProposal, WireTailoredReference } from './wire-proposal.js';

export type ProposalStatus = 'initial' | 'editing' | 'finalised' | 'submitted' | 'won' | 'lost';

export interface ProposalUpdate {
  readonly name?: string;
  readonly archived?: boolean;
  readonly status?: ProposalStatus;
}

/** Owned by the key's own API user unless an owner is given; `initial` unless a status is. */
export interface ProposalCreate {
  readonly name: string;
  readonly owner_id?: string;
  readonly api_owner_id?: string;
  readonly status?: ProposalStatus;
}

export interface Party {
  readonly type: 'user' | 'api_user';
  readonly id: string;
}

export interface ProposalQuery {
  /** Part of the name. */
  readonly query?: string;
  readonly includeArchived?: boolean;
  /** 1 to 100. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProposalsReader {
  /** All of the account, as administrators see them, page by page. */
  list(query?: ProposalQuery): AsyncGenerator<readonly WireProposal[], void, undefined>;
  /** Only those of which the key's own user is owner or contributor. */
  listOwn(signal?: AbortSignal): Promise<readonly WireProposal[]>;
  get(proposalId: string, signal?: AbortSignal): Promise<WireProposal | null>;
  /** Without the access tokens that the service sends along. */
  listCollaborators(proposalId: string, signal?: AbortSignal): Promise<WireCollaborators>;
  listCvs(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredCv[]>;
  listReferences(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredReference[]>;
  /** Where a person opens it in a browser; nothing is sent. */
  linkTo(proposalId: string): string;
}

/** Where the spec does not show an answer's shape, its value is null unless it is the record. */
export interface ProposalsWriter {
  create(proposal: ProposalCreate, signal?: AbortSignal): Promise<WriteResult<WireProposal>>;
  update(proposalId: string, proposal: ProposalUpdate, signal?: AbortSignal): Promise<WriteResult<WireProposal>>;
  changeOwner(proposalId: string, owner: Party, signal?: AbortSignal): Promise<WriteResult<WireProposal | null>>;
  addCollaborator(proposalId: string, party: Party, signal?: AbortSignal): Promise<WriteResult<null>>;
  removeCollaborator(proposalId: string, party: Party, signal?: AbortSignal): Promise<WriteResult<null>>;
  /** A tailored copy of the master CV. */
  addCv(proposalId: string, cvId: string, signal?: AbortSignal): Promise<WriteResult<WireTailoredCv | null>>;
  removeCv(proposalId: string, tailoredCvId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  /** A tailored copy of the reference project. */
  addReference(
    proposalId: string,
    project: ProjectKey,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireTailoredReference | null>>;
  removeReference(proposalId: string, tailoredReferenceId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

/** The largest `limit` (spec, Limits). */
const PAGE_LIMIT = 100;

export function createProposalsReader(call: ReadCall, baseUrl: string): ProposalsReader {
  return {
    async *list(query = {}) {
      const size = query.size ?? PAGE_LIMIT;
      const filter = { query: query.query, include_archived: query.includeArchived };
      const pages = readPages<WireProposal>({
        size,
        async readPage(offset) {
          const request = { endpoint: 'listProposals', query: { ...filter, limit: size, offset } } as const;
          return {
            rows: parseRows(await call({ ...request, signal: query.signal }), WireProposal, 'offers', 'proposals'),
            total: null,
          };
        },
        idOf: (proposal) => proposal.id,
      });
      for await (const page of pages) if (page.rows.length > 0) yield page.rows;
    },
    async listOwn(signal) {
      return collectRows(await call({ endpoint: 'listOwnProposals', signal }), WireProposal, 'offers', 'proposals');
    },
    async get(proposalId, signal) {
      const path = { proposal_id: proposalId };
      const answer = await nullIfUnknown(call({ endpoint: 'getProposal', path, signal }));
      return answer === null ? null : parseAnswer(answer, WireProposal);
    },
    async listCollaborators(proposalId, signal) {
      const path = { proposal_id: proposalId };
      return parseAnswer(await call({ endpoint: 'listCollaborators', path, signal }), WireCollaborators);
    },
    async listCvs(proposalId, signal) {
      const path = { proposal_id: proposalId };
      return collectRows(await call({ endpoint: 'listProposalCvs', path, signal }), WireTailoredCv, 'cvs');
    },
    async listReferences(proposalId, signal) {
      const answer = await call({ endpoint: 'listProposalReferences', path: { proposal_id: proposalId }, signal });
      return collectRows(answer, WireTailoredReference, 'references');
    },
    linkTo: (proposalId) => `${baseUrl}${ENDPOINTS.openProposal.path}?id=${encodeURIComponent(proposalId)}`,
  };
}

export function createProposalsWriter(call: WriteCall): ProposalsWriter {
  return {
    async create(proposal, signal) {
      return parseWrite(
        await call({ endpoint: 'createProposal', body: { offer: { ...proposal } }, signal }),
        WireProposal,
      );
    },
    async update(proposalId, proposal, signal) {
      const path = { proposal_id: proposalId };
      const body = { offer: { ...proposal } };
      return parseWrite(await call({ endpoint: 'updateProposal', path, body, signal }), WireProposal);
    },
    async changeOwner(proposalId, owner, signal) {
      const path = { proposal_id: proposalId };
      const body = { owner: { ...owner } };
      return parseShown(await call({ endpoint: 'changeProposalOwner', path, body, signal }), WireProposal);
    },
    async addCollaborator(proposalId, party, signal) {
      const path = { proposal_id: proposalId };
      const body = { collaborator: { ...party } };
      return buildWriteResult(await call({ endpoint: 'addCollaborator', path, body, signal }), null);
    },
    async removeCollaborator(proposalId, party, signal) {
      const path = { proposal_id: proposalId, collaborator_type: party.type, collaborator_id: party.id };
      return buildWriteResult(await call({ endpoint: 'removeCollaborator', path, signal }), null);
    },
    async addCv(proposalId, cvId, signal) {
      const path = { proposal_id: proposalId };
      return parseShown(
        await call({ endpoint: 'addProposalCv', path, body: { cv: { cv_id: cvId } }, signal }),
        WireTailoredCv,
      );
    },
    async removeCv(proposalId, tailoredCvId, signal) {
      const path = { proposal_id: proposalId, tailored_cv_id: tailoredCvId };
      return buildWriteResult(await call({ endpoint: 'removeProposalCv', path, signal }), null);
    },
    async addReference(proposalId, { customerId, projectId }, signal) {
      const path = { proposal_id: proposalId };
      const body = { reference: { company_customer_id: customerId, company_project_id: projectId } };
      return parseShown(await call({ endpoint: 'addProposalReference', path, body, signal }), WireTailoredReference);
    },
    async removeReference(proposalId, tailoredReferenceId, signal) {
      const path = { proposal_id: proposalId, tailored_reference_id: tailoredReferenceId };
      return buildWriteResult(await call({ endpoint: 'removeProposalReference', path, signal }), null);
    },
  };
}
