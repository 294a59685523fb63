import { collectRows, parseAnswer, readRecord, type Writing, writeOnly, writeRecord, writeShown } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { ENDPOINTS } from './endpoints.js';
import { listRows, type Pages } from './paging.js';
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

/** The largest `limit` (spec, Limits). */
const PAGE_LIMIT = 100;

export function createProposalsReader(call: ReadCall, baseUrl: string) {
  return {
    /** All of the account, as administrators see them, page by page. */
    list({ query, includeArchived, size = PAGE_LIMIT, signal }: ProposalQuery = {}): Pages<WireProposal> {
      const filter = { query, include_archived: includeArchived, limit: size };
      const ask = (offset: number) => call({ endpoint: 'listProposals', query: { ...filter, offset }, signal });
      return listRows(size, ask, WireProposal, 'offers', 'proposals');
    },
    /** Only those of which the key's own user is owner or contributor. */
    async listOwn(signal?: AbortSignal): Promise<readonly WireProposal[]> {
      return collectRows(await call({ endpoint: 'listOwnProposals', signal }), WireProposal, 'offers', 'proposals');
    },
    get(proposalId: string, signal?: AbortSignal): Promise<WireProposal | null> {
      return readRecord(call, { endpoint: 'getProposal', path: at(proposalId), signal }, WireProposal);
    },
    /** Without the access tokens that the service sends along. */
    async listCollaborators(proposalId: string, signal?: AbortSignal): Promise<WireCollaborators> {
      const answer = await call({ endpoint: 'listCollaborators', path: at(proposalId), signal });
      return parseAnswer(answer, WireCollaborators);
    },
    async listCvs(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredCv[]> {
      const answer = await call({ endpoint: 'listProposalCvs', path: at(proposalId), signal });
      return collectRows(answer, WireTailoredCv, 'cvs');
    },
    async listReferences(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredReference[]> {
      const answer = await call({ endpoint: 'listProposalReferences', path: at(proposalId), signal });
      return collectRows(answer, WireTailoredReference, 'references');
    },
    /** Where a person opens it in a browser; nothing is sent. */
    linkTo: (proposalId: string): string =>
      `${baseUrl}${ENDPOINTS.openProposal.path}?id=${encodeURIComponent(proposalId)}`,
  };
}

/** Where the spec does not show an answer's shape, its value is null unless it is the record. */
export function createProposalsWriter(call: WriteCall) {
  return {
    create(proposal: ProposalCreate, signal?: AbortSignal): Writing<WireProposal> {
      return writeRecord(call, { endpoint: 'createProposal', body: { offer: { ...proposal } }, signal }, WireProposal);
    },
    update(proposalId: string, proposal: ProposalUpdate, signal?: AbortSignal): Writing<WireProposal> {
      const body = { offer: { ...proposal } };
      return writeRecord(call, { endpoint: 'updateProposal', path: at(proposalId), body, signal }, WireProposal);
    },
    changeOwner(proposalId: string, owner: Party, signal?: AbortSignal): Writing<WireProposal | null> {
      const body = { owner: { ...owner } };
      return writeShown(call, { endpoint: 'changeProposalOwner', path: at(proposalId), body, signal }, WireProposal);
    },
    addCollaborator(proposalId: string, party: Party, signal?: AbortSignal): Writing<null> {
      const body = { collaborator: { ...party } };
      return writeOnly(call, { endpoint: 'addCollaborator', path: at(proposalId), body, signal });
    },
    removeCollaborator(proposalId: string, { type, id }: Party, signal?: AbortSignal): Writing<null> {
      const path = { ...at(proposalId), collaborator_type: type, collaborator_id: id };
      return writeOnly(call, { endpoint: 'removeCollaborator', path, signal });
    },
    /** A tailored copy of the master CV. */
    addCv(proposalId: string, cvId: string, signal?: AbortSignal): Writing<WireTailoredCv | null> {
      const body = { cv: { cv_id: cvId } };
      return writeShown(call, { endpoint: 'addProposalCv', path: at(proposalId), body, signal }, WireTailoredCv);
    },
    removeCv(proposalId: string, tailoredCvId: string, signal?: AbortSignal): Writing<null> {
      const path = { ...at(proposalId), tailored_cv_id: tailoredCvId };
      return writeOnly(call, { endpoint: 'removeProposalCv', path, signal });
    },
    /** A tailored copy of the reference project. */
    addReference(
      proposalId: string,
      { customerId, projectId }: ProjectKey,
      signal?: AbortSignal,
    ): Writing<WireTailoredReference | null> {
      const body = { reference: { company_customer_id: customerId, company_project_id: projectId } };
      const request = { endpoint: 'addProposalReference', path: at(proposalId), body, signal } as const;
      return writeShown(call, request, WireTailoredReference);
    },
    removeReference(proposalId: string, tailoredReferenceId: string, signal?: AbortSignal): Writing<null> {
      const path = { ...at(proposalId), tailored_reference_id: tailoredReferenceId };
      return writeOnly(call, { endpoint: 'removeProposalReference', path, signal });
    },
  };
}

function at(proposalId: string) {
  return { proposal_id: proposalId };
}
