import type { World } from '../account/world.js';
import { renderScopedUser, renderUser } from '../answers/render-user.js';
import { requireCountry, requireRank } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readParameter, readString, readWrapper } from '../fields/values.js';
import { readActivation, readUserChanges } from '../records/read-user-body.js';
import {
  buildUserDraft,
  createUser,
  recordMail,
  removeUser,
  type UserDraft,
  updateUser,
} from '../records/save-user.js';
import type { OfficeDocument, UserDocument } from '../store/documents.js';
import { emailKey } from '../store/store.js';

function requireUser({ world, params }: Call): UserDocument {
  return world.store.users.get(params.user_id) ?? refuse(404, 'user not found');
}

export function getUser(call: Call): object {
  return renderScopedUser(call, requireUser(call));
}

/** Finds a user. All criteria must match; an empty one counts as missing (spec, users/find). */
export function findUser(call: Call): object {
  const { users } = call.world.store;
  const email = readParameter(call.query, 'email') || undefined;
  const external = readParameter(call.query, 'external_unique_id') || undefined;
  const upn = readParameter(call.query, 'upn') || undefined;
  const criteria = [
    { column: 'external_unique_id', value: external },
    { column: 'email_key', value: email && emailKey(email) },
    { column: 'upn', value: upn },
  ];
  const asked = criteria.filter(({ value }) => value !== undefined);
  if (asked.length === 0) refuse(400, 'one of email, external_unique_id and upn is required');
  const order = external === undefined && email === undefined ? 'id' : 'rowid';
  const user = users.first(
    `WHERE ${asked.map(({ column }) => `${column} = ?`).join(' AND ')} ORDER BY ${order}`,
    asked.flatMap(({ value }) => value ?? []),
  );
  return renderUser(call, user ?? refuse(404, 'user not found'));
}

function requireJson(call: Call): void {
  if (call.contentType !== 'application/json') refuse(415, 'Content-Type must be application/json');
}

export function postUser(call: Call): object {
  requireJson(call);
  const { world, key } = call;
  const body = readWrapper(call, 'user');
  if (key.role !== 'internationalmanager' && key.role !== 'countrymanager') {
    refuse(403, 'this key may not create users');
  }
  const { id: office_id, country_id } = readPlace(world, body);
  requireCountry(call, country_id);
  const draft = buildUserDraft({ office_id, country_id });
  const changes = readUserChanges(call, body, draft);
  requireRank(key, [changes.role]);
  const user = createUser(world, { ...draft, ...changes });
  if (body.send_email === true) recordMail(world, user.email, 'created');
  return renderScopedUser(call, user);
}

/** Returns the office in the body, which must be in the country in the body. Throws 404 if the account lacks either. */
function readPlace({ store }: World, body: Body): OfficeDocument {
  const country = store.countries.get(readString(body, 'country_id') ?? '');
  if (!country) refuse(404, 'country_id is not in the account');
  const office = store.offices.get(readString(body, 'office_id') ?? '');
  return office?.country_id === country.id ? office : refuse(404, 'office_id is not in the country');
}

export function putUser(call: Call): object {
  requireJson(call);
  const { world } = call;
  const body = readWrapper(call, 'user');
  const before = requireUser(call);
  requireCountry(call, before.country_id);
  const patch: Partial<UserDraft> = {
    ...readUserChanges(call, body, before),
    ...readMove(call, body, before),
    ...readActivation(world, body, before),
  };
  const isRanked = (patch.role ?? before.role) !== before.role || patch.deactivated_at !== undefined;
  if (isRanked) requireRank(call.key, [before.role, patch.role]);
  const user = updateUser(world, before, patch);
  const isBack = before.deactivated_at !== null && user.deactivated_at === null;
  if (isBack && body.send_email === true) recordMail(world, user.email, 'reactivated');
  return renderScopedUser(call, user);
}

/** Reads a move. The office must be in the country, and only an administrator may change the country (spec, Update rules). */
function readMove(call: Call, body: Body, before: UserDocument): Partial<UserDraft> {
  const countryId = readString(body, 'country_id');
  const officeId = readString(body, 'office_id');
  const isOfficeNew = officeId !== undefined && officeId !== before.office_id;
  const isCountryNew = countryId !== undefined && countryId !== before.country_id;
  if (!isOfficeNew && !isCountryNew) return {};
  if (countryId === undefined) refuse(422, 'changing office_id requires the country_id of its country');
  if (officeId === undefined) refuse(422, 'changing country_id requires an office_id of that country');
  const office = readPlace(call.world, body);
  requireCountry(call, office.country_id);
  return { office_id: office.id, country_id: office.country_id };
}

export function deleteUser(call: Call): undefined {
  const user = requireUser(call);
  requireCountry(call, user.country_id);
  requireRank(call.key, [user.role]);
  removeUser(call.world, user);
}
