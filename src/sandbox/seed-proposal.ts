import { keyId } from './access.js';
import type { PartyDocument } from './documents.js';
import { type ProposalFixture, refuseFixture } from './fixture.js';
import type { World } from './route.js';
import { copyCv } from './routes/proposal-contents.js';
import { createId, emailKey } from './store.js';

export function seedProposal(world: World, fixture: ProposalFixture, place: string): void {
  const now = world.clock.now();
  const proposal = world.store.proposals.put({
    id: createId(),
    name: fixture.name,
    archived: fixture.archived,
    status: fixture.status,
    owner: findParty(world, fixture.owner, place),
    collaborators: fixture.collaborators.map((name) => findParty(world, name, place)),
    created_at: now,
    updated_at: now,
  });
  for (const email of fixture.cvs) {
    const user = findUser(world, email);
    copyCv(world, user ?? refuseFixture(place, `The fixture has no user ${email}.`), proposal.id);
  }
  for (const external of fixture.references) {
    const project = world.store.projects.first('WHERE external_unique_id = ?', [external]);
    world.store.tailored_references.put({
      id: createId(),
      proposal_id: proposal.id,
      status: 'initial',
      project: project ?? refuseFixture(place, `The fixture has no project ${external}.`),
    });
  }
}

function findUser(world: World, email: string) {
  return world.store.users.first('WHERE email_key = ?', [emailKey(email)]);
}

/** A user by e-mail, an API user by the name of the key. */
function findParty(world: World, name: string, place: string): PartyDocument {
  const user = findUser(world, name);
  if (user) return { type: 'user', id: user.id };
  const key = [...world.keys.values()].find((candidate) => candidate.name === name);
  if (key) return { type: 'api_user', id: keyId(key) };
  return refuseFixture(place, `The fixture has neither a user nor a key ${name}.`);
}
