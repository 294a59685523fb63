import { collectRows, parseAnswer, readRecord, type Written, writeOnly, writeRecord, writeShown } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { ENDPOINTS } from './endpoints.js';
import { listRows } from './paging.js';
import type { ProjectKey } from './record-keys.js';
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
  create(proposal: ProposalCreate, signal?: AbortSignal): Written<WireProposal>;
  update(proposalId: string, proposal: ProposalUpdate, signal?: AbortSignal): Written<WireProposal>;
  changeOwner(proposalId: string, owner: Party, signal?: AbortSignal): Written<WireProposal | null>;
  addCollaborator(proposalId: string, party: Party, signal?: AbortSignal): Written<null>;
  removeCollaborator(proposalId: string, party: Party, signal?: AbortSignal): Written<null>;
  /** A tailored copy of the master CV. */
  addCv(proposalId: string, cvId: string, signal?: AbortSignal): Written<WireTailoredCv | null>;
  removeCv(proposalId: string, tailoredCvId: string, signal?: AbortSignal): Written<null>;
  /** A tailored copy of the reference project. */
  addReference(proposalId: string, project: ProjectKey, signal?: AbortSignal): Written<WireTailoredReference | null>;
  removeReference(proposalId: string, tailoredReferenceId: string, signal?: AbortSignal): Written<null>;
}

/** The largest `limit` (spec, Limits). */
const PAGE_LIMIT = 100;

export function createProposalsReader(call: ReadCall, baseUrl: string): ProposalsReader {
  return {
    list({ query, includeArchived, size = PAGE_LIMIT, signal } = {}) {
      const filter = { query, include_archived: includeArchived, limit: size };
      const ask = (offset: number) => call({ endpoint: 'listProposals', query: { ...filter, offset }, signal });
      return listRows(size, ask, WireProposal, 'offers', 'proposals');
    },
    async listOwn(signal) {
      return collectRows(await call({ endpoint: 'listOwnProposals', signal }), WireProposal, 'offers', 'proposals');
    },
    get(proposalId, signal) {
      return readRecord(call, { endpoint: 'getProposal', path: at(proposalId), signal }, WireProposal);
    },
    async listCollaborators(proposalId, signal) {
      const answer = await call({ endpoint: 'listCollaborators', path: at(proposalId), signal });
      return parseAnswer(answer, WireCollaborators);
    },
    async listCvs(proposalId, signal) {
      const answer = await call({ endpoint: 'listProposalCvs', path: at(proposalId), signal });
      return collectRows(answer, WireTailoredCv, 'cvs');
    },
    async listReferences(proposalId, signal) {
      const answer = await call({ endpoint: 'listProposalReferences', path: at(proposalId), signal });
      return collectRows(answer, WireTailoredReference, 'references');
    },
    linkTo: (proposalId) => `${baseUrl}${ENDPOINTS.openProposal.path}?id=${encodeURIComponent(proposalId)}`,
  };
}

export function createProposalsWriter(call: WriteCall): ProposalsWriter {
  return {
    create(proposal, signal) {
      return writeRecord(call, { endpoint: 'createProposal', body: { offer: { ...proposal } }, signal }, WireProposal);
    },
    update(proposalId, proposal, signal) {
      const body = { offer: { ...proposal } };
      return writeRecord(call, { endpoint: 'updateProposal', path: at(proposalId), body, signal }, WireProposal);
    },
    changeOwner(proposalId, owner, signal) {
      const body = { owner: { ...owner } };
      return writeShown(call, { endpoint: 'changeProposalOwner', path: at(proposalId), body, signal }, WireProposal);
    },
    addCollaborator(proposalId, party, signal) {
      const body = { collaborator: { ...party } };
      return writeOnly(call, { endpoint: 'addCollaborator', path: at(proposalId), body, signal });
    },
    removeCollaborator(proposalId, { type, id }, signal) {
      const path = { ...at(proposalId), collaborator_type: type, collaborator_id: id };
      return writeOnly(call, { endpoint: 'removeCollaborator', path, signal });
    },
    addCv(proposalId, cvId, signal) {
      const body = { cv: { cv_id: cvId } };
      return writeShown(call, { endpoint: 'addProposalCv', path: at(proposalId), body, signal }, WireTailoredCv);
    },
    removeCv(proposalId, tailoredCvId, signal) {
      const path = { ...at(proposalId), tailored_cv_id: tailoredCvId };
      return writeOnly(call, { endpoint: 'removeProposalCv', path, signal });
    },
    addReference(proposalId, { customerId, projectId }, signal) {
      const body = { reference: { company_customer_id: customerId, company_project_id: projectId } };
      const request = { endpoint: 'addProposalReference', path: at(proposalId), body, signal } as const;
      return writeShown(call, request, WireTailoredReference);
    },
    removeReference(proposalId, tailoredReferenceId, signal) {
      const path = { ...at(proposalId), tailored_reference_id: tailoredReferenceId };
      return writeOnly(call, { endpoint: 'removeProposalReference', path, signal });
    },
  };
}

function at(proposalId: string) {
  return { proposal_id: proposalId };
}
