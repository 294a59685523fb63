import { SyncError } from '../../errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findAttribute, flattenUser } from '../../scim/flatten-user.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import { createHttpSource, type HttpAnswer } from '../http/http-source.js';
import { quoteWords, readRequestId } from '../http/send-records.js';
import type { ScimSourceConfig } from './kind.js';
import { filterPath, type PatchOperation } from './patch-operations.js';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const JSON_TYPE = { 'content-type': 'application/scim+json' };
/** A path that the provider does not find or does not understand. */
const OF_PATH: ReadonlySet<string> = new Set(['notarget', 'invalidpath', 'invalidfilter']);
const REFUSALS = [400, 403, 404, 409, 412, 413, 428];
/** A filter that finds more of them is not of a key. */
const MOST_FOUND = 10;

/** A user of the provider, as far as it was asked for, or why there is none. */
export type FoundUser =
  | { readonly id: string; readonly user: JsonObject | null }
  | { readonly problem: string; readonly at: string };

export type Patched = { readonly at: string; readonly requestId: string | null } & (
  | { readonly user: JsonObject | null }
  | { readonly refused: string; readonly isOfPath: boolean }
  | { readonly lost: string; readonly error: unknown }
);

/** The users of an identity provider, one by one. */
export interface Users {
  readonly base: string;
  /** By the source's key, with a filter. */
  find(key: string, signal?: AbortSignal): Promise<FoundUser>;
  read(id: string, signal?: AbortSignal): Promise<FoundUser>;
  /** Without operations there is nothing to ask for. */
  patch(id: string, operations: readonly PatchOperation[], signal?: AbortSignal): Promise<Patched>;
  /** Whether PATCH is supported, null where that is not told. */
  probe(signal?: AbortSignal): Promise<boolean | null>;
  close(): Promise<void>;
}

export function createUsers(config: ScimSourceConfig, context: ConnectorContext): Users {
  const base = stripQuery(config.baseUrl);
  const http = createHttpSource(
    {
      system: 'identity provider',
      access: config.access,
      accept: 'application/scim+json, application/json',
      right: 'change users',
      addressHint: "Check the source's `base_url`: it is the address under which /Users answers.",
      purpose: 'write',
    },
    context,
  );
  const { key } = config;
  const fold = (value: string): string => (key === 'userName' ? value.toLowerCase() : value);

  return {
    base,
    async find(record, signal) {
      const filter = `${filterPath(key)} eq ${JSON.stringify(record)}`;
      const query = `filter=${encodeURIComponent(filter)}&startIndex=1&count=${MOST_FOUND}`;
      const call = { url: `${base}/Users?${query}`, handles: REFUSALS, list: { depth: 1 } };
      const answer = await http.read(call, signal);
      const at = 'GET /Users?filter';
      if (answer.status >= 400) return { problem: describeRefusal(answer), at };
      const rows = isJsonObject(answer.body) ? findAttribute(answer.body, 'Resources') : undefined;
      // Some providers answer with everybody: only who has the key counts.
      const users: JsonObject[] = [];
      for await (const batch of answer.batches(Array.isArray(rows) ? rows : [])) {
        for (const user of batch.filter(isJsonObject)) {
          const found = flattenUser(user, [key])[key];
          if (typeof found === 'string' && fold(found) === fold(record)) users.push(user);
        }
      }
      const [user, another] = users;
      const id = user === undefined ? undefined : findAttribute(user, 'id');
      if (another !== undefined) return { problem: `Several users of the identity provider have this ${key}.`, at };
      if (user === undefined || typeof id !== 'string') {
        return { problem: `The identity provider shows no user with this ${key}.`, at };
      }
      return { id, user };
    },
    async read(id, signal) {
      const answer = await http.read({ url: addressOf(id), handles: REFUSALS }, signal);
      if (answer.status === 200 && isJsonObject(answer.body)) return { id, user: answer.body };
      return { problem: describeRefusal(answer), at: `GET /Users/${encodeURIComponent(id)}` };
    },
    async patch(id, operations, signal) {
      const at = `PATCH /Users/${encodeURIComponent(id)}`;
      // What the user shows already needs no call: then the reading is what tells of it.
      if (operations.length === 0) return { at: at.replace('PATCH', 'GET'), requestId: null, user: null };
      const body = { schemas: [PATCH_OP], Operations: operations as unknown as Json };
      const handles = [...REFUSALS, 405, 501];
      const written = await http.write(
        { method: 'PATCH', url: addressOf(id), headers: JSON_TYPE, body, handles },
        signal,
      );
      if ('lost' in written) return { at, requestId: null, ...written };
      const { answer } = written;
      const requestId = readRequestId(answer);
      if (answer.status === 405 || answer.status === 501) throw refuseMethod(answer);
      if (answer.status >= 400) {
        const kind = isJsonObject(answer.body) ? String(findAttribute(answer.body, 'scimType')).toLowerCase() : '';
        return { at, requestId, refused: describeRefusal(answer), isOfPath: OF_PATH.has(kind) };
      }
      const user = isJsonObject(answer.body) && findAttribute(answer.body, 'id') !== undefined ? answer.body : null;
      return { at, requestId, user };
    },
    async probe(signal) {
      await http.read({ url: `${base}/Users?startIndex=1&count=1` }, signal);
      const handles = [...REFUSALS, 401, 405, 501];
      const { status, body } = await http.read({ url: `${base}/ServiceProviderConfig`, handles }, signal);
      const patch = status === 200 && isJsonObject(body) ? findAttribute(body, 'patch') : undefined;
      const supported = isJsonObject(patch) ? findAttribute(patch, 'supported') : undefined;
      return typeof supported === 'boolean' ? supported : null;
    },
    close: () => http.close(),
  };

  function addressOf(id: string): string {
    return `${base}/Users/${encodeURIComponent(id)}`;
  }
}

function describeRefusal({ status, body }: HttpAnswer): string {
  const words = isJsonObject(body) ? quoteWords(findAttribute(body, 'detail')) : null;
  return `The identity provider answered ${status}${words === null ? '' : `: ${words}`}.`;
}

function refuseMethod({ status, at }: HttpAnswer): SyncError {
  return new SyncError('SYNC_SOURCE_UNWRITABLE', {
    message: `The identity provider answered ${status}: it takes no PATCH of users.`,
    place: at,
    remedy: "Remove the source's `write_back`, or have PATCH allowed.",
  });
}
