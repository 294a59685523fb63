import type { World } from '../account/world.js';
import { renderUser } from '../answers/render-user.js';
import { toStamp } from '../answers/stamps.js';
import { canSeeAll, isAdministrator, isParty, keyId, readAccessToken, readParty } from '../calls/access.js';
import { type Call, type CallHandler, OtherAnswer } from '../calls/call.js';
import { foldText } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readBoolean, readFlagParameter, readParameter, readString, readWrapper } from '../fields/values.js';
import { type PartyDocument, PROPOSAL_STATUSES, type ProposalDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import { readPage } from './resource.js';

function canSee(call: Call, proposal: ProposalDocument): boolean {
  return canSeeAll(call.key) || call.key.role === 'readonly_proposal' || isParty(call, proposal);
}

export function requireProposal(call: Call, id = call.params.proposal_id): ProposalDocument {
  const proposal = call.world.store.proposals.get(id) ?? refuse(404, 'proposal not found');
  if (!canSee(call, proposal)) refuse(403, 'this key has no access to the proposal');
  return proposal;
}

/** Returns the proposal if the caller is an administrator, its owner or a collaborator. */
export function requireOwnProposal(call: Call): ProposalDocument {
  const proposal = requireProposal(call);
  if (!isAdministrator(call.key) && !isParty(call, proposal)) refuse(403, 'this key has no access to the proposal');
  return proposal;
}

export function findKeyOf({ keys }: Pick<World, 'keys'>, party: PartyDocument) {
  return [...keys.values()].find((key) => keyId(key) === party.id);
}

export function renderProposal({ world }: Call, proposal: ProposalDocument): object {
  const { id, name, archived, status, owner } = proposal;
  const isUser = owner.type === 'user';
  return {
    _id: id,
    id,
    name,
    archived,
    created_at: toStamp(world, proposal.created_at),
    updated_at: toStamp(world, proposal.updated_at),
    owner_id: isUser ? owner.id : null,
    owner_name: isUser ? (world.store.users.get(owner.id)?.name ?? null) : null,
    api_owner_id: isUser ? null : owner.id,
    api_owner_name: isUser ? null : (findKeyOf(world, owner)?.name ?? null),
    status,
  };
}

/**
 * Lists proposals by name. `all` shows administrators every proposal; other callers see those in which they take part (spec,
 * Proposals).
 */
export function listProposals(of: 'all' | 'own'): CallHandler {
  return (call) => {
    const { size, offset } = readPage(call, 'limit', 100);
    const query = foldText((readParameter(call.query, 'query') ?? '').trim());
    const archived = readFlagParameter(call.query, 'include_archived') ? 1 : 0;
    const isAll = of === 'all' && (canSeeAll(call.key) || call.key.role === 'readonly_proposal');
    const found = call.world.store.proposals.find(
      'WHERE archived <= ? AND instr(name_key, ?) > 0 AND instr(parties, ?) > 0 ORDER BY name_key, id LIMIT ? OFFSET ?',
      [archived, query, isAll ? '' : ` ${readParty(call).id} `, size, offset],
    );
    return found.map((proposal) => renderProposal(call, proposal));
  };
}

export function getProposal(call: Call): object {
  return renderProposal(call, requireProposal(call));
}

function readStatus(body: Body): string | undefined {
  const status = readString(body, 'status');
  if (status === undefined || status === null) return undefined;
  if (PROPOSAL_STATUSES.some((known) => known === status)) return status;
  return refuse(422, `status must be one of ${PROPOSAL_STATUSES.join(', ')}`);
}

function readName(body: Body): string | undefined {
  const name = readString(body, 'name');
  if (name === undefined) return undefined;
  if (name === null || name.trim() === '') refuse(422, "Name can't be blank");
  return name;
}

/** Finds an existing party; throws 404 if it is unknown. */
function findParty({ store, keys }: World, type: unknown, sentId: unknown): PartyDocument {
  if (type !== 'user' && type !== 'api_user') refuse(422, 'type must be user or api_user');
  const party: PartyDocument = { type, id: String(sentId ?? '') };
  const isKnown = type === 'user' ? store.users.get(party.id) : findKeyOf({ keys }, party);
  return isKnown ? party : refuse(404, `${type} ${party.id} not found`);
}

export function postProposal(call: Call): object {
  const { world, key } = call;
  if (key.role === 'external' || key.role === 'limited_access') refuse(403, 'this key may not create proposals');
  const body = readWrapper(call, 'offer');
  const name = readName(body) ?? refuse(422, "Name can't be blank");
  const now = world.clock.now();
  const proposal = world.store.proposals.put({
    id: createId(),
    name,
    archived: false,
    status: readStatus(body) ?? 'initial',
    owner: readOwner(call, body),
    collaborators: [],
    created_at: now,
    updated_at: now,
  });
  return renderProposal(call, proposal);
}

function readOwner(call: Call, body: Body): PartyDocument {
  const ownerId = readString(body, 'owner_id');
  if (ownerId) return findParty(call.world, 'user', ownerId);
  const apiOwnerId = readString(body, 'api_owner_id');
  return apiOwnerId ? findParty(call.world, 'api_user', apiOwnerId) : readParty(call);
}

/** Stores a changed proposal with the time of the change. */
function saveProposal({ world }: Call, proposal: ProposalDocument): ProposalDocument {
  return world.store.proposals.put({ ...proposal, updated_at: world.clock.now() });
}

export function putProposal(call: Call): object {
  const before = requireOwnProposal(call);
  const body = readWrapper(call, 'offer');
  const proposal = saveProposal(call, {
    ...before,
    name: readName(body) ?? before.name,
    archived: readBoolean(body, 'archived') ?? before.archived,
    status: readStatus(body) ?? before.status,
  });
  return renderProposal(call, proposal);
}

export function putOwner(call: Call): object {
  const before = requireOwnProposal(call);
  const { type, id } = readWrapper(call, 'owner');
  return renderProposal(call, saveProposal(call, { ...before, owner: findParty(call.world, type, id) }));
}

const SHOWN_OF_USERS = [
  'id',
  'email',
  'external_unique_id',
  'office_id',
  'office_name',
  'country_id',
  'image',
  'name',
  'default_cv_id',
];

/** Renders the collaborators. API users have an access token (spec, Proposal, Collaborator list). */
function renderCollaborators(call: Call, { collaborators }: ProposalDocument): object {
  const { world } = call;
  const keys = collaborators.flatMap((party) => (party.type === 'api_user' ? (findKeyOf(world, party) ?? []) : []));
  const people = collaborators.flatMap(({ type, id }) => (type === 'user' ? (world.store.users.get(id) ?? []) : []));
  return {
    api_users: keys.map((key) => ({
      id: keyId(key),
      name: key.name,
      access_token: readAccessToken(key),
      enabled: !key.disabled,
      roles: [key.role],
    })),
    users: people.map((user) => {
      const whole = renderUser(call, user);
      return Object.fromEntries(SHOWN_OF_USERS.map((field) => [field, whole[field]]));
    }),
  };
}

export function listCollaborators(call: Call): object {
  return renderCollaborators(call, requireProposal(call));
}

/** Adds a collaborator. Adding one again changes nothing. */
export function addCollaborator(call: Call): object {
  const before = requireOwnProposal(call);
  const { type, id } = readWrapper(call, 'collaborator');
  const party = findParty(call.world, type, id);
  const isPresent = before.collaborators.some((other) => other.type === party.type && other.id === party.id);
  const collaborators = [...before.collaborators, party];
  return renderCollaborators(call, isPresent ? before : saveProposal(call, { ...before, collaborators }));
}

export function removeCollaborator(call: Call): undefined {
  const before = requireOwnProposal(call);
  const { collaborator_type: type, collaborator_id: id } = call.params;
  const collaborators = before.collaborators.filter((other) => other.type !== type || other.id !== id);
  if (collaborators.length === before.collaborators.length) refuse(404, 'collaborator not found');
  saveProposal(call, { ...before, collaborators });
}

/** Redirects to the page of a proposal (spec, Proposals). The sandbox does not have this page. */
export function redirectToProposal(call: Call): OtherAnswer {
  const id = readParameter(call.query, 'id') || refuse(400, 'id is required');
  return new OtherAnswer({ location: `${call.baseUrl}/proposals/${requireProposal(call, id).id}` });
}
