import { canSeeAll, isAdministrator, isParty, keyId, readParty } from '../access.js';
import { type PartyDocument, PROPOSAL_STATUSES, type ProposalDocument } from '../documents.js';
import { foldText } from '../languages.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { toStamp } from '../stamps.js';
import { createId } from '../store.js';
import { type Body, readBoolean, readIntegerParameter, readParameter, readString, readWrapper } from '../values.js';

const V1 = '/api/v1/offers';

export const PROPOSAL_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/v1/all_offers', access: 'read', handle: (world, call) => list(world, call, true) },
  { method: 'GET', path: V1, access: 'read', handle: (world, call) => list(world, call, false) },
  { method: 'GET', path: `${V1}/:proposal_id`, access: 'read', handle: getProposal },
  { method: 'POST', path: '/api/v2/offers', access: 'write', handle: postProposal },
  { method: 'PUT', path: `${V1}/:proposal_id`, access: 'write', handle: putProposal },
  { method: 'GET', path: '/redirect/to/proposal', access: 'read', handle: redirect },
];

function canSee(call: Call, proposal: ProposalDocument): boolean {
  return canSeeAll(call.key) || call.key.role === 'readonly_proposal' || isParty(call, proposal);
}

export function requireProposal(world: World, call: Call): ProposalDocument {
  const proposal = world.store.proposals.get(call.params.proposal_id ?? '');
  if (!proposal) throw new Refusal(404, 'proposal not found');
  if (!canSee(call, proposal)) throw new Refusal(403, 'this key takes no part in the proposal');
  return proposal;
}

/** Administrators, the owner and the collaborators. */
export function requireOwnProposal(world: World, call: Call): ProposalDocument {
  const proposal = requireProposal(world, call);
  if (isAdministrator(call.key) || isParty(call, proposal)) return proposal;
  throw new Refusal(403, 'this key takes no part in the proposal');
}

export function findKeyOf(world: World, party: PartyDocument) {
  return [...world.keys.values()].find((key) => keyId(key) === party.id);
}

export function renderProposal(world: World, proposal: ProposalDocument): object {
  const { owner } = proposal;
  const isUser = owner.type === 'user';
  return {
    _id: proposal.id,
    id: proposal.id,
    name: proposal.name,
    archived: proposal.archived,
    created_at: toStamp(world, proposal.created_at),
    updated_at: toStamp(world, proposal.updated_at),
    owner_id: isUser ? owner.id : null,
    owner_name: isUser ? (world.store.users.get(owner.id)?.name ?? null) : null,
    api_owner_id: isUser ? null : owner.id,
    api_owner_name: isUser ? null : (findKeyOf(world, owner)?.name ?? null),
    status: proposal.status,
  };
}

/** By name. Of all proposals administrators see each, others those that they take part in (spec, Proposals). */
function list(world: World, call: Call, isAll: boolean): Answer {
  const limit = readIntegerParameter(call.query, 'limit', { min: 1, max: 100, fallback: 100 });
  const offset = readIntegerParameter(call.query, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const query = foldText((readParameter(call.query, 'query') ?? '').trim());
  const archived = readParameter(call.query, 'include_archived') === 'true' ? 1 : 0;
  const party =
    isAll && (canSeeAll(call.key) || call.key.role === 'readonly_proposal') ? '' : ` ${readParty(call).id} `;
  const found = world.store.proposals.find(
    'WHERE archived <= ? AND instr(name_key, ?) > 0 AND instr(parties, ?) > 0 ORDER BY name_key, id LIMIT ? OFFSET ?',
    [archived, query, party, limit, offset],
  );
  return { status: 200, body: found.map((proposal) => renderProposal(world, proposal)) };
}

function getProposal(world: World, call: Call): Answer {
  return { status: 200, body: renderProposal(world, requireProposal(world, call)) };
}

function readStatus(body: Body): string | undefined {
  const status = readString(body, 'status');
  if (status === undefined || status === null) return undefined;
  if (PROPOSAL_STATUSES.some((known) => known === status)) return status;
  throw new Refusal(422, `status must be one of ${PROPOSAL_STATUSES.join(', ')}`);
}

function readName(body: Body): string | undefined {
  const name = readString(body, 'name');
  if (name === undefined) return undefined;
  if (name === null || name.trim() === '') throw new Refusal(422, "Name can't be blank");
  return name;
}

/** A party that exists: 404 for others. */
export function findParty(world: World, type: unknown, id: unknown): PartyDocument {
  if (type !== 'user' && type !== 'api_user') throw new Refusal(422, 'type must be user or api_user');
  const party: PartyDocument = { type, id: String(id ?? '') };
  const isKnown = type === 'user' ? world.store.users.get(party.id) : findKeyOf(world, party);
  if (!isKnown) throw new Refusal(404, `${type} ${party.id} not found`);
  return party;
}

function postProposal(world: World, call: Call): Answer {
  if (call.key.role === 'external' || call.key.role === 'limited_access') {
    throw new Refusal(403, 'this key may not create proposals');
  }
  const body = readWrapper(call, 'offer');
  const name = readName(body);
  if (name === undefined) throw new Refusal(422, "Name can't be blank");
  const now = world.clock.now();
  const proposal = world.store.proposals.put({
    id: createId(),
    name,
    archived: false,
    status: readStatus(body) ?? 'initial',
    owner: readOwner(world, call, body),
    collaborators: [],
    created_at: now,
    updated_at: now,
  });
  return { status: 200, body: renderProposal(world, proposal) };
}

function readOwner(world: World, call: Call, body: Body): PartyDocument {
  const ownerId = readString(body, 'owner_id');
  if (ownerId) return findParty(world, 'user', ownerId);
  const apiOwnerId = readString(body, 'api_owner_id');
  return apiOwnerId ? findParty(world, 'api_user', apiOwnerId) : readParty(call);
}

function putProposal(world: World, call: Call): Answer {
  const before = requireOwnProposal(world, call);
  const body = readWrapper(call, 'offer');
  const proposal = world.store.proposals.put({
    ...before,
    name: readName(body) ?? before.name,
    archived: readBoolean(body, 'archived') ?? before.archived,
    status: readStatus(body) ?? before.status,
    updated_at: world.clock.now(),
  });
  return { status: 200, body: renderProposal(world, proposal) };
}

/** The address under which people open a proposal (spec, Proposals): to its page, which the sandbox does not have. */
function redirect(world: World, call: Call): Answer {
  const id = readParameter(call.query, 'id');
  if (!id) throw new Refusal(400, 'id is required');
  const proposal = requireProposal(world, { ...call, params: { proposal_id: id } });
  return { status: 302, location: `${call.baseUrl}/proposals/${proposal.id}` };
}
