import { SyncError } from '../../base/errors.js';
import { isJsonObject, type Json, type JsonObject, listOf, objectOf } from '../../model/json.js';
import type { HttpAnswer } from '../http/http-call.js';
import { describeRefusal, quoteWords, readRequestId } from '../http/send-records.js';
import { findAttribute, flattenUser } from '../scim-protocol/flatten-user.js';
import type { ScimClient } from './client.js';
import { filterPath, type PatchOperation } from './patch-operations.js';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const JSON_TYPE = { 'content-type': 'application/scim+json' };
/** Error types for a path that the provider does not find or does not understand. */
const OF_PATH: ReadonlySet<string> = new Set(['notarget', 'invalidpath', 'invalidfilter']);
const REFUSALS = [400, 403, 404, 409, 412, 413, 428];
const NO_METHOD = [405, 501];
/** The maximum number of users that a filter by key may return. More users mean that the provider has ignored the filter. */
const MOST_FOUND = 10;

/** A user of the provider with the data that was read, or the reason why there is none. */
export type FoundUser =
  | { readonly id: string; readonly user: JsonObject | null }
  | { readonly problem: string; readonly at: string };

export type Patched = { readonly at: string; readonly requestId: string | null } & (
  | { readonly user: JsonObject | null }
  | { readonly refused: string; readonly isOfPath: boolean }
  | { readonly lost: string; readonly error: unknown }
);

/** Finds a user by the source's key, with a filter. */
export async function findUser(
  { base, http }: ScimClient,
  key: string,
  value: string,
  signal?: AbortSignal,
): Promise<FoundUser> {
  const filter = encodeURIComponent(`${filterPath(key)} eq ${JSON.stringify(value)}`);
  const url = `${base}/Users?filter=${filter}&startIndex=1&count=${MOST_FOUND}`;
  const answer = await http.read({ url, handles: REFUSALS, list: { depth: 1 } }, signal);
  const at = 'GET /Users?filter';
  if (answer.status >= 400) return { problem: explainRefusal(answer), at };
  const users = await filterUsers(answer, key, value);
  if (users.length > 1) return { problem: `Several users of the identity provider have this ${key}.`, at };
  const [user = null] = users;
  const id = user === null ? undefined : findAttribute(user, 'id');
  if (typeof id === 'string') return { id, user };
  return { problem: `The identity provider shows no user with this ${key}.`, at };
}

/**
 * Returns the users that have the key, because some providers ignore the filter and return everyone. The case of user
 * names does not matter.
 */
async function filterUsers(answer: HttpAnswer, key: string, value: string): Promise<readonly JsonObject[]> {
  const fold = (text: string): string => (key === 'userName' ? text.toLowerCase() : text);
  const users: JsonObject[] = [];
  for await (const batch of answer.batches(listOf(findAttribute(objectOf(answer.body), 'Resources')))) {
    for (const user of batch.filter(isJsonObject)) {
      const found = flattenUser(user, [key])[key];
      if (typeof found === 'string' && fold(found) === fold(value)) users.push(user);
    }
  }
  return users;
}

export async function readUser(client: ScimClient, id: string, signal?: AbortSignal): Promise<FoundUser> {
  const answer = await client.http.read({ url: client.addressOf(id), handles: REFUSALS }, signal);
  if (answer.status === 200 && isJsonObject(answer.body)) return { id, user: answer.body };
  return { problem: explainRefusal(answer), at: `GET /Users/${encodeURIComponent(id)}` };
}

/** Changes a user. Sends no call if there are no operations. */
export async function patchUser(
  client: ScimClient,
  id: string,
  operations: readonly PatchOperation[],
  signal?: AbortSignal,
): Promise<Patched> {
  const path = `/Users/${encodeURIComponent(id)}`;
  // If the user already has the values, no call is needed, because the read proves it.
  if (operations.length === 0) return { at: `GET ${path}`, requestId: null, user: null };
  const at = `PATCH ${path}`;
  const body = { schemas: [PATCH_OP], Operations: operations as unknown as Json };
  const handles = [...REFUSALS, ...NO_METHOD];
  const call = { method: 'PATCH', url: client.addressOf(id), headers: JSON_TYPE, body, handles } as const;
  const written = await client.http.write(call, signal);
  if ('lost' in written) return { at, requestId: null, ...written };
  const { answer } = written;
  const requestId = readRequestId(answer);
  if (NO_METHOD.includes(answer.status)) {
    throw refusePatch(
      `The identity provider answered ${answer.status}: it does not support PATCH of users.`,
      answer.at,
    );
  }
  const shown = objectOf(answer.body);
  if (answer.status < 400) return { at, requestId, user: findAttribute(shown, 'id') === undefined ? null : shown };
  const isOfPath = OF_PATH.has(String(findAttribute(shown, 'scimType')).toLowerCase());
  return { at, requestId, refused: explainRefusal(answer), isOfPath };
}

/** True if PATCH is supported; null if the provider does not state it. */
export async function supportsPatch(client: ScimClient, signal?: AbortSignal): Promise<boolean | null> {
  await client.http.read({ url: `${client.base}/Users?startIndex=1&count=1` }, signal);
  const patch = findAttribute(objectOf(await client.capabilities(signal)), 'patch');
  const supported = findAttribute(objectOf(patch), 'supported');
  return typeof supported === 'boolean' ? supported : null;
}

function explainRefusal({ status, body }: HttpAnswer): string {
  return `${describeRefusal('The identity provider', status, quoteWords(findAttribute(objectOf(body), 'detail')))}.`;
}

export function refusePatch(message: string, place: string): SyncError {
  const remedy = 'Remove `write_back` of the source, or have PATCH allowed.';
  return new SyncError('SYNC_SOURCE_UNWRITABLE', { message, place, remedy });
}
