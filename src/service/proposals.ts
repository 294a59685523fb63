import type { PROPOSAL_STATUSES } from '../model/fields.js';
import { collectRows, parseAnswer, type Reads, type Writes, type Writing } from './answer.js';
import { ENDPOINTS } from './endpoints.js';
import { listRows, type Pages } from './paging.js';
import type { ProjectKey } from './record-keys.js';
import { WireTailoredCv } from './wire-cv.js';
import type { NeverEmpty, PlainBody } from './wire-plain.js';
import { WireCollaborators, WireProposal, WireTailoredReference } from './wire-proposal.js';

export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** The fields that an update may set; none of them can be emptied. */
export type ProposalUpdate = NeverEmpty<PlainBody<'proposals'>, 'name' | 'status'> & {
  readonly status?: ProposalStatus;
};

/** By default, the key's own API user is the owner and the status is `initial`. */
export type ProposalCreate = Pick<ProposalUpdate, 'status'> & {
  readonly name: string;
  readonly owner_id?: string;
  readonly api_owner_id?: string;
};

export interface Party {
  readonly type: 'user' | 'api_user';
  readonly id: string;
}

export interface ProposalQuery {
  /** A part of the name. */
  readonly query?: string;
  readonly includeArchived?: boolean;
  /** 1 to 100. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The largest `limit` (spec, Limits). */
const PAGE_LIMIT = 100;

export function createProposalsReader(read: Reads, baseUrl: string) {
  return {
    /** Lists all proposals of the account, as administrators see them, page by page. */
    list({ query, includeArchived, size = PAGE_LIMIT, signal }: ProposalQuery = {}): Pages<WireProposal> {
      const filter = { query, include_archived: includeArchived, limit: size };
      const ask = (offset: number) => read.call({ endpoint: 'listProposals', query: { ...filter, offset }, signal });
      return listRows(size, ask, WireProposal, 'offers', 'proposals');
    },
    /** Lists only the proposals that the key's own user owns or contributes to. */
    listOwn: async (signal?: AbortSignal): Promise<readonly WireProposal[]> =>
      read.rows('listOwnProposals', WireProposal, { signal }, 'offers', 'proposals'),
    get: (proposalId: string, signal?: AbortSignal): Promise<WireProposal | null> =>
      read.record('getProposal', WireProposal, { path: [proposalId], signal }),
    /** Leaves out the access tokens in the answer. */
    async listCollaborators(proposalId: string, signal?: AbortSignal): Promise<WireCollaborators> {
      const answer = await read.call({ endpoint: 'listCollaborators', path: [proposalId], signal });
      return parseAnswer(answer, WireCollaborators);
    },
    async listCvs(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredCv[]> {
      const answer = await read.call({ endpoint: 'listProposalCvs', path: [proposalId], signal });
      return collectRows(answer, WireTailoredCv, 'cvs');
    },
    async listReferences(proposalId: string, signal?: AbortSignal): Promise<readonly WireTailoredReference[]> {
      const answer = await read.call({ endpoint: 'listProposalReferences', path: [proposalId], signal });
      return collectRows(answer, WireTailoredReference, 'references');
    },
    /** The address that opens the proposal in a browser; it sends nothing. */
    linkTo: (proposalId: string): string =>
      `${baseUrl}${ENDPOINTS.openProposal.path}?id=${encodeURIComponent(proposalId)}`,
  };
}

/** If the spec does not show the shape of an answer, its value is the record or null. */
export function createProposalsWriter(send: Writes) {
  return {
    create: (proposal: ProposalCreate, signal?: AbortSignal): Writing<WireProposal> =>
      send.record('createProposal', WireProposal, { body: { offer: { ...proposal } }, signal }),
    update: (proposalId: string, proposal: ProposalUpdate, signal?: AbortSignal): Writing<WireProposal> =>
      send.record('updateProposal', WireProposal, { path: [proposalId], body: { offer: { ...proposal } }, signal }),
    changeOwner: (proposalId: string, owner: Party, signal?: AbortSignal): Writing<WireProposal | null> =>
      send.shown('changeProposalOwner', WireProposal, { path: [proposalId], body: { owner: { ...owner } }, signal }),
    addCollaborator: (proposalId: string, party: Party, signal?: AbortSignal): Writing<null> =>
      send.empty('addCollaborator', { path: [proposalId], body: { collaborator: { ...party } }, signal }),
    removeCollaborator: (proposalId: string, { type, id }: Party, signal?: AbortSignal): Writing<null> =>
      send.empty('removeCollaborator', { path: [proposalId, type, id], signal }),
    /** Adds a tailored copy of the master CV. */
    addCv: (proposalId: string, cvId: string, signal?: AbortSignal): Writing<WireTailoredCv | null> =>
      send.shown('addProposalCv', WireTailoredCv, { path: [proposalId], body: { cv: { cv_id: cvId } }, signal }),
    removeCv: (proposalId: string, tailoredCvId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeProposalCv', { path: [proposalId, tailoredCvId], signal }),
    /** Adds a tailored copy of the reference project. */
    addReference(
      proposalId: string,
      { customerId, projectId }: ProjectKey,
      signal?: AbortSignal,
    ): Writing<WireTailoredReference | null> {
      const body = { reference: { company_customer_id: customerId, company_project_id: projectId } };
      return send.shown('addProposalReference', WireTailoredReference, { path: [proposalId], body, signal });
    },
    removeReference: (proposalId: string, tailoredReferenceId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeProposalReference', { path: [proposalId, tailoredReferenceId], signal }),
  };
}
