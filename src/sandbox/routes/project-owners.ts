import { requireProjectEditor } from '../access.js';
import type { ProjectDocument } from '../project-documents.js';
import { renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { emailKey } from '../store.js';
import { readBody, readBoolean, readStrings } from '../values.js';
import { PROJECT, requireProject } from './projects.js';

/** Bodies without a wrapper; deactivated users can be owners (spec, Reference project). */
export const PROJECT_OWNER_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${PROJECT}/project_owners`, access: 'write', handle: addOwners },
  { method: 'PUT', path: `${PROJECT}/project_owners/sync_by_email`, access: 'write', handle: syncOwners },
  { method: 'DELETE', path: `${PROJECT}/project_owners/:user_id`, access: 'write', handle: removeOwner },
];

/** All or nothing; an empty list changes nothing, someone who already is an owner is 422. */
function addOwners(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const ids = readStrings(readBody(call), 'user_ids');
  if (ids === undefined) throw new Refusal(400, 'user_ids is required');
  const unknown = ids.find((id) => !world.store.users.get(id));
  if (unknown !== undefined) throw new Refusal(404, `user ${unknown} not found`);
  const present = ids.find((id) => project.owner_ids.includes(id));
  if (present !== undefined) throw new Refusal(422, `user ${present} is already an owner`);
  return saveOwners(world, call, project, [...project.owner_ids, ...new Set(ids)]);
}

/** One unmatched e-mail changes nothing at all; replacing with an empty list is refused. */
function syncOwners(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const body = readBody(call);
  const emails = readStrings(body, 'emails');
  if (emails === undefined) throw new Refusal(400, 'emails is required');
  const replace = readBoolean(body, 'replace') ?? false;
  if (replace && emails.length === 0) throw new Refusal(422, 'replace needs at least one email');
  const found = emails.map((email) => ({
    email,
    user: world.store.users.first('WHERE email_key = ?', [emailKey(email)]),
  }));
  const unmatched = found.filter(({ user }) => !user).map(({ email }) => email);
  if (unmatched.length > 0) {
    throw new Refusal(422, `no user has the email ${unmatched.join(', ')}`, { details: unmatched });
  }
  const ids = found.flatMap(({ user }) => (user ? [user.id] : []));
  const owners = new Set(replace ? ids : [...project.owner_ids, ...ids]);
  return saveOwners(world, call, project, [...owners]);
}

function saveOwners(world: World, call: Call, project: ProjectDocument, owner_ids: readonly string[]): Answer {
  const isSame = owner_ids.join() === project.owner_ids.join();
  const saved = isSame ? project : world.store.projects.put({ ...project, owner_ids, updated_at: world.clock.now() });
  return { status: 200, body: renderWholeProject(world, saved, call) };
}

/** Removing someone who is no owner is a 500 (spec, Errors). */
function removeOwner(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const userId = call.params.user_id ?? '';
  if (!project.owner_ids.includes(userId)) throw new Refusal(500, 'internal server error');
  const owner_ids = project.owner_ids.filter((id) => id !== userId);
  world.store.projects.put({ ...project, owner_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}
