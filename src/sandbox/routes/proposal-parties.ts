import { keyId, readAccessToken } from '../access.js';
import type { PartyDocument, ProposalDocument } from '../documents.js';
import { renderUser } from '../render-user.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { readWrapper } from '../values.js';
import { findKeyOf, findParty, renderProposal, requireOwnProposal, requireProposal } from './proposals.js';

const PROPOSAL = '/api/v2/offers/:proposal_id';

export const PROPOSAL_PARTY_ROUTES: readonly Route[] = [
  { method: 'PUT', path: `${PROPOSAL}/owner`, access: 'write', handle: putOwner },
  { method: 'GET', path: `${PROPOSAL}/collaborators`, access: 'read', handle: listCollaborators },
  { method: 'POST', path: `${PROPOSAL}/collaborators`, access: 'write', handle: addCollaborator },
  {
    method: 'DELETE',
    path: `${PROPOSAL}/collaborators/:collaborator_type/:collaborator_id`,
    access: 'write',
    handle: removeCollaborator,
  },
];

function isSame(a: PartyDocument, b: PartyDocument): boolean {
  return a.type === b.type && a.id === b.id;
}

function putOwner(world: World, call: Call): Answer {
  const before = requireOwnProposal(world, call);
  const { type, id } = readWrapper(call, 'owner');
  const owner = findParty(world, type, id);
  const proposal = world.store.proposals.put({ ...before, owner, updated_at: world.clock.now() });
  return { status: 200, body: renderProposal(world, proposal) };
}

/** API users with an access token each (spec, Proposal, Collaborator list). */
function renderCollaborators(world: World, proposal: ProposalDocument, call: Call): object {
  const api_users = proposal.collaborators.flatMap((party) => {
    const key = party.type === 'api_user' ? findKeyOf(world, party) : undefined;
    return key
      ? [
          {
            id: keyId(key),
            name: key.name,
            access_token: readAccessToken(key),
            enabled: !key.disabled,
            roles: [key.role],
          },
        ]
      : [];
  });
  const users = proposal.collaborators.flatMap((party) => {
    const user = party.type === 'user' ? world.store.users.get(party.id) : undefined;
    if (!user) return [];
    const whole = renderUser(world, user, call.mode);
    return [Object.fromEntries(SHOWN_OF_USERS.map((field) => [field, whole[field]]))];
  });
  return { api_users, users };
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
] as const;

function listCollaborators(world: World, call: Call): Answer {
  return { status: 200, body: renderCollaborators(world, requireProposal(world, call), call) };
}

/** Adding someone twice changes nothing. */
function addCollaborator(world: World, call: Call): Answer {
  const before = requireOwnProposal(world, call);
  const { type, id } = readWrapper(call, 'collaborator');
  const party = findParty(world, type, id);
  const isPresent = before.collaborators.some((other) => isSame(other, party));
  const proposal = isPresent
    ? before
    : world.store.proposals.put({
        ...before,
        collaborators: [...before.collaborators, party],
        updated_at: world.clock.now(),
      });
  return { status: 200, body: renderCollaborators(world, proposal, call) };
}

function removeCollaborator(world: World, call: Call): Answer {
  const before = requireOwnProposal(world, call);
  const { collaborator_type: type, collaborator_id: id } = call.params;
  const collaborators = before.collaborators.filter((other) => other.type !== type || other.id !== id);
  if (collaborators.length === before.collaborators.length) throw new Refusal(404, 'collaborator not found');
  world.store.proposals.put({ ...before, collaborators, updated_at: world.clock.now() });
  return NO_CONTENT;
}
