import { requireCountry, requireRank } from '../access.js';
import { removeCv } from '../cvs.js';
import type { OfficeDocument, UserDocument } from '../documents.js';
import { readActivation, readUserChanges } from '../read-user-body.js';
import { renderScopedUser, renderUser } from '../render-user.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { buildUserDraft, createUser, recordMail, type UserDraft, updateUser } from '../save-user.js';
import { emailKey } from '../store.js';
import { type Body, readParameter, readString, readWrapper } from '../values.js';

export const USER_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/v1/users/find', access: 'read', handle: findUser },
  { method: 'GET', path: '/api/v1/users/:user_id', access: 'read', handle: getUser },
  { method: 'POST', path: '/api/v1/users', access: 'write', handle: postUser },
  { method: 'PUT', path: '/api/v1/users/:user_id', access: 'write', handle: putUser },
  { method: 'DELETE', path: '/api/v1/users/:user_id', access: 'write', handle: deleteUser },
];

function requireUser(world: World, call: Call): UserDocument {
  const user = world.store.users.get(call.params.user_id ?? '');
  if (!user) throw new Refusal(404, 'user not found');
  return user;
}

function getUser(world: World, call: Call): Answer {
  return { status: 200, body: renderScopedUser(world, requireUser(world, call), call.mode) };
}

/** Several criteria must all match; an empty one counts as not given (spec, users/find). */
function findUser(world: World, call: Call): Answer {
  const email = readParameter(call.query, 'email') || undefined;
  const external = readParameter(call.query, 'external_unique_id') || undefined;
  const upn = readParameter(call.query, 'upn') || undefined;
  const users = world.store.users;
  let found: readonly UserDocument[];
  if (external !== undefined) found = users.find('WHERE external_unique_id = ?', [external]);
  else if (email !== undefined) found = users.find('WHERE email_key = ?', [emailKey(email)]);
  else if (upn !== undefined) found = users.find('WHERE upn = ? ORDER BY id', [upn]);
  else throw new Refusal(400, 'one of email, external_unique_id and upn is required');
  const user = found.find(
    (candidate) =>
      (email === undefined || emailKey(candidate.email) === emailKey(email)) &&
      (upn === undefined || candidate.upn === upn),
  );
  if (!user) throw new Refusal(404, 'user not found');
  return { status: 200, body: renderUser(world, user, call.mode) };
}

function requireJson(call: Call): void {
  if (call.contentType !== 'application/json') throw new Refusal(415, 'Content-Type must be application/json');
}

function postUser(world: World, call: Call): Answer {
  requireJson(call);
  const body = readWrapper(call, 'user');
  if (call.key.role !== 'internationalmanager' && call.key.role !== 'countrymanager') {
    throw new Refusal(403, 'this key may not create users');
  }
  const place = readPlace(world, body);
  requireCountry(world, call, world.store.countries.get(place.country_id)?.code);
  const draft = buildUserDraft({ office_id: place.id, country_id: place.country_id });
  const changes = readUserChanges(world, call, body, draft);
  requireRank(call.key, [changes.role]);
  const user = createUser(world, { ...draft, ...changes });
  if (body.send_email === true) recordMail(world, user.email, 'created');
  return { status: 200, body: renderScopedUser(world, user, call.mode) };
}

/** The office of the body, which must belong to the country of the body; 404 for either not in the account. */
function readPlace(world: World, body: Body): OfficeDocument {
  const country = world.store.countries.get(readString(body, 'country_id') ?? '');
  if (!country) throw new Refusal(404, 'country_id is not in the account');
  const office = world.store.offices.get(readString(body, 'office_id') ?? '');
  if (office?.country_id !== country.id) throw new Refusal(404, 'office_id is not in the country');
  return office;
}

function putUser(world: World, call: Call): Answer {
  requireJson(call);
  const body = readWrapper(call, 'user');
  const before = requireUser(world, call);
  requireCountry(world, call, world.store.countries.get(before.country_id)?.code);
  const patch: Partial<UserDraft> = {
    ...readUserChanges(world, call, body, before),
    ...readMove(world, call, body, before),
    ...readActivation(world, body, before),
  };
  const isRanked = (patch.role ?? before.role) !== before.role || patch.deactivated_at !== undefined;
  if (isRanked) requireRank(call.key, [before.role, patch.role]);
  const user = updateUser(world, before, patch);
  const isBack = before.deactivated_at !== null && user.deactivated_at === null;
  if (isBack && body.send_email === true) recordMail(world, user.email, 'reactivated');
  return { status: 200, body: renderScopedUser(world, user, call.mode) };
}

/** An office goes with its country, and another country needs an administrator (spec, Update rules). */
function readMove(world: World, call: Call, body: Body, before: UserDocument): Partial<UserDraft> {
  const countryId = readString(body, 'country_id');
  const officeId = readString(body, 'office_id');
  const isOfficeNew = officeId !== undefined && officeId !== before.office_id;
  const isCountryNew = countryId !== undefined && countryId !== before.country_id;
  if (!isOfficeNew && !isCountryNew) return {};
  if (countryId === undefined) throw new Refusal(422, 'changing office_id requires the country_id of its country');
  if (officeId === undefined) throw new Refusal(422, 'changing country_id requires an office_id of that country');
  const office = readPlace(world, body);
  requireCountry(world, call, world.store.countries.get(office.country_id)?.code);
  return { office_id: office.id, country_id: office.country_id };
}

/** Permanent; what pointed at the user lets go. */
function deleteUser(world: World, call: Call): Answer {
  const user = requireUser(world, call);
  requireCountry(world, call, world.store.countries.get(user.country_id)?.code);
  requireRank(call.key, [user.role]);
  removeUser(world, user);
  return NO_CONTENT;
}

export function removeUser(world: World, user: UserDocument): void {
  world.store.users.delete(user.id);
  for (const cv of world.store.cvs.find('WHERE user_id = ?', [user.id])) removeCv(world, cv.id);
  for (const project of world.store.projects.find('WHERE instr(body, ?) > 0', [`"${user.id}"`])) {
    world.store.projects.put({ ...project, owner_ids: project.owner_ids.filter((id) => id !== user.id) });
  }
}
